package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host/privatefolder"
)

// A program is an executable file, opened once: what is hashed through the descriptor is what runs.
type program struct {
	path string // absolute
	file *os.File
	own  bool // the program that runs now, which cannot be changed as long as it does

	mu  sync.Mutex
	sum string // SHA-256 in hex, once it is known
}

func openProgram(path string) (*program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &program{path: path, file: file}, nil
}

// NeededEnv returns the names of the variables without which a program does not start: PATH for a script that leaves it to env to
// find its interpreter, which is that of the user's virtual environment then.
func NeededEnv(path string) []string {
	if words, _, err := scriptWords(path); err == nil && len(words) > 1 && filepath.Base(words[0]) == "env" {
		return []string{"PATH"}
	}
	return nil
}

var own struct {
	mu      sync.Mutex
	program *program // once it is open
}

// ownProgram returns this program. An error may be gone the next time, such as one for want of files.
func ownProgram() (*program, error) {
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.program != nil {
		return own.program, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := openProgram(ownFile(path))
	if err != nil {
		return nil, err
	}
	p.path, p.own = path, true
	go func() { _, _ = p.hash() }() // while the plugins start
	own.program = p
	return p, nil
}

// OwnSHA256 returns the SHA-256 of this program in hex.
func OwnSHA256() (string, error) {
	p, err := ownProgram()
	if err != nil {
		return "", err
	}
	return p.hash()
}

// FileSHA256 returns the SHA-256 of a program, which may be for another system, in hex.
func FileSHA256(path string) (string, error) {
	p, err := openProgram(path)
	if err != nil {
		return "", err
	}
	defer p.file.Close()
	return p.hash()
}

// hash returns the SHA-256 of the program's file, in hex.
func (p *program) hash() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sum != "" {
		return p.sum, nil
	}
	read := p.read
	if p.own {
		read = p.recall
	}
	sum, err := read()
	p.sum = sum
	return sum, err
}

// recall returns the hash as an earlier run has noted it, or reads the file and notes it.
func (p *program) recall() (string, error) {
	info, err := p.file.Stat()
	if err != nil {
		return "", err
	}
	identity, folder := identityOf(info), ""
	if identity != "" {
		folder = privatefolder.Cache()
	}
	if folder == "" {
		return p.read()
	}
	if sum := knownSum(folder, identity); sum != "" {
		return sum, nil
	}
	sum, err := p.read()
	if err == nil {
		keepSum(folder, identity, sum)
	}
	return sum, err
}

func (p *program) read() (string, error) {
	info, err := p.file.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(p.file, 0, info.Size())); err != nil {
		return "", fmt.Errorf("%s: %w", p.path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verify checks before every start that the file has not changed, and that it is the pinned one.
func (p *program) verify(pin string) error {
	if p.own && pin == "" {
		return nil
	}
	p.mu.Lock()
	again := p.sum != ""
	p.mu.Unlock()
	first, err := p.hash()
	if err != nil {
		return err
	}
	if pin != "" && !strings.EqualFold(pin, first) {
		return fmt.Errorf("%s: want sha256 %s, have %s", p.path, pin, first)
	}
	if p.own {
		return nil
	}
	if again {
		now, err := p.read()
		if err == nil && now != first {
			err = fmt.Errorf("%s: want the program that the run began with, sha256 %s, have sha256 %s", p.path, first, now)
		}
		if err != nil {
			return err
		}
	}
	return p.inPlace()
}

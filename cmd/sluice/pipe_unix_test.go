//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything in these tests may take: a hang has no end, and a busy machine is slow.
const patience = 3 * time.Minute

// A heraldPipe tells when a plugin holds a record, and when the plugin is gone.
type heraldPipe struct {
	path string
	both *os.File // for reading and writing, so that neither end waits for the other
}

func newHeraldPipe(t *testing.T, dir string) *heraldPipe {
	t.Helper()
	p := &heraldPipe{path: filepath.Join(dir, "waiting")}
	if err := syscall.Mkfifo(p.path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.both, err = os.OpenFile(p.path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.both.Close() })
	return p
}

// held waits until a plugin holds a record, and gives its process.
func (p *heraldPipe) held() (pid int, err error) {
	if err := p.both.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(p.both).ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

// gone waits until nobody holds the pipe open for writing any more.
func (p *heraldPipe) gone() error {
	last, err := os.OpenFile(p.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer last.Close()
	p.both.Close()
	if err := last.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, last)
	return err
}

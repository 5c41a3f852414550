package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/wholefile"
)

// Binary is the program of a plugin on another system.
type Binary struct{ Plugin, System, Path string }

// formats are the first bytes of programs, by system. Of other systems any file may be one.
var formats = map[string][]string{
	"windows": {"MZ"},
	"darwin":  {"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "#!"},
	"linux":   {elf, "#!"}, "freebsd": {elf, "#!"}, "netbsd": {elf, "#!"}, "openbsd": {elf, "#!"}, "dragonfly": {elf, "#!"},
	"illumos": {elf, "#!"}, "solaris": {elf, "#!"},
}

const elf = "\x7fELF"

// check returns an error when the file can be no program of the system.
func (b Binary) check() error {
	file, err := os.Open(b.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	var head [4]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	system, _, _ := strings.Cut(b.System, "_")
	begins := func(format string) bool { return bytes.HasPrefix(head[:n], []byte(format)) }
	if known := formats[system]; known != nil && !slices.ContainsFunc(known, begins) {
		return fmt.Errorf("%s: want a program for %s, have a file that is not", b.Path, b.System)
	}
	return nil
}

// LockUpdate is what Lock has made of a lock.
type LockUpdate struct {
	Lock    *config.Lock `json:"lock"`
	Locked  []string     `json:"locked"`  // plugins that the lock now has as they were found; without any it was not written
	Changed []string     `json:"changed"` // those of them that the lock had otherwise
	Stale   []string     `json:"stale"`   // plugin and system of hashes of other versions, which are left out
}

// A program is what the plugin of a pipeline is now.
type program struct{ plugin, version, sha256 string }

// Lock writes into the lock of a pipeline's folder which programs the file's plugins are now, and binaries of other systems. It
// starts a program to ask its version. What the lock says about plugins that the file does not name stays, and so do hashes for other
// systems as long as the version is the same.
func Lock(ctx context.Context, pipeline string, binaries []Binary, opts host.Options) (*LockUpdate, error) {
	opts = opts.WithDefaults()
	given := opts.Given(pipeline)
	given.Draft = true
	tree, diags := config.Load(pipeline, given)
	if diags.HasErrors() {
		return nil, diags
	}
	if _, err := config.ReadLock(tree.Dir); err != nil { // then nothing is started
		return nil, err
	}
	finder := plan.Unlocked(tree.Dir)
	finder.Pins = plan.Pins(tree)
	lo := opts.Launch(finder)
	var found []program
	for _, name := range tree.PluginNames() {
		d, err := launch.Describe(ctx, lo, name)
		if err != nil {
			return nil, err
		}
		if d.Location.BuiltIn {
			continue
		}
		sum, err := d.Location.SHA256()
		if err != nil {
			return nil, err
		}
		found = append(found, program{name, d.Version, sum})
	}
	return update(tree.Dir, found, binaries)
}

// update reads the lock of a folder and writes it with what was found. Others who do so at the same time wait for each other.
func update(dir string, found []program, binaries []Binary) (done *LockUpdate, err error) {
	path := filepath.Join(dir, config.LockFile)
	real := path
	if at, err := filepath.EvalSymlinks(path); err == nil { // a link stays, and its target is written
		real = at
	}
	err = alone(real, func() error {
		lock, err := config.ReadLock(dir)
		if err != nil {
			return err
		}
		if lock == nil {
			lock = &config.Lock{Path: path, Programs: map[string]config.Locked{}}
		}
		done = &LockUpdate{Lock: lock, Locked: []string{}, Changed: []string{}, Stale: []string{}}
		for _, p := range found {
			done.add(p)
		}
		for _, b := range binaries {
			if err := done.addBinary(b); err != nil {
				return err
			}
		}
		if len(done.Locked) == 0 {
			return nil
		}
		return wholefile.Write(real, lock.Encode(), wholefile.Options{Mode: 0o644, Durable: true})
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// alone calls do while no other process does so for the same file, where the system can tell.
func alone(path string, do func() error) error {
	dir, err := os.OpenRoot(filepath.Dir(path)) // of a link to elsewhere nothing is created
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(path) + ".busy"
	for {
		f, err := dir.OpenFile(name, os.O_RDONLY|os.O_CREATE, 0o644)
		if err != nil {
			return do() // which says what is wrong with the folder, if anything is
		}
		if !filelock.Wait(f) {
			f.Close()
			_ = dir.Remove(name)
			return do()
		}
		mine, err := f.Stat()
		now, errNow := dir.Stat(name)
		if err == nil && (oserr.Missing(errNow) || errNow == nil && !os.SameFile(mine, now)) {
			f.Close() // the one before has removed it
			continue
		}
		err = do()
		_ = dir.Remove(name) // the next makes its own
		f.Close()
		return err
	}
}

// add locks the program of a plugin that is not built in.
func (l *LockUpdate) add(p program) {
	old, known := l.Lock.Programs[p.plugin]
	now := config.Locked{Version: p.version, SHA256: map[string]string{config.System: p.sha256}}
	for system, other := range old.SHA256 {
		switch {
		case system == config.System:
		case old.Version == now.Version:
			now.SHA256[system] = other
		default:
			l.Stale = append(l.Stale, p.plugin+" for "+system)
		}
	}
	if known && old.SHA256[config.System] != p.sha256 {
		l.Changed = append(l.Changed, p.plugin)
	}
	l.Locked = append(l.Locked, p.plugin)
	l.Lock.Programs[p.plugin] = now
	slices.Sort(l.Stale)
}

func (l *LockUpdate) addBinary(b Binary) error {
	p, ok := l.Lock.Programs[b.Plugin]
	if !ok {
		return fmt.Errorf("%s: want a plugin of the pipeline that is not built in, have %q", b.Path, b.Plugin)
	}
	listed := slices.Contains(l.Locked, b.Plugin)
	if b.System == config.System && !listed {
		return fmt.Errorf("%s: want a program for another system, have one for this system, whose program sluice finds itself", b.Path)
	}
	sum, err := launch.FileSHA256(b.Path)
	if err == nil {
		err = b.check()
	}
	if err != nil {
		return oserr.AtPath(err)
	}
	p.SHA256[b.System] = sum
	if !listed {
		l.Locked = append(l.Locked, b.Plugin)
	}
	l.Stale = slices.DeleteFunc(l.Stale, func(gone string) bool { return gone == b.Plugin+" for "+b.System })
	return nil
}

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

// LockUpdate is a lock that has not been written yet, and what is new in it.
type LockUpdate struct {
	Lock    *config.Lock `json:"lock"`
	Locked  []string     `json:"locked"`  // plugins that the lock now has as they were found
	Changed []string     `json:"changed"` // those of them that the lock had otherwise
	Stale   []string     `json:"stale"`   // plugin and system of hashes of other versions, which are left out
}

// Lock returns the lock of a pipeline's folder with the programs that the file's plugins are now, and with binaries of other
// systems. It starts a program to ask its version. What the lock says about plugins that the file does not name stays, and so do
// hashes for other systems as long as the version is the same.
func Lock(ctx context.Context, pipeline string, binaries []Binary, opts host.Options) (*LockUpdate, error) {
	opts = opts.WithDefaults()
	given := opts.Given(pipeline)
	given.Draft = true
	tree, diags := config.Load(pipeline, given)
	if diags.HasErrors() {
		return nil, diags
	}
	lock, err := config.ReadLock(tree.Dir)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		lock = &config.Lock{Path: filepath.Join(tree.Dir, config.LockFile), Programs: map[string]config.Locked{}}
	}
	done := &LockUpdate{Lock: lock, Locked: []string{}, Changed: []string{}, Stale: []string{}}
	finder := plan.Unlocked(tree.Dir)
	finder.Pins = plan.Pins(tree)
	lo := opts.Launch(finder)
	for _, name := range tree.PluginNames() {
		if err := done.add(ctx, name, lo); err != nil {
			return nil, err
		}
	}
	for _, b := range binaries {
		if err := done.addBinary(b); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// add locks the program of a plugin that is not built in.
func (l *LockUpdate) add(ctx context.Context, name string, opts launch.Options) error {
	d, err := launch.Describe(ctx, opts, name)
	if err != nil || d.Location.BuiltIn {
		return err
	}
	sum, err := d.Location.SHA256()
	if err != nil {
		return err
	}
	old, known := l.Lock.Programs[name]
	now := config.Locked{Version: d.Version, SHA256: map[string]string{config.System: sum}}
	for system, other := range old.SHA256 {
		switch {
		case system == config.System:
		case old.Version == now.Version:
			now.SHA256[system] = other
		default:
			l.Stale = append(l.Stale, name+" for "+system)
		}
	}
	if known && old.SHA256[config.System] != sum {
		l.Changed = append(l.Changed, name)
	}
	l.Locked = append(l.Locked, name)
	l.Lock.Programs[name] = now
	slices.Sort(l.Stale)
	return nil
}

func (l *LockUpdate) addBinary(b Binary) error {
	p, ok := l.Lock.Programs[b.Plugin]
	if !ok {
		return fmt.Errorf("%s: want a plugin of the pipeline that is not built in, have %q", b.Path, b.Plugin)
	}
	if b.System == config.System && !slices.Contains(l.Locked, b.Plugin) {
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
	l.Stale = slices.DeleteFunc(l.Stale, func(gone string) bool { return gone == b.Plugin+" for "+b.System })
	return nil
}

// Write replaces the lock next to its pipelines, all at once.
func (l *LockUpdate) Write() error {
	return wholefile.Write(l.Lock.Path, l.Lock.Encode(), wholefile.Options{Mode: 0o644, Durable: true})
}

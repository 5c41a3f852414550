package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Lock says which programs may be the plugins of the pipelines in a folder.
type Lock = config.Lock

// System is where this program runs, as a lock names it.
const System = runtime.GOOS + "_" + runtime.GOARCH

// A Binary is a program that is the plugin on another system.
type Binary struct{ Plugin, System, Path string }

// A Locking is what WriteLock did.
type Locking struct {
	Lock    *Lock
	Locked  []string // plugins that now stand in the lock as they were found
	Changed []string // those of them that stood there otherwise
	Gone    []string // plugin and system of hashes that were of another version of the plugin, and are left out
}

// LockPlugins gives the lock of a pipeline's folder with the programs that the file's plugins are now, and with binaries of
// other systems. A program is started to ask its version. What the lock says of plugins that the file does not name stays,
// and so do hashes for other systems as long as the version is the same. Nothing is written.
func LockPlugins(ctx context.Context, pipeline string, binaries []Binary, opts Options) (*Locking, error) {
	opts = opts.WithDefaults()
	tree, diags := config.Load(pipeline, config.Given{Vars: opts.Vars, Env: opts.Env, Draft: true})
	if diags.HasErrors() {
		return nil, diags
	}
	lock, err := config.ReadLock(tree.Dir)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		lock = &Lock{Path: filepath.Join(tree.Dir, config.LockFile), Programs: map[string]config.Locked{}}
	}
	done := &Locking{Lock: lock}
	lo := opts.launch(tree.Dir, plan.CorpusLimit, plan.MinDepth)
	lo.Finder.Pins = plan.Pins(tree)
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

// add locks a plugin as it is found, unless it is built in.
func (l *Locking) add(ctx context.Context, name string, opts launch.Options) error {
	d, err := launch.Describe(ctx, opts, name)
	if err != nil || d.Location.BuiltIn {
		return err
	}
	sum, err := d.Location.SHA256()
	if err != nil {
		return err
	}
	old, known := l.Lock.Programs[name]
	now := config.Locked{Version: d.Version, SHA256: map[string]string{System: sum}}
	for system, other := range old.SHA256 {
		switch {
		case system == System:
		case old.Version == now.Version:
			now.SHA256[system] = other
		default:
			l.Gone = append(l.Gone, name+" for "+system)
		}
	}
	if known && old.SHA256[System] != sum {
		l.Changed = append(l.Changed, name)
	}
	l.Locked = append(l.Locked, name)
	l.Lock.Programs[name] = now
	slices.Sort(l.Gone)
	return nil
}

func (l *Locking) addBinary(b Binary) error {
	p, ok := l.Lock.Programs[b.Plugin]
	if !ok {
		return fmt.Errorf("%s: want a plugin of the pipeline that is not built in, have %q", b.Path, b.Plugin)
	}
	if b.System == System && !slices.Contains(l.Locked, b.Plugin) {
		return fmt.Errorf("%s: want a program for another system, have one for this, which the lock has as it is found", b.Path)
	}
	sum, err := launch.FileSHA256(b.Path)
	if err != nil {
		return err
	}
	p.SHA256[b.System] = sum
	l.Gone = slices.DeleteFunc(l.Gone, func(gone string) bool { return gone == b.Plugin+" for "+b.System })
	return nil
}

// locked is the lock of a folder as launch wants it, nil when there is none.
func locked(dir string) (*launch.Lock, error) {
	lock, err := config.ReadLock(dir)
	if lock == nil || err != nil {
		return nil, err
	}
	now := &launch.Lock{Path: lock.Path, System: System, SHA256: map[string]string{}}
	for name, p := range lock.Programs {
		now.SHA256[name] = p.SHA256[System]
	}
	return now, nil
}

// A Listed is one plugin that the steps of a pipeline could name.
type Listed struct {
	Name    string `json:"name"`
	Doc     string `json:"doc,omitempty"`
	Path    string `json:"path,omitempty"` // of the executable; BuiltIn for a plugin of this program
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the executable, unless it is this program
	Pinned  bool   `json:"pinned,omitempty"` // a plugin block of the pipeline says which program it is
	Locked  bool   `json:"locked,omitempty"` // the lock has the program as it is
	Hides   string `json:"hides,omitempty"`  // an executable that is not used, since this plugin comes first
	Wrong   string `json:"wrong,omitempty"`  // why it cannot be used
}

// ListPlugins tells all plugins that the steps of a pipeline could name, sorted. The pipeline may be empty, as for Describe.
// Programs are started to ask what they are.
func ListPlugins(ctx context.Context, pipeline string, opts Options) ([]Listed, error) {
	opts = opts.WithDefaults()
	finder, err := opts.finder(pipeline)
	if err != nil {
		return nil, err
	}
	lo := opts.launch(finder.Dir, plan.CorpusLimit, plan.MinDepth)
	lo.Finder = finder
	names := finder.Names(&lo.BuiltIns)
	all := make([]Listed, len(names))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		g.Go(func() error {
			all[i] = list(ctx, name, lo)
			return context.Cause(ctx)
		})
	}
	return all, g.Wait()
}

func list(ctx context.Context, name string, opts launch.Options) Listed {
	pin := opts.Finder.Pins[name]
	l := Listed{Name: name, Pinned: pin.Path != "" || pin.SHA256 != ""}
	d, err := launch.Describe(ctx, opts, name)
	if err == nil {
		l.Doc, l.Path, l.Version, l.Hides = d.Doc, d.Location.Path, d.Version, d.Location.Hides
		if d.Location.BuiltIn {
			l.Path = receipt.BuiltIn
			return l
		}
		l.Locked = opts.Finder.Lock != nil
		l.SHA256, err = d.Location.SHA256()
	}
	if err != nil {
		l.Wrong, _, _ = strings.Cut(err.Error(), "\n")
	}
	return l
}

// Accept writes the lock beside its pipelines, all at once.
func (l *Locking) Accept() error {
	temp, err := os.CreateTemp(filepath.Dir(l.Lock.Path), config.LockFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // when it was not renamed
	_, err = temp.Write(l.Lock.Encode())
	if err := errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), l.Lock.Path)
}

package editor

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/sdk/wire"
)

// An Editor opens documents, and caches the declarations of plugins. Several goroutines may use it.
type Editor struct {
	opts host.Options

	mu    sync.Mutex
	known map[launch.Pin]map[string]*wire.Info        // by pin, and by folder and name; nil for a plugin that cannot be described
	pins  map[string]map[string]launch.Pin            // by path of the document, and by plugin
	sums  map[launch.Pin]map[string]*launch.Untrusted // of programs that need trust, by the keys of known; nil for none
}

// New returns an editor without documents.
func New(opts host.Options) *Editor {
	return &Editor{opts: opts.WithDefaults(), known: map[launch.Pin]map[string]*wire.Info{}, pins: map[string]map[string]launch.Pin{},
		sums: map[launch.Pin]map[string]*launch.Untrusted{}}
}

const describeTimeout = 3 * time.Second

// Forget drops the descriptions of plugins, which may have been built again since.
func (e *Editor) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.known)
	clear(e.sums)
}

// Read returns the document with a text, without plugins.
func (e *Editor) Read(path string, src []byte) *Document {
	known := catalogue{Plugin: func(string) (wire.Info, bool) { return wire.Info{}, false }, Barred: func(string) string { return "" }}
	return &Document{path, src, config.ReadOutline(src), known, config.Given{}}
}

// Open opens a document with the text of a file. A plugin that is not built in is started when its attributes are needed.
func (e *Editor) Open(ctx context.Context, path string, src []byte) *Document {
	given := e.opts.Given(path)
	given.Draft = true
	tree, _ := config.Parse(path, src, given)
	e.mu.Lock()
	if tree != nil {
		e.pins[path] = plan.Pins(tree) // a file with mistakes keeps its last ones
	}
	finder := plan.Unlocked(filepath.Dir(path))
	finder.Pins = maps.Clone(e.pins[path])
	e.mu.Unlock()
	opts := e.opts.Launch(finder)
	builtIns := opts.BuiltIns
	names := opts.Finder.Names(&builtIns)
	return &Document{path, src, config.ReadOutline(src), catalogue{
		Sources: plan.SourceKinds(), Sinks: plan.SinkKinds(), Vars: e.opts.Vars, Plugins: names,
		Plugin: func(name string) (wire.Info, bool) {
			if info, ok := builtIns.Plugin(name); ok && opts.Finder.Pins[name].Path == "" {
				return info, true
			}
			if !slices.Contains(names, name) {
				return wire.Info{}, false
			}
			return e.describe(ctx, opts, name)
		},
		Barred: func(name string) string {
			if !slices.Contains(names, name) {
				return ""
			}
			return e.barred(opts, name)
		},
	}, e.opts.Given(path)}
}

// barred returns the program of a plugin, if the user does not trust it. The program is hashed once.
func (e *Editor) barred(opts launch.Options, name string) string {
	if opts.Finder.Trusted == nil {
		return ""
	}
	pin, key := opts.Finder.Pins[name], opts.Finder.Dir+"\x00"+name
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sums[pin] == nil {
		e.sums[pin] = map[string]*launch.Untrusted{}
	}
	program, known := e.sums[pin][key]
	if !known {
		program = opts.Finder.Foreign(name, &opts.BuiltIns)
		e.sums[pin][key] = program
	}
	if program == nil || opts.Finder.Trusted(program.SHA256) {
		return ""
	}
	return program.Path
}

// describe asks a plugin for its declaration, once.
func (e *Editor) describe(outer context.Context, opts launch.Options, name string) (wire.Info, bool) {
	pin, key := opts.Finder.Pins[name], opts.Finder.Dir+"\x00"+name
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known[pin] == nil {
		e.known[pin] = map[string]*wire.Info{}
	}
	info, asked := e.known[pin][key]
	if !asked {
		ctx, stop := context.WithTimeout(outer, describeTimeout)
		defer stop()
		d, err := launch.Describe(ctx, opts, name)
		if err == nil {
			info = &d.Info
		}
		if outer.Err() == nil {
			e.known[pin][key] = info
		}
	}
	if info == nil {
		return wire.Info{}, false
	}
	return *info, true
}

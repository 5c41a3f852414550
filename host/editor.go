package host

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/editor"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/sdk"
)

// A Document is the text of a pipeline file that somebody writes.
type Document = editor.Document

// A Candidate is something that may stand at a point of a Document.
type Candidate = editor.Candidate

// A Span is a stretch of a Document, in bytes.
type Span = editor.Span

// A Symbol is a block of a Document.
type Symbol = editor.Symbol

// An Editor opens documents, and remembers what plugins have said of themselves. Several goroutines may use it.
type Editor struct {
	opts Options

	mu    sync.Mutex
	known map[launch.Pin]map[string]*Info // by the plugin's pin, and its name and folder; nil for what cannot be described
	pins  map[string]map[string]launch.Pin
}

// NewEditor makes an editor.
func NewEditor(opts Options) *Editor {
	return &Editor{opts: opts.WithDefaults(), known: map[launch.Pin]map[string]*Info{}, pins: map[string]map[string]launch.Pin{}}
}

// describing is how long an editor waits for a plugin that it starts.
const describing = 3 * time.Second

// Forget has plugins that are not built in asked anew, since they may have been built anew.
func (e *Editor) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.known)
}

// Read takes the text of a file whose plugins do not matter.
func (e *Editor) Read(path string, src []byte) *Document {
	return editor.Open(path, src, editor.Catalogue{Plugin: func(string) (Info, bool) { return Info{}, false }})
}

// Open takes the text of a file. A plugin that is not built in is started when the document needs to know what it takes.
func (e *Editor) Open(ctx context.Context, path string, src []byte) *Document {
	tree, _ := config.Parse(path, src, config.Given{Vars: e.opts.Vars, Env: e.opts.Env, Draft: true})
	e.mu.Lock()
	if tree != nil {
		e.pins[path] = plan.Pins(tree) // a file with mistakes keeps those that it had
	}
	opts := e.opts.launch(filepath.Dir(path), plan.CorpusLimit, plan.MinDepth)
	opts.Finder.Pins = maps.Clone(e.pins[path])
	e.mu.Unlock()
	builtIns := sdk.Host(e.opts.BuiltIns...)
	names := opts.Finder.Names(&builtIns)
	return editor.Open(path, src, editor.Catalogue{
		Sources: Sources(), Sinks: Sinks(), Vars: e.opts.Vars, Plugins: names,
		Plugin: func(name string) (Info, bool) {
			if info, ok := builtIns.Plugin(name); ok && opts.Finder.Pins[name].Path == "" {
				return info, true
			}
			if !slices.Contains(names, name) {
				return Info{}, false
			}
			return e.describe(ctx, opts, name)
		},
	})
}

// describe asks a plugin what it is, once.
func (e *Editor) describe(outer context.Context, opts launch.Options, name string) (Info, bool) {
	pin, key := opts.Finder.Pins[name], opts.Finder.Dir+"\x00"+name
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known[pin] == nil {
		e.known[pin] = map[string]*Info{}
	}
	info, asked := e.known[pin][key]
	if !asked {
		ctx, stop := context.WithTimeout(outer, describing)
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
		return Info{}, false
	}
	return *info, true
}

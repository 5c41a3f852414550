package registry

import (
	"context"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/receipt"
)

// Plugin describes a plugin that the steps of a pipeline can name.
type Plugin struct {
	Name    string `json:"name"`
	Doc     string `json:"doc,omitempty"`
	Path    string `json:"path,omitempty"` // of the executable; receipt.BuiltIn for a plugin of this program
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"`      // of the executable, unless it is this program
	Code    string `json:"code_sha256,omitempty"` // of what a plugin of this program is made of, with the SDK below it
	SDK     string `json:"sdk_sha256,omitempty"`
	Pinned  bool   `json:"pinned,omitempty"` // by a plugin block of the pipeline
	Locked  bool   `json:"locked,omitempty"` // the lock has this program
	Hides   string `json:"hides,omitempty"`  // an executable that this plugin takes precedence over
	Problem string `json:"wrong,omitempty"`  // why it cannot be used
}

// List returns all plugins that the steps of a pipeline can name, sorted. The pipeline may be empty, as for Describe. Programs
// are started to ask what they are.
func List(ctx context.Context, pipeline string, opts host.Options) ([]Plugin, error) {
	opts = opts.WithDefaults()
	f, err := finder(pipeline, opts)
	if err != nil {
		return nil, err
	}
	lo := opts.Launch(f)
	names := f.Names(&lo.BuiltIns)
	all := make([]Plugin, len(names))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		g.Go(func() error {
			all[i] = list(ctx, name, lo)
			if all[i].Path == receipt.BuiltIn && opts.Code != nil {
				all[i].Code, all[i].SDK = opts.Code(name)
			}
			return context.Cause(ctx)
		})
	}
	return all, g.Wait()
}

func list(ctx context.Context, name string, opts launch.Options) Plugin {
	pin := opts.Finder.Pins[name]
	l := Plugin{Name: name, Pinned: pin.Path != "" || pin.SHA256 != ""}
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
		l.Problem, _, _ = strings.Cut(err.Error(), "\n")
	}
	return l
}

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/receipt"
	"github.com/sluicehq/sluice/sdk"
)

// ServeArg is the argument with which a sluice binary starts itself again as the built-in plugin that follows.
const ServeArg = launch.ServeArg

// A Diagnostic is one mistake in a pipeline file.
type Diagnostic = config.Diagnostic

// Diagnostics are the mistakes of a pipeline file. Load and Check return them as an error.
type Diagnostics = config.Diagnostics

// A Receipt is the account of a run.
type Receipt = receipt.Receipt

// A Result is a receipt with the path it was written to, empty when it was not, what the steps of each first took, and
// what shadows found.
type Result struct {
	*Receipt
	Path        string       `json:"-"`
	Rankings    []Ranking    `json:"firsts,omitempty"`
	Comparisons []Comparison `json:"shadows,omitempty"`
}

// ReadReceipt reads a receipt that a run has written.
func ReadReceipt(path string) (*Receipt, error) { return receipt.Read(path) }

// Options say how a pipeline is read and run.
type Options struct {
	BuiltIns  []sdk.Plugin                // plugins of this program
	Version   string                      // of this program, for the receipt
	Vars      map[string]string           // variables of the pipeline
	Env       func(string) (string, bool) // os.LookupEnv when nil
	InProcess bool                        // run built-in plugins without processes
	Inline    bool                        // send records through messages instead of shared memory
	Receipt   string                      // path; empty: receipt.json in the run's folder
	NoReceipt bool                        // write none
	Stdin     io.Reader                   // for a source that reads "-"
	Stdout    io.Writer                   // for a sink that writes "-"
	Log       func(step, line string)     // what plugins write to stdout and stderr; may be called by any goroutine
	Progress  func(Progress)              // called about twice a second while a run goes on

	// MaskName gives the form in which the name of a file or the value of a variable is shown, in rows, receipts and
	// messages, since it may hold personal data. Nil shows it as it is.
	MaskName func(string) string

	// Facts gives what the receipt tells of a built-in plugin and its arguments, a JSON object. Nil tells nothing.
	Facts func(plugin string, args []byte) map[string]string
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	if o.MaskName == nil {
		o.MaskName = func(name string) string { return name }
	}
	return o
}

// Progress is how far a run is.
type Progress struct {
	Bytes, Total int64 // of the input files; Total is 0 when not known
	Records      int64
	Elapsed      time.Duration
}

// A Pipeline is a file that was read without a mistake. Its plugins have not been started.
type Pipeline struct {
	tree *config.Pipeline
	opts Options
}

// Load reads a pipeline file. The error is of type Diagnostics when the file has mistakes.
func Load(path string, opts Options) (*Pipeline, error) {
	opts = opts.withDefaults()
	tree, diags := config.Load(path, config.Input{Vars: opts.Vars, Env: opts.Env})
	if diags.HasErrors() {
		return nil, diags
	}
	return &Pipeline{tree: tree, opts: opts}, nil
}

// Check starts the plugins and lets them check their arguments. The error is of type Diagnostics when they find
// mistakes.
func (p *Pipeline) Check(ctx context.Context) error {
	plan, diags := p.plan()
	fleet, err := p.launch(ctx, plan, diags)
	if err != nil {
		return err
	}
	return fleet.Close()
}

// Run moves every record from the sources to the sinks. Outputs get their names when all is done and the account
// balances; otherwise nothing is left of them.
func (p *Pipeline) Run(ctx context.Context) (*Result, error) {
	began := time.Now()
	plan, diags := p.plan()
	defer plan.close()
	if len(diags) == 0 {
		if err := plan.open(p); err != nil {
			return nil, err
		}
	}
	fleet, err := p.launch(ctx, plan, diags)
	if err != nil {
		return nil, err
	}
	runErr := p.flow(ctx, plan, fleet)
	compared, err := plan.compare() // also of a run that failed: it may have failed for what they found
	if err := errors.Join(runErr, err, fleet.Close()); err != nil {
		return nil, err
	}
	r, err := plan.receipt(p, fleet, began)
	if err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("the account of the run does not balance: %w", err)
	}
	if r.Outputs, err = plan.commit(); err != nil {
		return nil, err
	}
	for i := range r.Outputs {
		r.Outputs[i].Path = p.opts.MaskName(r.Outputs[i].Path)
		r.Totals.BytesWritten += r.Outputs[i].Bytes
	}
	r.Finished = time.Now()
	result := &Result{Receipt: r, Rankings: plan.rankings(), Comparisons: compared}
	if err := writeRankings(result.Rankings); err != nil {
		return nil, err
	}
	if p.opts.NoReceipt {
		return result, nil
	}
	result.Path = cmp.Or(p.opts.Receipt, filepath.Join(plan.dir(), "receipt.json"))
	return result, r.Write(result.Path)
}

// launch starts the plugins of a plan. What they say of their arguments is told together with the mistakes that were
// found before.
func (p *Pipeline) launch(ctx context.Context, plan *plan, diags Diagnostics) (*launch.Fleet, error) {
	opts := p.opts.launch(p.tree.Dir, plan.recordLimit)
	opts.Finder.Pins = p.pins()
	fleet, problems, err := launch.Start(ctx, opts, plan.requests())
	diags = append(diags, p.diagnose(plan, problems)...)
	switch {
	case len(diags) > 0:
		if fleet != nil {
			err = fleet.Close()
		}
		diags.Sort()
		return nil, errors.Join(diags, err)
	case err != nil:
		return nil, err
	}
	return fleet, nil
}

// launch are the options for plugins that are looked for in a folder, and the largest record in bytes.
func (o Options) launch(dir string, recordLimit int) launch.Options {
	return launch.Options{
		Finder: launch.Finder{
			BuiltIns: o.BuiltIns, Dir: dir, Path: filepath.SplitList(os.Getenv("SLUICE_PLUGIN_PATH")),
		},
		InProcess:   o.InProcess,
		Inline:      o.Inline || runtime.GOOS == "windows",
		RecordLimit: recordLimit,
		Log:         o.Log,
	}
}

// flow runs a plan whose plugins run.
func (p *Pipeline) flow(ctx context.Context, plan *plan, fleet *launch.Fleet) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if p.opts.Progress != nil {
		go plan.report(ctx, p.opts.Progress)
	}
	return flow.Run(ctx, plan.wire(fleet, p.opts.MaskName))
}

// pins are the plugin blocks, as launch wants them.
func (p *Pipeline) pins() map[string]launch.Pin {
	pins := map[string]launch.Pin{}
	for name, pin := range p.tree.Plugins {
		if pin.Path != "" {
			pins[name] = launch.Pin{Path: pin.Path, SHA256: pin.SHA256}
		}
	}
	return pins
}

// diagnose makes problems of steps into diagnostics at their place in the file.
func (p *Pipeline) diagnose(plan *plan, problems []launch.Problem) Diagnostics {
	var diags Diagnostics
	for _, x := range problems {
		step := plan.steps[x.Request].config
		what := fmt.Sprintf("step %s.%s", step.Type, step.Name)
		if missing, ok := errors.AsType[*launch.NotFound](x.Cause); ok {
			d := p.tree.AtRange(step.Range, fmt.Sprintf("unknown plugin %q", missing.Name), "looked for "+list(missing.Looked))
			d.Suggestion = config.Nearest(missing.Name, missing.Known)
			diags = append(diags, d)
			continue
		}
		switch {
		case x.Attr == "":
			diags = append(diags, p.tree.AtRange(step.Range, what+" cannot start", x.Message))
		case x.Host:
			diags = append(diags, p.tree.AtRange(step.Range, what+": bad host attribute "+x.Attr, x.Message))
		default:
			diags = append(diags, p.tree.At(step.Args, x.Attr, what+": bad argument "+x.Attr, x.Message))
		}
	}
	return diags
}

func list(items []string) string {
	text := ""
	for i, s := range items {
		if i > 0 {
			text += ", "
		}
		text += s
	}
	return text
}

package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
)

// ServeArg is the argument with which a sluice binary starts itself again to serve its built-in plugins.
const ServeArg = launch.ServeArg

// A Diagnostic is one mistake in a pipeline file, or a warning about one.
type Diagnostic = config.Diagnostic

// Diagnostics are the mistakes and warnings of a pipeline file. Load, Check and Run return them as an error.
type Diagnostics = config.Diagnostics

// A Batch is what became of one batch in the hands of a worker.
type BatchSpan = flow.BatchSpan

// A BatchStep is what one step made of a batch.
type StepSpan = flow.StepSpan

// A StepFailure is an error with which a step ends a run.
type StepFailure = flow.StepFailure

// A Started process serves the steps of a chain.
type StartSpan = launch.StartSpan

// A Result is a receipt with the path it was written to as it may be shown, empty when it was not, and when a sink of the
// stream had taken the first records, zero when none did.
type Result struct {
	*receipt.Receipt
	Path        string    `json:"-"`
	Page        string    `json:"-"` // path of the page, as Path
	PageTrouble string    `json:"-"` // why there is none though there should be one
	FirstOut    time.Time `json:"-"`
}

// Options say how a pipeline is read and run.
type Options struct {
	BuiltIns  []sdk.Plugin                // plugins of this program
	Version   string                      // of this program, for the receipt
	Vars      map[string]string           // variables of the pipeline
	VarsFrom  string                      // what sets Vars, for messages; empty: --var
	Env       func(string) (string, bool) // os.LookupEnv when nil
	InProcess bool                        // run built-in plugins without processes
	Inline    bool                        // send records through messages instead of shared memory
	Poison    bool                        // have plugins overwrite each record once its call has returned, to find views that were kept
	Strict    bool                        // warnings are mistakes
	Receipt   string                      // path; empty: receipt.json in the run's folder
	NoReceipt bool                        // write none
	Stdin     io.Reader                   // for a source that reads "-"
	Stdout    io.Writer                   // for a sink that writes "-"
	Log       func(step, line string)     // what plugins write to stdout and stderr; may be called by any goroutine
	Progress  func(Progress)              // called about twice a second while a run goes on
	Batch     func(BatchSpan)             // told every batch that a worker of a step has had; may be called by any goroutine
	Started   func(StartSpan)             // told every process that has started; may be called by any goroutine

	// Limit takes only the first so many records of the inputs, and Sample so many of all, drawn by Seed and by where they
	// stand alone; it reads the inputs twice. At most one of them is above 0. The receipt and all outputs say that the run was
	// not whole.
	Limit, Sample int64
	Seed          uint64

	// Inputs are the files that the sources read instead of their paths, by the names of the sources. One that is not named
	// reads nothing. Nil leaves to each what the file says.
	Inputs map[string][]string
	// Root is a folder in which everything that the run writes lies instead, each file by its whole path; the receipt tells
	// them. Limits of rejects and of differences are not kept then. Empty leaves everything where the file says.
	Root string

	// MaskName gives the form in which the name of a file or the value of a variable is shown, in rows, receipts and
	// messages, since it may hold personal data. Nil shows it as it is.
	MaskName func(string) string

	// Page has a page about the run written beside its receipt. Nil has none.
	Page *Page

	// Facts gives what the receipt tells of a built-in plugin and its arguments, a JSON object. Nil tells nothing.
	Facts func(plugin string, args []byte) map[string]string
}

// WithDefaults returns the options with functions where Env, Log and MaskName are nil.
func (o Options) WithDefaults() Options {
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

// A Pipeline is a file that was read without a mistake. Its plugins have not been started.
type Pipeline struct {
	tree     *config.Pipeline
	opts     Options
	warnings Diagnostics
	secrets  *strings.Replacer
}

// Load reads a pipeline file. The error is of type Diagnostics when the file has mistakes.
func Load(path string, opts Options) (*Pipeline, error) {
	opts = opts.WithDefaults()
	tree, diags := config.Load(path, config.Given{Vars: opts.Vars, Flag: cmp.Or(opts.VarsFrom, "--var"), Env: opts.Env, Pathless: opts.Inputs != nil})
	if diags.HasErrors() || opts.Strict && len(diags) > 0 {
		return nil, diags
	}
	p := &Pipeline{tree: tree, opts: opts, warnings: diags, secrets: hiding(tree.Secrets())}
	mask := opts.MaskName
	p.opts.MaskName = func(name string) string { return mask(p.secrets.Replace(name)) }
	p.opts.Log = func(step, line string) { opts.Log(step, p.secrets.Replace(line)) }
	return p, nil
}

// Check starts the plugins and lets them check their arguments, and gives the warnings about the file. The error is of
// type Diagnostics when they find mistakes.
func (p *Pipeline) Check(ctx context.Context) (Diagnostics, error) {
	pl, diags := p.plan("check0000")
	fleet, warnings, err := p.start(ctx, pl, diags, true)
	if err == nil {
		err = fleet.Close(ctx)
	}
	return warnings, p.hide(errors.Join(err, pl.Abort()))
}

// Run moves every record from the sources to the sinks. Outputs get their names when all is done and the account
// balances; otherwise nothing is left of them, but for rejects and reports of a run that failed for what they hold, which
// stay beside their names as NAME.failed.EXT.
func (p *Pipeline) Run(ctx context.Context) (*Result, error) {
	r := &run{Pipeline: p, began: time.Now(), id: rand.Text(), portion: p.opts.portion()}
	var diags Diagnostics
	r.plan, diags = p.plan(r.id)
	result, err := r.do(ctx, diags)
	return result, p.hide(errors.Join(err, r.plan.Abort()))
}

func (p *Pipeline) plan(run string) (*plan.Plan, Diagnostics) {
	return plan.New(p.tree, plan.Options{
		Run: run, Receipt: p.opts.Receipt, NoReceipt: p.opts.NoReceipt,
		Stdin: p.opts.Stdin, Stdout: p.opts.Stdout, Mask: p.opts.MaskName, Text: p.secrets.Replace, Batch: p.opts.Batch,
		Inputs: p.opts.Inputs, Root: p.opts.Root, Partial: p.opts.portion() != nil, Page: p.opts.Page.plan(),
	})
}

// A run is one run of a pipeline.
type run struct {
	*Pipeline
	id       string
	began    time.Time
	plan     *plan.Plan
	fleet    *launch.Fleet
	portion  *portion    // nil: everything
	warnings Diagnostics // about the file
	sampler  sampler
}

func (r *run) do(ctx context.Context, diags Diagnostics) (_ *Result, err error) {
	if len(diags) == 0 {
		if err := r.plan.Open(ctx); err != nil {
			return nil, err
		}
	}
	if r.fleet, r.warnings, err = r.start(ctx, r.plan, diags, false); err != nil {
		return nil, err
	}
	defer r.fleet.Abort()
	if err := r.flow(ctx); err != nil {
		return nil, r.keep(err)
	}
	if err := r.fleet.Close(ctx); err != nil {
		return nil, err
	}
	return r.end()
}

// end makes the account of a run that went well, holds it to its sums, and gives the outputs their names.
func (r *run) end() (*Result, error) {
	account, err := r.account()
	if err != nil {
		return nil, err
	}
	if err := r.plan.WriteManifest(account.Manifest); err != nil {
		return nil, err
	}
	text, err := account.Encode()
	if err != nil {
		return nil, err
	}
	result := &Result{Receipt: account, Path: r.opts.MaskName(r.plan.ReceiptPath()), FirstOut: r.plan.Totals.FirstWritten()}
	bad := r.page(text)
	if err := r.plan.Commit(text); err != nil {
		return nil, err
	}
	r.reportPage(result, bad)
	return result, nil
}

// keep keeps what a run has found that failed for it.
func (r *run) keep(err error) error {
	if _, ok := errors.AsType[*flow.LimitError](err); !ok {
		return err
	}
	if _, _, more := r.plan.WriteReports(); more != nil {
		return errors.Join(err, more)
	}
	paths, more := r.plan.KeepFailed()
	if len(paths) > 0 {
		err = fmt.Errorf("%w; see %s", err, r.opts.MaskName(strings.Join(paths, " and ")))
	}
	return errors.Join(err, more)
}

// start starts the plugins of a plan, idle ones without memory for records. Their complaints about arguments are reported
// together with the mistakes that were found before.
func (p *Pipeline) start(ctx context.Context, pl *plan.Plan, diags Diagnostics, idle bool) (*launch.Fleet, Diagnostics, error) {
	finder, err := plan.Finder(p.tree.Dir)
	if err != nil {
		return nil, nil, err
	}
	finder.Pins = plan.Pins(p.tree)
	opts := p.opts.Launch(finder)
	opts.RecordLimit, opts.Depth, opts.Trace, opts.Idle = pl.RecordLimit, pl.Depth, pl.Traced(), idle
	fleet, problems, err := launch.Start(ctx, opts, pl.Requests())
	if err != nil {
		return nil, nil, err
	}
	diags = append(diags, p.diagnose(pl, problems)...)
	if fleet != nil {
		diags = append(diags, pl.CheckPlugins(fleet)...)
	}
	diags = append(diags, p.warnings...)
	diags.Sort()
	if diags.HasErrors() || p.opts.Strict && len(diags) > 0 {
		if fleet != nil {
			fleet.Abort()
		}
		return nil, nil, diags
	}
	return fleet, diags, nil
}

// Launch returns the options with which the packages below host start the plugins that f finds.
func (o Options) Launch(f launch.Finder) launch.Options {
	return launch.Options{
		Finder:      f,
		BuiltIns:    sdk.Host(o.BuiltIns...),
		InProcess:   o.InProcess,
		Inline:      o.Inline || runtime.GOOS == "windows",
		Poison:      o.Poison,
		RecordLimit: plan.CorpusLimit,
		Depth:       plan.MinDepth,
		Log:         o.Log,
		OnStart:     o.Started,
	}
}

// flow runs the plan, tells of its progress meanwhile, and notes it for the timeline.
func (r *run) flow(ctx context.Context) error {
	way := r.plan.Flow(r.fleet)
	if r.portion != nil {
		if err := r.portion.choose(ctx, r.plan.Sources, r.fleet.Source); err != nil {
			return err
		}
		r.portion.only(way.Sources)
	}
	telling, stop := context.WithCancel(ctx)
	var told sync.WaitGroup
	if r.opts.Progress != nil {
		told.Go(func() { r.progress(telling) })
	}
	if !r.opts.NoReceipt {
		told.Go(func() { r.sample(telling) })
	}
	err := flow.Run(ctx, way)
	stop()
	told.Wait()
	return err
}

// diagnose makes problems of steps into diagnostics at their place in the file.
func (p *Pipeline) diagnose(pl *plan.Plan, problems []launch.Problem) (diags Diagnostics) {
	for _, x := range problems {
		step := pl.Steps[x.Request].Step
		what := fmt.Sprintf("step %s.%s", step.Type, step.Name)
		if missing, ok := errors.AsType[*launch.NotFound](x.Cause); ok {
			d := p.tree.AtRange(step.Range, fmt.Sprintf("unknown plugin %q", missing.Name), "looked for "+strings.Join(missing.Searched, ", "))
			d.Suggestion = config.Nearest(missing.Name, missing.Known)
			diags = append(diags, d)
			continue
		}
		switch {
		case x.Attr == "":
			diags = append(diags, p.tree.AtRange(step.Range, what+" cannot start", x.Message))
		case x.Host:
			diags = append(diags, p.tree.AtHost(step, x.Attr, what+": bad host attribute "+x.Attr, x.Message))
		default:
			diags = append(diags, p.tree.At(step.Args, x.Attr, what+": bad argument "+x.Attr, x.Message).SeeDocs(p.docsOf(step.Type)))
		}
	}
	return diags
}

// docsOf returns the arguments with which the command docs finds a plugin as the file does.
func (p *Pipeline) docsOf(plugin string) string {
	if _, pinned := p.tree.Plugins[plugin]; pinned {
		return plugin + " --pipeline " + p.tree.Path
	}
	return plugin
}

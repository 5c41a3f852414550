package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/subset"
	"github.com/sluicehq/sluice/host/receipt"
)

// ServeArg is the argument with which a sluice binary starts itself again to serve its built-in plugins.
const ServeArg = launch.ServeArg

// Diagnostic is one mistake in a pipeline file, or a warning about one.
type Diagnostic = config.Diagnostic

// Diagnostics are the mistakes and warnings of a pipeline file. Load, Check and Run return them as an error.
type Diagnostics = config.Diagnostics

// BatchSpan says what a worker did with one batch, and when.
type BatchSpan = flow.BatchSpan

// StepSpan says what one step did with a batch.
type StepSpan = flow.StepSpan

// StepFailure is an error with which a step ends a run.
type StepFailure = flow.StepFailure

// StartSpan says when a process of a chain started.
type StartSpan = launch.StartSpan

// Origin says which record a row comes from: file and line, record of the line, row of the record, and all records of a row that was made
// of several.
type Origin = output.Origin

// OriginReader reads the origins of an output's rows.
type OriginReader = output.OriginReader

// OpenOrigins opens the origins of an output's rows. The error is ErrNoOrigins when no run has noted them.
func OpenOrigins(path string) (*OriginReader, error) { return output.OpenOrigins(path) }

// ErrNoOrigins is the error for an output whose origins no run has noted.
var ErrNoOrigins = output.ErrNoOrigins

// Result holds a run's receipt and the paths of what was written about the run, which are masked as MaskName does.
type Result struct {
	*receipt.Receipt
	Path      string    `json:"-"` // of the receipt; empty when none was written
	Page      string    `json:"-"` // path; empty when none was written
	PageError string    `json:"-"` // why there is no page though there should be one
	StateLeft string    `json:"-"` // what the run has left beside its outputs, and why; empty when nothing
	FirstOut  time.Time `json:"-"` // when the first records reached a sink of the stream; zero when none did
	Progress  Progress  `json:"-"` // at the end; its zero value when the run only gave files their names
}

// Pipeline is a pipeline file without mistakes. Its plugins have not been started.
type Pipeline struct {
	tree     *config.Pipeline
	opts     Options
	warnings Diagnostics // and mistakes that Load has returned
	secrets  *strings.Replacer
}

// Load reads a pipeline file. The error is of type Diagnostics when the file has mistakes. Unless its syntax is wrong, the pipeline comes
// with them: Check and Run then return these mistakes and those that the plugins find, and nothing is run.
func Load(path string, opts Options) (*Pipeline, error) {
	return load(path, opts, func(given config.Given) (*config.Pipeline, Diagnostics) { return config.LoadMistaken(path, given) })
}

// Parse does what Load does, with src as the text of the file at path.
func Parse(path string, src []byte, opts Options) (*Pipeline, error) {
	return load(path, opts, func(given config.Given) (*config.Pipeline, Diagnostics) {
		return config.ParseMistaken(path, src, given)
	})
}

func load(path string, opts Options, read func(config.Given) (*config.Pipeline, Diagnostics)) (*Pipeline, error) {
	opts = opts.WithDefaults()
	given := opts.Given(path)
	given.Flag, given.Pathless, given.Steps = cmp.Or(opts.VarsFrom, "--var"), opts.Inputs != nil, opts.Steps
	tree, diags := read(given)
	if tree == nil {
		return nil, diags
	}
	secrets := append(tree.Secrets(), inputSecrets(tree, opts)...)
	p := &Pipeline{tree: tree, opts: opts, warnings: diags, secrets: hiding(secrets)}
	if len(secrets) > 0 {
		inNames := hiding(slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < leastInName }))
		p.opts.MaskName = func(name string) string { return opts.MaskName(inNames.Replace(name)) }
		p.opts.hide = p.secrets.Replace
	}
	if diags.HasErrors() || opts.Strict && len(diags) > 0 {
		return p, diags
	}
	return p, nil
}

// PipelineSHA256 returns the hash of a pipeline file and what it includes, as receipts have it.
func PipelineSHA256(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	layout, diags := config.LoadLayout(path)
	if diags.HasErrors() {
		return "", diags
	}
	return layout.SHA256, nil
}

// Check starts the plugins, which check their attributes, and returns the warnings about the file. The error is of type Diagnostics
// when they find mistakes.
func (p *Pipeline) Check(ctx context.Context) (Diagnostics, error) {
	pl, diags := p.plan("check0000")
	fleet, warnings, err := p.start(ctx, pl, diags, true)
	if err == nil {
		err = fleet.Close(ctx)
	}
	return warnings, p.hide(errors.Join(err, pl.Abort()))
}

// Run moves every record from the sources to the sinks. Outputs get their names when everything is written and the account
// balances. Otherwise they are removed, except for the rejects and reports of a run that failed because of what they hold: these
// are kept as NAME.failed.EXT, and so is a receipt that says how far the run came and why it ended. With checkpoints, a run that ends
// for any other reason keeps what it has done: the error is a *Resumable then.
func (p *Pipeline) Run(ctx context.Context) (*Result, error) {
	r := p.newRun(subset.New(p.opts.Limit, p.opts.Sample, p.opts.Seed))
	var diags Diagnostics
	r.plan, diags = p.plan(r.id)
	result, err := r.do(ctx, diags)
	return result, p.hide(r.leave(ctx, err))
}

func (p *Pipeline) plan(run string) (*plan.Plan, Diagnostics) {
	return plan.New(p.tree, p.planOptions(run))
}

func (p *Pipeline) planOptions(run string) plan.Options {
	programs := p.opts.Programs
	if p.isTrusted() {
		programs = nil
	}
	return plan.Options{
		Barred: programs,
		Run:    run, Receipt: p.opts.Receipt, NoReceipt: p.opts.NoReceipt,
		Replace: p.opts.Replace,
		Stdin:   p.opts.Stdin, Stdout: p.opts.Stdout, Mask: p.opts.MaskName, Text: p.secrets.Replace, Batch: p.opts.Batch,
		Inputs: p.opts.Inputs, Root: p.opts.Root, Part: p.opts.Part, Stored: p.opts.Store != nil,
		Programs: p.opts.Programs, Drawn: p.opts.Drawn, Training: p.opts.Training, Facts: p.opts.Facts,
		Partial: p.opts.Limit+p.opts.Sample != 0, Page: p.opts.Page.plan(),
	}
}

// A run is one run of a pipeline: what it has from its start, and what it learns on the way to its receipt.
type run struct {
	*Pipeline
	id       string
	started  time.Time
	began    time.Time // as if the run had never been interrupted
	plan     *plan.Plan
	fleet    *launch.Fleet
	subset   *subset.Subset // nil: everything
	warnings Diagnostics    // about the file
	sampler  sampler
	flowed   bool          // records have begun to flow
	kept     []output.File // of rejects and differences, of a run that failed because of them
	store    *runStore     // nil: there is no store

	interrupted *output.Interrupted    // the run that this one goes on with; nil: none
	from        *state                 // of its last checkpoint; nil: none
	durable     int64                  // records that had been read by the last checkpoint
	unkept      error                  // why there are no checkpoints; nil: there are, or none were asked for
	named       []fact                 // files that the plugins have read
	tables      map[string]output.File // one with each sink's columns of Parquet, where there is something to say of them
}

// newRun returns a run of the pipeline that begins now, of all records when of is nil. It has no plan yet.
func (p *Pipeline) newRun(of *subset.Subset) *run {
	now := time.Now()
	return &run{Pipeline: p, started: now, began: now, id: rand.Text(), subset: of}
}

func (r *run) do(ctx context.Context, diags Diagnostics) (_ *Result, err error) {
	if len(diags) == 0 && !r.tree.Mistaken {
		if err := r.findInterrupted(); err != nil {
			return nil, err
		}
	}
	switch i := r.interrupted; {
	case i == nil:
		err = r.begin(ctx, diags)
	case i.Committing:
		return r.complete(ctx)
	default:
		err = r.beginAgain(ctx, diags)
	}
	if err != nil {
		return nil, err
	}
	defer r.fleet.Abort()
	if r.interrupted == nil {
		if err := r.mayReplace(); err != nil {
			return nil, err
		}
		if err := r.plan.Set.Discard(); err != nil {
			return nil, err
		}
	}
	if err := r.flow(ctx); err != nil {
		return nil, r.keepFailed(err)
	}
	if err := r.fleet.Close(ctx); err != nil {
		return nil, err
	}
	return r.end()
}

// begin opens the plan, unless it has mistakes, and starts its plugins.
func (r *run) begin(ctx context.Context, diags Diagnostics) (err error) {
	if err := r.mayStart(); err != nil {
		return err
	}
	if len(diags) == 0 && !r.tree.Mistaken {
		if err := r.plan.Open(ctx); err != nil {
			return err
		}
	}
	r.fleet, r.warnings, err = r.start(ctx, r.plan, diags, false)
	return err
}

// end makes and checks the account of a run without errors, and renames the outputs.
func (r *run) end() (*Result, error) {
	account, err := r.account()
	if err != nil {
		return nil, err
	}
	if err := r.plan.WriteManifest(account.Manifest); err != nil {
		return nil, err
	}
	for _, x := range r.plan.Reports {
		x.Path = r.opts.MaskName(x.Path)
		account.Reports = append(account.Reports, x)
	}
	account.Before = r.before(account)
	text, err := account.Encode()
	if err != nil {
		return nil, err
	}
	result := &Result{Receipt: account, Path: r.opts.MaskName(r.plan.ReceiptPath()), FirstOut: r.plan.Totals.FirstWritten(), Progress: r.progress()}
	bad := r.page(text)
	if err := r.plan.Commit(text); err != nil {
		return nil, err
	}
	r.reportPage(result, bad)
	r.reportState(result)
	return result, nil
}

// keepFailed keeps the rejects and reports of a run that failed because of them.
func (r *run) keepFailed(err error) error {
	if _, ok := errors.AsType[*flow.LimitError](err); !ok {
		return err
	}
	if _, _, more := r.plan.WriteReports(); more != nil {
		return errors.Join(err, more)
	}
	kept, more := r.plan.Set.KeepFailed()
	var paths []string
	for _, f := range kept {
		paths = append(paths, f.Path)
	}
	if r.kept = kept; len(paths) > 0 {
		err = fmt.Errorf("%w; see %s", err, r.opts.MaskName(strings.Join(paths, " and ")))
	}
	return errors.Join(err, more)
}

// start starts the plugins of a plan, idle ones without memory for records, and adds their complaints to diags.
func (p *Pipeline) start(ctx context.Context, pl *plan.Plan, diags Diagnostics, idle bool) (*launch.Fleet, Diagnostics, error) {
	finder, err := plan.Finder(p.tree.Dir)
	if err != nil {
		return nil, nil, err
	}
	finder.Pins = plan.Pins(p.tree)
	opts := p.opts.Launch(finder)
	opts.RecordLimit, opts.Depth, opts.Trace, opts.Idle = pl.RecordLimit, pl.Depth, pl.Traced() || p.opts.Poison, idle || p.tree.Mistaken
	fleet, problems, err := launch.Start(ctx, opts, pl.Requests())
	if err != nil {
		return nil, nil, err
	}
	diags = append(diags, p.diagnose(pl, fleet, problems)...)
	diags = append(diags, p.unchecked(pl, problems)...)
	found := pl.CheckPlugins(fleet)
	if idle {
		found = append(found, pl.CheckInputs()...)
	}
	if diags.HasErrors() || p.tree.Mistaken {
		found = found.Errors() // what has no effect may have one without the mistakes
	}
	diags = append(diags, found...).WithoutFollowing()
	diags = append(diags, p.warnings...)
	diags.Sort()
	if diags.HasErrors() || p.opts.Strict && len(diags) > 0 {
		fleet.Abort()
		return nil, nil, diags
	}
	return fleet, diags, nil
}

// flow runs the plan, and meanwhile reports the progress and samples the timeline.
func (r *run) flow(ctx context.Context) (err error) {
	p := r.plan.Flow(r.fleet)
	if r.subset != nil {
		if err := r.subset.Draw(ctx, r.plan.Sources, r.fleet.Source); err != nil {
			return err
		}
		r.subset.Filter(p.Sources)
	}
	if err := r.prepareCheckpoints(ctx, &p); err != nil {
		return err
	}
	if r.opts.Store != nil {
		if r.store, err = r.openStore(ctx); err != nil {
			return err
		}
		defer r.store.close()
		p.Store = r.store
	}
	if r.plan.Part != nil {
		if err := r.notePart(); err != nil {
			return err
		}
	}
	_ = r.plan.Set.RemoveFailed() // what cannot go yet goes with the commit, or is older than what this run leaves
	r.flowed = true
	ctx, end := r.untilLastCheckpoint(ctx, &p)
	defer end()
	watching, stop := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	if r.opts.Progress != nil {
		p.Begins = func() {
			r.opts.Progress(r.progress()) // now, so that what is counted later is over the time since then
			watchers.Go(func() { r.reportProgress(watching) })
		}
	}
	if !r.opts.NoReceipt {
		watchers.Go(func() { r.sample(watching) })
	}
	err = flow.Run(ctx, p)
	stop()
	watchers.Wait()
	if r.opts.Ended != nil {
		r.opts.Ended(r.progress())
	}
	if r.store != nil {
		r.store.tell(ctx, err != nil)
	}
	return err
}

// Package plan makes the tree of a pipeline into what source, output, launch and flow need, and holds every check that
// needs the whole file: which paths would be written twice, and which outputs and labels nothing writes.
package plan

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// Options are what a plan needs besides the file.
type Options struct {
	Run       string // id of the run
	Receipt   string // path; empty: receipt.json in the folder of the run
	NoReceipt bool
	Replace   bool // files of other runs may be replaced, see output.Options
	Stdin     io.Reader
	Stdout    io.Writer
	Mask      func(string) string          // the form in which the name of a file is shown
	Text      func(string) string          // the form in which any other text of the file is shown; nil: as it is
	Inputs    map[string][]string          // files to read, by the name of the source; nil: those of the file; a source without any reads nothing
	Root      string                       // folder that everything the run writes lies in; then it has no limits of rejects and differences
	Trace     *Trace                       // nil: none
	Batch     func(flow.BatchSpan)         // gets every batch of a worker of a step; may be nil
	Page      *Page                        // nil: none is written
	Stream    bool                         // sources read JSON lines and all sinks write to Stdout; nothing is prepared, and limits hold whatever Root is
	Part      *receipt.Part                // that the run is; nil: it is whole
	Stored    bool                         // the run stores what it makes of each file, see Source.NextFile
	Programs  map[string][]string          // attributes of built-in plugins, by name, that name programs
	Drawn     map[string]map[string]string // values of attributes of built-in plugins, by name, for which each run draws something
	Partial   bool                         // the run does not read all of its inputs, which its reports mention
	Training  []string                     // built-in plugins that only text for training goes through
	Barred    map[string][]string          // attributes of built-in plugins, by name, that name programs which must not be started

	Facts func(plugin string, args []byte) map[string]string // what a receipt says about a built-in plugin and its attributes; nil: nothing
}

// A Plan is what one run of a file needs: its steps, sources and sinks, in the order of the file. New makes it, Open
// opens what it reads and writes, CheckPlugins checks it against its plugins, and Flow makes it run.
type Plan struct {
	Steps       []*Step
	Sources     []*Source
	Sinks       []*Sink
	Shadows     []*Shadow
	Firsts      []*config.First
	Keeps       []*Step // at the top level, that say keep, in the order of the file
	Totals      flow.Totals
	Set         *output.Set          // all that the run writes
	Page        *output.Report       // nil when there is none
	Part        *receipt.PartAccount // of an open plan; nil when the run is whole
	NoPage      string               // why there is no page though the run has a place for it
	Reports     []receipt.Report     // that were written, the manifest among them
	RecordLimit int                  // bytes of the largest record of any source
	Depth       int                  // deepest nesting of what plugins emit

	tree         *config.Pipeline
	opts         Options
	deadLetter   *Sink
	limit        limit.Limit
	firstReports map[*config.First]*output.Report
	manifest     *output.Report // nil when there is none
	receipt      *output.Report
	timeline     *output.Report // nil when there is none
	steps        map[*config.Step]*Step
	sinks        map[*config.Sink]*Sink
	shadows      map[*config.Shadow]*Shadow
	inOrder      []*config.Route               // of the file
	routes       map[*config.Route]*flow.Route // of a plan that runs, as the next
	tees         map[*config.Tee]*flow.Tee
	listed       map[*config.Route]bool // routes on a label of which plugins list the values
	trains       bool                   // the file makes text for training
}

// A Step is a step of the file with its account. The members of a first ask for the same number of workers.
type Step struct {
	*config.Step
	Deprecated string // why it should go, as it may be shown
	Workers    int    // 0: as launch.Request has it
	Follows    bool   // it gets its records from the step before it
	Or         bool   // it gets what the step before it declines, unless a shadow is among them
	Alone      bool   // no other step runs in its process
	Ranked     bool   // in a first
	Candidate  bool   // of a shadow
	Account    flow.Account

	after   []string // steps that all its records went through
	private bool     // its plugin hides what it rejects, see CheckPlugins
}

// Label returns TYPE.NAME.
func (step *Step) Label() string { return step.Type + "." + step.Name }

// MinDepth is how deep a plugin may nest what it emits, whatever the sources allow.
const MinDepth = 10_000

// New collects what the file names and checks it. With errors among the diagnostics the plan serves only to find more of them
// in CheckPlugins; the caller aborts it in any case.
func New(tree *config.Pipeline, opts Options) (*Plan, config.Diagnostics) {
	if opts.Text == nil {
		opts.Text = func(text string) string { return text }
	}
	p := &Plan{
		tree: tree, opts: opts, Depth: MinDepth,
		Set:          output.New(output.Options{Run: opts.Run, Stdout: opts.Stdout, Origins: !opts.NoReceipt, Hash: tree.Hash, Root: opts.Root, Part: partName(opts.Part), Listed: receipt.Listed, Shown: opts.Mask, Replace: opts.Replace}),
		firstReports: map[*config.First]*output.Report{},
		steps:        map[*config.Step]*Step{}, sinks: map[*config.Sink]*Sink{}, shadows: map[*config.Shadow]*Shadow{},
		routes: map[*config.Route]*flow.Route{}, tees: map[*config.Tee]*flow.Tee{}, listed: map[*config.Route]bool{},
	}
	p.Set.Messages(output.Claim{What: "standard error", Path: "standard error", Tag: p.nowhere()}, os.Stderr)
	var diags config.Diagnostics
	for _, c := range tree.Sources {
		diags = append(diags, p.addSource(c)...)
	}
	diags = append(diags, p.collect(tree.Body, nil)...)
	diags = append(diags, p.placeKeeps()...)
	diags = append(diags, p.addDeadLetter()...)
	diags = append(diags, p.claim()...)
	return p, diags
}

// collect adds the steps and sinks of a sequence of nodes that comes after some steps.
func (p *Plan) collect(nodes []config.Node, after []string) (diags config.Diagnostics) {
	after = slices.Clip(after)
	follows := false // the next node gets its records from a step
	for _, n := range nodes {
		before := follows
		follows = false
		switch n := n.(type) {
		case *config.Step:
			diags = append(diags, p.addStep(n, n.Host.Workers, after)...)
			p.steps[n].Follows, follows = before, !p.keeps(n)
			after = append(after, p.steps[n].Label())
		case *config.First:
			p.Firsts = append(p.Firsts, n)
			workers := 0
			for _, m := range n.Members {
				workers = max(workers, memberWorkers(m))
			}
			for _, m := range n.Members {
				diags = append(diags, p.addMember(m, workers, after)...)
			}
			follows = p.rank(n, before)
		case *config.Shadow:
			diags = append(diags, p.addMember(n, memberWorkers(n), after)...)
			after = append(after, p.steps[n.Current].Label())
		case *config.Route:
			p.inOrder = append(p.inOrder, n)
			for _, c := range n.Cases {
				diags = append(diags, p.collect(c.Body, after)...)
			}
			diags = append(diags, p.collect(n.Default, after)...)
		case *config.Tee:
			diags = append(diags, p.collect(n.Body, after)...)
		case *config.Sink:
			diags = append(diags, p.newSink(n, &Sink{After: after}, output.Claim{})...)
		default:
			panic(fmt.Sprintf("plan: no case for a node of type %T", n))
		}
	}
	return diags
}

// rank sets how the members of a first follow each other, and reports whether a step behind it follows. One that holds a shadow
// is no part of a chain.
func (p *Plan) rank(f *config.First, follows bool) bool {
	for _, m := range f.Members {
		if _, ok := m.(*config.Shadow); ok {
			return false
		}
	}
	for i, m := range f.Members {
		step := p.steps[m.(*config.Step)]
		step.Follows, step.Or = i == 0 && follows, i > 0
	}
	return len(f.Members) > 0
}

func memberWorkers(n config.Node) int {
	if s, ok := n.(*config.Shadow); ok {
		return max(s.Current.Host.Workers, s.Candidate.Host.Workers)
	}
	return n.(*config.Step).Host.Workers
}

// addMember adds a member of a first, a step or a shadow, that comes after some steps.
func (p *Plan) addMember(n config.Node, workers int, after []string) (diags config.Diagnostics) {
	switch n := n.(type) {
	case *config.Step:
		diags = p.addStep(n, workers, after)
		p.steps[n].Ranked = true
	case *config.Shadow:
		diags = append(p.addStep(n.Current, workers, after), p.addStep(n.Candidate, workers, after)...)
		for _, o := range n.Candidate.Outputs {
			diags = append(diags, p.tree.AtRange(o.Range, fmt.Sprintf("output %q in the candidate of shadow %q", o.Name, n.Name),
				"want it in the current step: its rows are written, and those of the candidate are only compared with them"))
		}
		p.steps[n.Candidate].Candidate = true
		p.steps[n.Current].Alone, p.steps[n.Candidate].Alone = true, true
		p.steps[n.Current].Ranked = true
		p.shadows[n] = &Shadow{Shadow: n}
		p.Shadows = append(p.Shadows, p.shadows[n])
		if n.Sink != nil {
			diags = append(diags, p.addSide(n.Sink, "shadow "+n.Name, p.steps[n.Current], p.steps[n.Candidate])...)
		}
	}
	return diags
}

func (p *Plan) addStep(c *config.Step, workers int, after []string) (diags config.Diagnostics) {
	h := c.Host
	step := &Step{Step: c, Deprecated: p.opts.Text(c.Deprecated), Workers: workers, after: after}
	step.Alone = h.Process == config.ProcessOwn || h.Wrote("timeout") || h.Wrote("memory")
	p.Steps = append(p.Steps, step)
	p.steps[c] = step
	for _, o := range c.Outputs {
		diags = append(diags, p.addSide(o.Sink, step.Label()+"/"+o.Name, step)...)
	}
	return diags
}

// dir returns the run's folder: that of the last file sink at the top of the file, or of the last file sink.
func (p *Plan) dir() string {
	var paths []string
	for _, sink := range p.Sinks {
		paths = append(paths, sink.path)
	}
	for _, n := range p.tree.Body {
		if c, ok := n.(*config.Sink); ok && p.sinks[c] != nil {
			paths = append(paths, p.sinks[c].path)
		}
	}
	return dirOf(paths)
}

// dirOf returns the folder of the last path that is a file's.
func dirOf(paths []string) string {
	dir := "."
	for _, path := range paths {
		if path != "" && !output.IsStream(path) {
			dir = places.Dir(path)
		}
	}
	for strings.Contains(dir, "{") {
		dir = places.Dir(dir)
	}
	return dir
}

// Unlocked returns a finder for the plugins of the pipelines in a folder that ignores the lock. An active virtual environment of Python
// holds programs too: the console scripts of the packages that are installed there.
func Unlocked(dir string) launch.Finder {
	path := filepath.SplitList(os.Getenv("SLUICE_PLUGIN_PATH"))
	if venv := os.Getenv("VIRTUAL_ENV"); venv != "" {
		scripts := "bin"
		if runtime.GOOS == "windows" {
			scripts = "Scripts"
		}
		path = append(path, filepath.Join(venv, scripts))
	}
	return launch.Finder{Dir: dir, Path: path}
}

// Finder returns a finder for the plugins of the pipelines in a folder that finds only programs that its lock allows, if it has
// one.
func Finder(dir string) (launch.Finder, error) {
	f := Unlocked(dir)
	lock, err := config.ReadLock(dir)
	if lock == nil || err != nil {
		return f, err
	}
	f.Lock = &launch.Lock{Path: lock.Path, System: config.System, SHA256: map[string]string{}}
	for name, p := range lock.Programs {
		f.Lock.SHA256[name] = p.SHA256[config.System]
	}
	return f, nil
}

// Package pipetest runs the tests next to a pipeline, NAME.test.hcl next to NAME.hcl: it runs the pipeline on the records of each
// test, compares what comes out with what the test expects, and counts what of the pipeline the tests have exercised.
package pipetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Ending is how the name of a file of tests ends.
const Ending = config.TestEnding

// Suite holds the tests of one pipeline.
type Suite struct {
	Path     string // of the file of tests
	Pipeline string // its path

	file  *config.TestFile
	opts  host.Options
	takes map[string][]wire.Arg // the attributes of each plugin that a run had
	given map[string][][]byte   // the attributes of each step in runs, by TYPE.NAME
}

// Result is the outcome of one test.
type Result struct {
	Name     string    `json:"name"`
	Line     int       `json:"line"` // of the file of tests
	Seconds  float64   `json:"seconds"`
	Failures []Failure `json:"failures,omitempty"`
	Log      []string  `json:"said,omitempty"` // lines that plugins printed
}

// Failure is one thing that is not as a test expects.
type Failure struct {
	Line    int      `json:"line"` // of the file of tests: the expectation, the expected row, or the row that was rejected
	Message string   `json:"message"`
	Where   string   `json:"where,omitempty"` // the step or sink, as in "sink jsonl.train"
	Place   string   `json:"place,omitempty"` // FILE:LINE of the pipeline
	Diff    []Change `json:"diff,omitempty"`
}

// Report holds the results of the tests of one file, and what of the pipeline they have exercised.
type Report struct {
	Tests    []Result // in the order of the file
	Coverage Coverage
	Text     []byte // of the file with other rows, when rows are to be updated and some differ; else nil
}

// Options say which tests run, and how.
type Options struct {
	Match  func(name string) bool // nil: all
	Update bool                   // rows and counts of sinks go into Text instead of failing the test
	// Rules returns the names of the counts that show which rules of a built-in plugin have applied, for its attributes, a JSON
	// object.
	Rules func(plugin string, args []byte) []string
}

// Load reads a file of tests and the blocks of its pipeline. The error is of type host.Diagnostics when either has mistakes. The
// tests set Vars, Inputs and Root of opts themselves.
func Load(path string, opts host.Options) (*Suite, error) {
	opts = opts.WithDefaults()
	file, diags := config.LoadTests(path, config.Given{Env: opts.Env, Ending: source.Ending, Join: source.Join})
	if diags.HasErrors() {
		return nil, diags
	}
	return &Suite{Path: path, Pipeline: file.Layout.Path, file: file, opts: opts, takes: map[string][]wire.Arg{}, given: map[string][][]byte{}}, nil
}

// minGroup is how many tests without state share processes at least: starting one takes longer than most tests.
const minGroup = 4

// Run runs the tests concurrently, each by itself. The error is of type host.Diagnostics when the pipeline has mistakes with the
// variables of some test.
func (s *Suite) Run(ctx context.Context, how Options) (_ *Report, err error) {
	dir, err := os.MkdirTemp("", "sluice-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := s.runner(how, dir)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, group := range r.groups() {
		g.Go(func() error { return r.runGroup(ctx, group) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	text, err := r.rewrite()
	if err != nil {
		return nil, err
	}
	done := &Report{Tests: []Result{}, Coverage: r.cover.coverage(), Text: text}
	for _, result := range r.results {
		if result != nil {
			done.Tests = append(done.Tests, *result)
		}
	}
	return done, nil
}

// rewrite returns the text of the file with what was found, nil when nothing of that can be written. A test whose rows cannot be written fails.
func (r *runner) rewrite() ([]byte, error) {
	if len(r.found) == 0 {
		return nil, nil
	}
	text, left, err := r.file.Rewrite(r.found)
	if err != nil {
		return nil, err
	}
	for _, x := range left {
		e, result := &r.file.Tests[x.Test].Expects[x.Expect], r.results[x.Test]
		result.Failures = append(result.Failures, failure(e, e.RangeOf("rows").Line, x.Why))
	}
	if len(left) == len(r.found) {
		return nil, nil
	}
	return text, nil
}

func (s *Suite) runner(how Options, dir string) *runner {
	r := &runner{Suite: s, how: how, dir: dir, results: make([]*Result, len(s.file.Tests)), found: map[[2]int]config.Found{}}
	r.cover = newCounter(s.file)
	return r
}

type runner struct {
	*Suite
	how    Options
	dir    string         // for the files that the tests read and write
	mutant *config.Mutant // runs instead of the pipeline, until a test fails; nil: the pipeline

	results []*Result // nil for a test that was not selected

	mu    sync.Mutex // for what follows
	cover *counter
	found map[[2]int]config.Found // by the indexes of test and expectation
}

// groups divides the selected tests, by their indexes, into groups that run in the same processes, with the same variables.
func (r *runner) groups() [][]int {
	alike := map[string][]int{}
	var order []string
	for i, test := range r.file.Tests {
		if r.how.Match != nil && !r.how.Match(test.Name) {
			continue
		}
		key := fmt.Sprintf("%q %s", test.Vars, mocksKey(test.Mocks)) // sorted
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], i)
	}
	var all [][]int
	for _, key := range order {
		n := len(alike[key])
		size := max(minGroup, (n+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
		all = slices.AppendSeq(all, slices.Chunk(alike[key], size))
	}
	return all
}

// runGroup runs tests with the same variables, one after the other.
func (r *runner) runGroup(ctx context.Context, group []int) error {
	log, first, opts := &logLines{}, r.file.Tests[group[0]], r.opts
	opts.Vars, opts.Env, opts.Inputs, opts.Log, opts.MaskName = first.Vars, r.env, map[string][]string{}, log.add, r.maskName
	opts.VarsFrom = fmt.Sprintf("variables of test %q:", first.Name)
	p, err := r.load(opts, first.Mocks)
	if p == nil {
		return err
	}
	session := p.Session()
	var result *Result
	defer func() {
		if err := session.Close(context.WithoutCancel(ctx)); err != nil {
			result.Failures = append(result.Failures, Failure{Line: result.Line, Message: "after it and those before it: " + err.Error()})
		}
		result.Log = append(result.Log, log.drain()...) // lines that come late
	}()
	for _, i := range group {
		result = &Result{Name: r.file.Tests[i].Name, Line: r.file.Tests[i].Range.Line}
		began := time.Now()
		if err := r.runOne(ctx, session, i, result); err != nil {
			return err
		}
		result.Seconds, result.Log = time.Since(began).Seconds(), log.drain()
		r.results[i] = result
		if r.mutant != nil && len(result.Failures) > 0 {
			break
		}
	}
	return nil
}

// load reads the pipeline, or the mutant of it, with mocks. Built-in plugins of a mutant need no start when there are no others.
func (r *runner) load(opts host.Options, mocks []config.Mock) (*host.Pipeline, error) {
	if r.mutant == nil && len(mocks) == 0 {
		return host.Load(r.Pipeline, opts)
	}
	var src []byte
	switch {
	case r.mutant != nil && r.mutant.File == "":
		src = r.mutant.Src
	case r.mutant != nil:
		opts.Steps = map[string][]byte{r.mutant.File: r.mutant.Src}
		fallthrough
	default:
		var err error
		if src, err = os.ReadFile(r.Pipeline); err != nil {
			return nil, err
		}
	}
	opts.InProcess = opts.InProcess || r.mutant != nil && r.builtIn()
	if len(mocks) > 0 {
		src = config.WithMocks(src, mocks)
		opts.BuiltIns = append(slices.Clone(opts.BuiltIns), Mock)
	}
	return host.Parse(r.Pipeline, src, opts)
}

// mocksKey distinguishes what mocks do.
func mocksKey(mocks []config.Mock) (key string) {
	for _, m := range mocks {
		key += fmt.Sprint(m.Range)
	}
	return key
}

// builtIn reports whether all steps of the pipeline are built-in plugins.
func (r *runner) builtIn() bool {
	known := func(p *config.Block) bool {
		return slices.ContainsFunc(r.opts.BuiltIns, func(b sdk.Plugin) bool { return b.Name == p.Labels[0] })
	}
	return len(r.file.Layout.All("plugin")) == 0 && !slices.ContainsFunc(r.file.Layout.All("step"), func(p *config.Block) bool { return !known(p) })
}

// runOne runs a test. An error of the run is a failure of the test, unless the pipeline has mistakes.
func (r *runner) runOne(ctx context.Context, session *host.Session, i int, result *Result) error {
	test, dir := &r.file.Tests[i], filepath.Join(r.dir, fmt.Sprint(i))
	inputs, err := r.inputs(test, filepath.Join(dir, "in"))
	if err != nil {
		return err
	}
	for _, in := range test.Inputs {
		if _, err := source.Find(inputs[in.Source], false); err != nil {
			result.Failures = append(result.Failures, Failure{Line: in.Range.Line, Message: err.Error()})
			return nil
		}
	}
	run, err := session.Run(ctx, inputs, filepath.Join(dir, "out"))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if diags, ok := errors.AsType[host.Diagnostics](err); ok {
		return diags
	}
	if err != nil {
		result.Failures = append(result.Failures, Failure{Line: result.Line, Message: "the run failed: " + err.Error()})
		return nil
	}
	k := &checker{runner: r, test: test, result: run}
	if err := k.check(); err != nil {
		return err
	}
	result.Failures = k.failures
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cover.add(run, session.Step, r.how.Rules)
	for _, step := range run.Steps {
		if r.mutant == nil {
			r.takes[step.Plugin] = session.Step(step.Name).Takes
			r.given[step.Name] = append(r.given[step.Name], session.Step(step.Name).Args)
		}
	}
	for line, n := range k.checked {
		r.cover.checked[line] += n
	}
	for e, found := range k.found {
		r.found[[2]int{i, e}] = found
	}
	return nil
}

// inputs writes the records of a test to files, and returns the files of each source.
func (r *runner) inputs(test *config.Test, dir string) (map[string][]string, error) {
	files := map[string][]string{}
	for _, in := range test.Inputs {
		if in.File != "" {
			path := in.File
			if !filepath.IsAbs(path) {
				path = filepath.Join(r.file.Dir, path)
			}
			files[in.Source] = []string{path}
			continue
		}
		path := filepath.Join(dir, in.Source, in.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(in.Text), 0o666); err != nil {
			return nil, err
		}
		files[in.Source] = []string{path}
	}
	return files, nil
}

// maskName returns the name of an input as its test has it, without the temporary folder.
func (r *runner) maskName(name string) string {
	whole, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if below, err := filepath.Rel(r.dir, whole); err == nil {
		if parts := strings.SplitN(filepath.ToSlash(below), "/", 4); len(parts) == 4 && parts[1] == "in" {
			return parts[3]
		}
	}
	if below, err := filepath.Rel(r.file.Dir, whole); err == nil && filepath.IsLocal(below) && name != "" {
		return filepath.ToSlash(below)
	}
	return name
}

// env looks up an environment variable. It hides those that set variables of pipelines, which a test sets itself.
func (r *runner) env(name string) (string, bool) {
	if strings.HasPrefix(name, "SLUICE_VAR_") {
		return "", false
	}
	return r.opts.Env(name)
}

type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) add(step, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, step+": "+line)
}

// drain returns the lines since the last call.
func (l *logLines) drain() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

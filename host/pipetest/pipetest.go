// Package pipetest runs the tests beside a pipeline, NAME.test.hcl beside NAME.hcl: it runs the pipeline on the records of each
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
)

// Ending is how the name of a file of tests ends.
const Ending = config.TestEnding

// Tests are those of one pipeline, NAME.test.hcl beside NAME.hcl.
type Suite struct {
	Path     string // of the file
	Pipeline string // path

	file *config.TestFile
	opts host.Options
}

// A TestResult is what came of one test.
type Result struct {
	Name     string    `json:"name"`
	Line     int       `json:"line"` // of the file of tests
	Seconds  float64   `json:"seconds"`
	Failures []Failure `json:"failures,omitempty"`
	Log      []string  `json:"said,omitempty"` // by plugins, a line each
}

// A TestFailure is one thing that is not as a test expects it.
type Failure struct {
	Line    int      `json:"line"` // of the file of tests: the expectation, the row that is expected, or the row that was rejected
	Message string   `json:"message"`
	Where   string   `json:"where,omitempty"` // the step or sink, as in "sink jsonl.train"
	Place   string   `json:"place,omitempty"` // FILE:LINE of the pipeline
	Diff    []Change `json:"diff,omitempty"`
}

// A TestRun is what came of the tests of one file, and what of the pipeline they have exercised.
type Report struct {
	Tests    []Result // in the order of the file
	Coverage Coverage
	Text     []byte // what the file should say, when rows were to be updated and some are others; else nil
}

// TestOptions say which tests run, and how.
type Options struct {
	Match  func(name string) bool // nil: all
	Update bool                   // rows and counts of sinks are noted for Text instead of failing the test
	// Rules gives the counts that tell which rules of a built-in plugin have applied, by its arguments, a JSON object.
	Rules func(plugin string, args []byte) []string
}

// LoadTests reads a file of tests and the blocks of its pipeline. The error is of type Diagnostics when either has mistakes.
// Of opts, Vars, Inputs and Root are the tests' own.
func Load(path string, opts host.Options) (*Suite, error) {
	opts = opts.WithDefaults()
	file, diags := config.LoadTests(path, config.Given{Env: opts.Env, Ending: source.Ending, Join: source.Join})
	if diags.HasErrors() {
		return nil, diags
	}
	return &Suite{Path: path, Pipeline: file.Layout.Path, file: file, opts: opts}, nil
}

// minShare is how many tests at least go through the same processes, if their steps keep no state: starting these takes
// longer than most tests do.
const minShare = 4

// Run runs the tests side by side, each by itself. The error is of type Diagnostics when the pipeline has mistakes, with the
// variables of some test.
func (t *Suite) Run(ctx context.Context, how Options) (_ *Report, err error) {
	dir, err := os.MkdirTemp("", "sluice-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	x := &runner{Suite: t, how: how, dir: dir, results: make([]*Result, len(t.file.Tests)), found: map[[2]int]config.Found{}}
	x.cover = newCover(t.file.Layout)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, share := range x.shares() {
		g.Go(func() error { return x.runAll(ctx, share) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	done := &Report{Tests: []Result{}, Coverage: x.cover.coverage()}
	for _, r := range x.results {
		if r != nil {
			done.Tests = append(done.Tests, *r)
		}
	}
	if len(x.found) > 0 {
		done.Text, err = t.file.Rewrite(x.found)
	}
	return done, err
}

// A trial is one run of the tests of a file.
type runner struct {
	*Suite
	how Options
	dir string // for what they read and write

	results []*Result // nil for a test that does not run

	mu    sync.Mutex // for what follows
	cover *counter
	found map[[2]int]config.Found // by the places of test and expectation
}

// shares divides the tests, by their places in the file, among processes: those of one share have the same variables.
func (x *runner) shares() [][]int {
	alike := map[string][]int{}
	var order []string
	for i, test := range x.file.Tests {
		if x.how.Match != nil && !x.how.Match(test.Name) {
			continue
		}
		key := fmt.Sprintf("%q", test.Vars) // sorted
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], i)
	}
	var all [][]int
	for _, key := range order {
		n := len(alike[key])
		size := max(minShare, (n+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
		all = slices.AppendSeq(all, slices.Chunk(alike[key], size))
	}
	return all
}

// share runs tests with the same variables, one after the other.
func (x *runner) runAll(ctx context.Context, which []int) error {
	ear, first, opts := &logLines{}, x.file.Tests[which[0]], x.opts
	opts.Vars, opts.Env, opts.Inputs, opts.Log, opts.MaskName = first.Vars, x.environment, map[string][]string{}, ear.add, x.shown
	opts.VarsFrom = fmt.Sprintf("variables of test %q:", first.Name)
	p, err := host.Load(x.Pipeline, opts)
	if err != nil {
		return err
	}
	h := p.Session()
	var r *Result
	defer func() {
		if err := h.Close(context.WithoutCancel(ctx)); err != nil {
			r.Failures = append(r.Failures, Failure{Line: r.Line, Message: "after it and those before it: " + err.Error()})
		}
		r.Log = append(r.Log, ear.drain()...) // what comes late is not lost
	}()
	for _, i := range which {
		r = &Result{Name: x.file.Tests[i].Name, Line: x.file.Tests[i].Range.Line}
		began := time.Now()
		if err := x.runOne(ctx, h, i, r); err != nil {
			return err
		}
		r.Seconds, r.Log = time.Since(began).Seconds(), ear.drain()
		x.results[i] = r
	}
	return nil
}

// one runs a test. What its run fails with is a failure of the test, unless the pipeline has mistakes.
func (x *runner) runOne(ctx context.Context, h *host.Session, i int, r *Result) error {
	test, dir := &x.file.Tests[i], filepath.Join(x.dir, fmt.Sprint(i))
	inputs, err := x.inputs(test, filepath.Join(dir, "in"))
	if err != nil {
		return err
	}
	for _, in := range test.Inputs {
		if _, err := source.Find(inputs[in.Source], false); err != nil {
			r.Failures = append(r.Failures, Failure{Line: in.Range.Line, Message: err.Error()})
			return nil
		}
	}
	result, err := h.Run(ctx, inputs, filepath.Join(dir, "out"))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if diags, ok := errors.AsType[host.Diagnostics](err); ok {
		return diags
	}
	if err != nil {
		r.Failures = append(r.Failures, Failure{Line: r.Line, Message: "the run failed: " + err.Error()})
		return nil
	}
	k := &checker{runner: x, test: test, result: result, root: filepath.Join(dir, "out")}
	if err := k.check(); err != nil {
		return err
	}
	r.Failures = k.failures
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cover.add(result, h.Step, x.how.Rules)
	for e, found := range k.found {
		x.found[[2]int{i, e}] = found
	}
	return nil
}

// inputs writes what a test gives to files, and gives the files of each source.
func (x *runner) inputs(test *config.Test, dir string) (map[string][]string, error) {
	files := map[string][]string{}
	for _, in := range test.Inputs {
		if in.File != "" {
			path := in.File
			if !filepath.IsAbs(path) {
				path = filepath.Join(x.file.Dir, path)
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

// shown is the name of an input as its test has it, without the folder that it lies in.
func (x *runner) shown(name string) string {
	whole, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if below, err := filepath.Rel(x.dir, whole); err == nil {
		if parts := strings.SplitN(filepath.ToSlash(below), "/", 4); len(parts) == 4 && parts[1] == "in" {
			return parts[3]
		}
	}
	if below, err := filepath.Rel(x.file.Dir, whole); err == nil && filepath.IsLocal(below) && name != "" {
		return filepath.ToSlash(below)
	}
	return name
}

// environment is that of the program, without variables of pipelines: a test says them itself.
func (x *runner) environment(name string) (string, bool) {
	if strings.HasPrefix(name, "SLUICE_VAR_") {
		return "", false
	}
	return x.opts.Env(name)
}

// An ear hears what plugins say.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (e *logLines) add(step, line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, step+": "+line)
}

// lines gives what was said since the last call.
func (e *logLines) drain() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	said := e.lines
	e.lines = nil
	return said
}

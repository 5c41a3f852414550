// Package testrun runs the tests beside pipelines.
package testrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/hclfile"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/plugins/alias"
)

// A Result is what came of tests.
type Result struct {
	Passed      int              `json:"passed"`
	Failed      int              `json:"failed"`
	Files       []File           `json:"files"`
	Diagnostics host.Diagnostics `json:"diagnostics,omitempty"`

	unnoticed int // changes of pipelines
	allowed   int
}

// A File is what came of the tests of one file.
type File struct {
	Path     string             `json:"path"`
	Pipeline string             `json:"pipeline"`
	Tests    []pipetest.Result  `json:"tests"`
	Updated  bool               `json:"updated,omitempty"` // the file was written anew
	Cover    *pipetest.Coverage `json:"cover,omitempty"`
	Mutation *pipetest.Mutation `json:"mutation,omitempty"`
	took     time.Duration
}

func (f *File) failed() (n int) {
	for _, t := range f.Tests {
		if len(t.Failures) > 0 {
			n++
		}
	}
	return n
}

// Options say how tests run.
type Options struct {
	Match  func(name string) bool
	Update bool        // write what came out into the files of tests
	Cover  bool        // say what no test has exercised
	Report func(*File) // called after each file

	Mutate *pipetest.MutateOptions // find out which changes of a pipeline its tests do not notice, if they pass; nil: do not
	Allow  int                     // how many changes may go unnoticed
}

// Run runs the tests of files. The mistakes of all files are in the result.
func Run(ctx context.Context, paths []string, o Options, opts host.Options) (*Result, error) {
	r := &Result{Files: []File{}, allowed: o.Allow}
	for _, path := range paths {
		f, err := o.file(ctx, path, opts)
		if diags, ok := errors.AsType[host.Diagnostics](err); ok {
			r.Diagnostics = append(r.Diagnostics, diags...)
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Failed += f.failed()
		r.Passed += len(f.Tests) - f.failed()
		r.Files = append(r.Files, *f)
		if f.Mutation != nil {
			r.unnoticed += len(f.Mutation.Unnoticed)
		}
		if o.Report != nil {
			o.Report(f)
		}
	}
	return r, nil
}

func (o *Options) file(ctx context.Context, path string, opts host.Options) (*File, error) {
	began := time.Now()
	tests, err := pipetest.Load(path, opts)
	if err != nil {
		return nil, err
	}
	rules := func(plugin string, args []byte) []string {
		if plugin != alias.Plugin.Name {
			return nil
		}
		return alias.Rules(args)
	}
	r, err := tests.Run(ctx, pipetest.Options{Match: o.Match, Update: o.Update, Rules: rules})
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, Pipeline: tests.Pipeline, Tests: r.Tests, Updated: r.Text != nil}
	if o.Cover {
		f.Cover = &r.Coverage
	}
	if o.Mutate != nil && len(f.Tests) > 0 && f.failed() == 0 {
		if f.Mutation, err = tests.Mutate(ctx, *o.Mutate); err != nil {
			return nil, err
		}
	}
	if f.Updated {
		if err := hclfile.Rewrite(path, r.Text); err != nil {
			return nil, err
		}
	}
	f.took = time.Since(began)
	return f, nil
}

// Verdict returns an error when tests failed or files have mistakes.
func (r *Result) Verdict() error {
	switch {
	case len(r.Diagnostics) > 0:
		return r.Diagnostics
	case r.Failed > 0:
		return fmt.Errorf("%s of %s failed", plural.Count(int64(r.Failed)), plural.Of(r.Passed+r.Failed, "test"))
	case r.unnoticed > r.allowed:
		return fmt.Errorf("want at most %s that no test notices, have %s", plural.Of(r.allowed, "change"), plural.Count(int64(r.unnoticed)))
	}
	return nil
}

// Files returns the test files at paths, each once and sorted. Without a path it looks in the current folder.
func Files(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, path := range paths {
		found, err := testsAt(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func testsAt(path string) ([]string, error) {
	info, err := hclfile.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && strings.HasSuffix(path, pipetest.Ending):
		return []string{path}, nil
	case !info.IsDir():
		tests := strings.TrimSuffix(path, ".hcl") + pipetest.Ending
		if _, err := os.Stat(tests); err != nil {
			return nil, fmt.Errorf("want the tests of %s at %s, have no such file", path, tests)
		}
		return []string{tests}, nil
	}
	files, err := hclfile.Below(path, pipetest.Ending, true)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("want files NAME%s in %s, have 0", pipetest.Ending, path)
	}
	return files, err
}

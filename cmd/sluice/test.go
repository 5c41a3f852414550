package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/alias"
)

// A proving is what test is asked to do.
type proving struct {
	run                                       string
	verbose, update, cover, asJSON, inProcess bool
}

// What a machine reads of tests.
type proved struct {
	Passed      int              `json:"passed"`
	Failed      int              `json:"failed"`
	Files       []provedFile     `json:"files"`
	Diagnostics host.Diagnostics `json:"diagnostics,omitempty"`
}

type provedFile struct {
	Path     string             `json:"path"`
	Pipeline string             `json:"pipeline"`
	Tests    []pipetest.Result  `json:"tests"`
	Updated  bool               `json:"updated,omitempty"` // the file was written anew
	Cover    *pipetest.Coverage `json:"cover,omitempty"`
	took     time.Duration
}

func (f *provedFile) failed() (n int) {
	for _, t := range f.Tests {
		if len(t.Failures) > 0 {
			n++
		}
	}
	return n
}

func testCommand(out *report) *cobra.Command {
	var p proving
	c := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "run the tests of pipelines",
		Long: `test runs the tests that stand beside a pipeline NAME.hcl in NAME.test.hcl. Each sends its input through the real steps,
in their own processes, and holds what comes out to what it expects. Nothing is written where the pipeline says.
A PATH is a pipeline, a file of tests, or a folder, with all folders in it; without any it is the folder at hand.

What a test does not mention it does not check, except that nothing is rejected unexpectedly. --update writes rows and
counts of sinks that came out differently into the files of tests, and keeps comments and everything else there.
--cover tells which steps, ways of first and route, reject codes and rules of alias no test has exercised.

The exit code is 0 when all tests pass, 1 when one fails, 2 when a file has mistakes.`,
		Example: `  sluice test pipelines
  sluice test pipelines/eliza-sft.hcl --run 'retired' --cover`,
		RunE: func(c *cobra.Command, args []string) error {
			err := p.do(c, out, args)
			if err != nil && !out.printed {
				return out.json(p.asJSON, err)
			}
			return err
		},
	}
	c.Flags().StringVar(&p.run, "run", "", "run the tests whose names match `REGEXP`")
	c.Flags().BoolVarP(&p.verbose, "verbose", "v", false, "tell every test, and what plugins say")
	c.Flags().BoolVar(&p.update, "update", false, "write what came out into the files of tests")
	c.Flags().BoolVar(&p.cover, "cover", false, "tell what no test has exercised")
	c.Flags().BoolVar(&p.inProcess, "in-process", false, "run the built-in plugins without processes")
	c.Flags().BoolVar(&p.asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

func (p *proving) do(c *cobra.Command, out *report, args []string) error {
	match, err := regexp.Compile(p.run)
	if err != nil {
		return &usageError{command: c, err: fmt.Errorf("--run: %w", err)}
	}
	files, err := testFiles(args)
	if err != nil {
		return &usageError{command: c, err: err}
	}
	how := pipetest.Options{Match: match.MatchString, Update: p.update, Rules: rules}
	x := proved{Files: []provedFile{}}
	for _, path := range files {
		f, err := p.file(c, path, how)
		if diags, ok := errors.AsType[host.Diagnostics](err); ok {
			x.Diagnostics = append(x.Diagnostics, diags...)
			continue
		}
		if err != nil {
			return err
		}
		x.Failed += f.failed()
		x.Passed += len(f.Tests) - f.failed()
		x.Files = append(x.Files, *f)
		if !p.asJSON {
			out.proved(f, p.verbose)
		}
	}
	if p.asJSON {
		out.printed = true
		if err := out.writeJSON(x); err != nil {
			return err
		}
	}
	return p.verdict(c, &x)
}

// file runs the tests of one file.
func (p *proving) file(c *cobra.Command, path string, how pipetest.Options) (*provedFile, error) {
	began := time.Now()
	tests, err := pipetest.Load(path, host.Options{BuiltIns: plugins.All, Version: version(), InProcess: p.inProcess, Facts: facts})
	if err != nil {
		return nil, err
	}
	r, err := tests.Run(c.Context(), how)
	if err != nil {
		return nil, err
	}
	f := &provedFile{Path: path, Pipeline: tests.Pipeline, Tests: r.Tests, Updated: r.Text != nil}
	if p.cover {
		f.Cover = &r.Coverage
	}
	if f.Updated {
		if err := replace(path, r.Text); err != nil {
			return nil, err
		}
	}
	f.took = time.Since(began)
	return f, nil
}

// verdict is the error of tests of which some failed, or of which there are none.
func (p *proving) verdict(c *cobra.Command, x *proved) error {
	switch {
	case len(x.Diagnostics) > 0:
		return x.Diagnostics
	case x.Failed > 0:
		return fmt.Errorf("%s of %s failed", format.Count(int64(x.Failed)), format.Plural(x.Passed+x.Failed, "test"))
	case x.Passed == 0:
		return &usageError{command: c, err: fmt.Errorf("--run: want a test whose name matches %q, have none", p.run)}
	}
	return nil
}

// rules gives the counts that tell which rules of a built-in plugin have applied.
func rules(plugin string, args []byte) []string {
	if plugin != alias.Plugin.Name {
		return nil
	}
	return alias.Rules(args)
}

// testFiles gives the files of tests at paths, each once.
func testFiles(paths []string) ([]string, error) {
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
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && strings.HasSuffix(path, pipetest.Ending):
		return []string{path}, nil
	case !info.IsDir():
		tests := strings.TrimSuffix(path, ".hcl") + pipetest.Ending
		if _, err := os.Stat(tests); err != nil {
			return nil, fmt.Errorf("want the tests of %s at %s, have none", path, tests)
		}
		return []string{tests}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && at != path && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(d.Name(), pipetest.Ending):
			files = append(files, at)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("want files NAME%s in %s, have none", pipetest.Ending, path)
	}
	return files, err
}

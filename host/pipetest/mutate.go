package pipetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Mutation says which changes of a pipeline its tests notice, each made alone. Some of the unnoticed may make no difference to any
// record, which is known only of those in Same.
type Mutation struct {
	Made      int      `json:"made"`    // changes that there are
	Tried     int      `json:"tried"`   // a sample of them
	Noticed   int      `json:"noticed"` // by a test that failed
	Refused   int      `json:"refused"` // since the file had mistakes then
	Unnoticed []Mutant `json:"unnoticed"`
	Same      []Mutant `json:"same"` // changes that were not tried, since they make no difference
}

// Mutant is a change of a pipeline.
type Mutant struct {
	What string `json:"what"`          // as in `step "privacy" "redact" removed`
	Path string `json:"path"`          // of the pipeline, or of a file that it includes
	Line int    `json:"line"`          // of that file
	Why  string `json:"why,omitempty"` // it makes no difference
}

// MutateOptions say which changes are tried.
type MutateOptions struct {
	Match func(name string) bool // tests; nil: all
	Limit int                    // changes at most, drawn by Seed; 0: all
	Seed  uint64
	Idle  func(plugin string) string // why no row depends on a step of a plugin; "" when rows do
}

type verdict int

const (
	unnoticed verdict = iota
	noticed
	refused
)

// Mutate runs the tests on the pipeline with one change each, and on each until one fails. The tests should pass on the pipeline.
func (s *Suite) Mutate(ctx context.Context, how MutateOptions) (_ *Mutation, err error) {
	src, err := os.ReadFile(s.Pipeline)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sluice-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &Mutation{Unnoticed: []Mutant{}, Same: []Mutant{}}
	mutants := slices.DeleteFunc(config.Mutants(s.Pipeline, src, s.facts(how)), func(x config.Mutant) bool {
		if x.Same != "" {
			m.Same = append(m.Same, s.shown(x))
		}
		return x.Same != ""
	})
	m.Made = len(mutants)
	mutants = sample(mutants, how)
	m.Tried = len(mutants)
	verdicts := make([]verdict, len(mutants))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range mutants {
		g.Go(func() (err error) {
			verdicts[i], err = s.try(ctx, &mutants[i], how, filepath.Join(dir, fmt.Sprint(i)))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, x := range mutants {
		switch verdicts[i] {
		case noticed:
			m.Noticed++
		case refused:
			m.Refused++
		case unnoticed:
			m.Unnoticed = append(m.Unnoticed, s.shown(x))
		}
	}
	return m, nil
}

func (s *Suite) shown(x config.Mutant) Mutant {
	path := s.Pipeline
	if filepath.IsAbs(x.File) {
		path = x.File
	} else if x.File != "" {
		path = filepath.Join(filepath.Dir(path), x.File)
	}
	return Mutant{x.What, path, x.Line, x.Same}
}

// facts returns what the plugins of the tests say of their attributes.
func (s *Suite) facts(how MutateOptions) config.Facts {
	arg := func(plugin, attr string) wire.Arg {
		i := slices.IndexFunc(s.takes[plugin], func(a wire.Arg) bool { return a.Name == attr })
		if i < 0 {
			return wire.Arg{}
		}
		return s.takes[plugin][i]
	}
	known := config.Facts{
		Words: func(plugin, attr string) []string {
			if arg(plugin, attr).Type == "a boolean" {
				return []string{"true", "false"}
			}
			if outer, _, inner := strings.Cut(attr, "."); inner { // of an object of words
				return arg(plugin, outer).Words
			}
			return arg(plugin, attr).Words
		},
		Default: func(plugin, attr string) string { return arg(plugin, attr).Default },
		Unset: func(step, attr string) bool {
			plugin, _, _ := strings.Cut(step, ".")
			return len(s.given[step]) > 0 && !slices.ContainsFunc(s.given[step], func(args []byte) bool {
				have := gjson.GetBytes(args, attr)
				return have.Exists() && have.Raw != cmp.Or(arg(plugin, attr).Default, zero(have))
			})
		},
		Idle: how.Idle,
	}
	if known.Idle == nil {
		known.Idle = func(string) string { return "" }
	}
	return known
}

// zero returns what an attribute without a default is when it is absent, for a value of its type; "" for lists and objects.
func zero(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return `""`
	case gjson.Number:
		return "0"
	case gjson.True, gjson.False:
		return "false"
	}
	return ""
}

// sample draws the changes that are tried, and keeps their order.
func sample(all []config.Mutant, how MutateOptions) []config.Mutant {
	if how.Limit == 0 || how.Limit >= len(all) {
		return all
	}
	drawn := rand.New(rand.NewPCG(how.Seed, 0)).Perm(len(all))[:how.Limit]
	slices.Sort(drawn)
	some := make([]config.Mutant, len(drawn))
	for i, n := range drawn {
		some[i] = all[n]
	}
	return some
}

// try runs the tests on a mutant, one after the other.
func (s *Suite) try(ctx context.Context, mutant *config.Mutant, how MutateOptions, dir string) (_ verdict, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := s.runner(Options{Match: how.Match}, dir)
	r.mutant = mutant
	for _, group := range r.groups() {
		err := r.runGroup(ctx, group)
		if _, wrong := errors.AsType[host.Diagnostics](err); wrong {
			return refused, nil
		}
		if err != nil {
			return unnoticed, err
		}
		for _, i := range group {
			if result := r.results[i]; result != nil && len(result.Failures) > 0 {
				return noticed, nil
			}
		}
	}
	return unnoticed, nil
}

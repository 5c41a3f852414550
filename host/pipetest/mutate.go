package pipetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
)

// Mutation says which changes of a pipeline its tests notice, each made alone. Whether an unnoticed change makes any difference at
// all cannot be known.
type Mutation struct {
	Made      int      `json:"made"`    // changes that there are
	Tried     int      `json:"tried"`   // a sample of them
	Noticed   int      `json:"noticed"` // by a test that failed
	Refused   int      `json:"refused"` // since the file had mistakes then
	Unnoticed []Mutant `json:"unnoticed"`
}

// Mutant is a change of a pipeline.
type Mutant struct {
	What string `json:"what"` // as in `step "privacy" "redact" removed`
	Line int    `json:"line"` // of the pipeline
}

// MutateOptions say which changes are tried.
type MutateOptions struct {
	Match func(name string) bool // tests; nil: all
	Limit int                    // changes at most, drawn by Seed; 0: all
	Seed  uint64
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
	mutants := config.Mutants(s.Pipeline, src)
	m := &Mutation{Made: len(mutants), Unnoticed: []Mutant{}}
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
			m.Unnoticed = append(m.Unnoticed, Mutant{x.What, x.Line})
		}
	}
	return m, nil
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

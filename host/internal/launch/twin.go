package launch

import (
	"slices"

	"github.com/sluicehq/sluice/host/internal/flow"
)

// addTwin makes the twin of a chain of steps: the same with processes and memory of its own, which overwrites no record and shows
// nothing of what its plugins print. offered are the arenas that records of the chain may lie in.
func (f *Fleet) addTwin(steps []*Step, offered []*arena, shared bool) error {
	plain := *steps[0].opts
	plain.Poison, plain.OnStart, plain.Log = false, nil, func(string, string) {}
	var twins []*Step
	for _, s := range steps {
		twin := *s
		twin.opts, twin.problems = &plain, slices.Clone(s.problems)
		s.twin = &twin
		twins = append(twins, &twin)
	}
	return f.addChain(twins, &offered, shared)
}

// checkTwin takes over the problems that only the twin of the step has found, such as a program that cannot run twice.
func (s *Step) checkTwin() {
	switch {
	case s.twin == nil || len(s.problems) > 0:
	case len(s.twin.problems) > 0:
		for _, p := range s.twin.problems {
			p.Message = "its second process, which --poison compares with: " + p.Message
			s.problems = append(s.problems, p)
		}
	case s.Index != s.twin.Index || len(s.Chain.workers) != len(s.twin.Chain.workers):
		s.problem("", "want plugin %s to describe itself as before, have a changed description", s.Plugin)
	}
}

// PlainStages returns the workers of the twin of the step's chain, none without a twin.
func (s *Step) PlainStages() []flow.Stage {
	if s.twin == nil {
		return nil
	}
	return s.twin.Chain.Stages()
}

package modelspeccheck

import (
	"errors"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
)

// Rules are the checks that are not off, for plugins that make threads and want to know what becomes of them here.
type Rules struct{ checker *checker }

// NewRules gives the checks in their modes, "reject", "label" or "off", where modes says no other than the default.
func NewRules(modes map[string]string, leakLength int) Rules {
	p := &checker{leakLength: leakLength, modes: modes}
	for _, c := range checks {
		if p.mode(c) != "off" {
			p.checks = append(p.checks, c)
		}
	}
	return Rules{p}
}

// Accept finds mistakes in the attributes "checks" and "leak_length" of a step.
func Accept(a sdk.Args, modes map[string]string, leakLength int) error {
	var errs []error
	if leakLength < 1 {
		errs = append(errs, a.Errorf("leak_length", "want at least 1, have %d", leakLength))
	}
	var known []string
	for _, c := range slices.Concat(wholes, checks) {
		known = append(known, c.name)
	}
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		errs = append(errs, a.OneOf("checks."+name, name, known...), a.OneOf("checks."+name, modes[name], "reject", "label", "off"))
	}
	return errors.Join(errs...)
}

// A Failure is a check that a message fails.
type Failure struct {
	Check   string
	Message int // its index; -1 for the settings
	Rejects bool
}

// Failures gives what messages from an index on fail under the settings of a thread, in order, and what the settings fail.
func (r Rules) Failures(t *modelspec.Thread, messages []modelspec.Message, from int) (all []Failure) {
	for _, c := range r.checker.checks {
		for _, f := range t.Formats {
			if c.ofName != nil && c.ofName(f.Name) != "" {
				all = append(all, Failure{c.name, -1, r.checker.mode(c) == "reject"})
			}
		}
	}
	v := newView(t, messages, r.checker.leakLength)
	r.checker.each(v, from, func(c check, i int, _ string) { all = append(all, Failure{c.name, i, r.checker.mode(c) == "reject"}) })
	return all
}

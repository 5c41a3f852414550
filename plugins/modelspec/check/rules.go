package check

import (
	"errors"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
)

// Rules holds the checks that are not off, for plugins that make threads which must pass or fail here.
type Rules struct{ checker *checker }

// NewRules returns the checks with their modes, "reject", "label" or "off". modes overrides the defaults by name.
func NewRules(modes map[string]string, leakLength int) Rules {
	p := &checker{leakLength: leakLength, modes: modes}
	for _, c := range checks {
		if p.mode(c) != "off" {
			p.checks = append(p.checks, c)
		}
	}
	return Rules{p}
}

// Accept returns the mistakes in the attributes "checks" and "leak_length" of a step.
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
		errs = append(errs, a.OneOf("checks."+name, name, known...))
	}
	return errors.Join(errs...)
}

// Failure is a check that a message fails.
type Failure struct {
	Check   string
	Message int // its index; -1 for the settings
	Rejects bool
}

// Judge checks a thread, and other answers in its place.
type Judge struct {
	checker  *checker
	view     *view
	messages []notation.Message
	settled  int // the index behind the last message of the platform or a developer
}

// Judge returns a Judge of messages under the settings of a thread.
func (r Rules) Judge(t *notation.Thread, messages []notation.Message) *Judge {
	j := &Judge{checker: r.checker, messages: slices.Clone(messages)}
	for i := range messages {
		if messages[i].Instructs() {
			j.settled = i + 1
		}
	}
	j.view = newView(t, j.messages, r.checker.leakLength, &r.checker.cache)
	return j
}

// Failures returns the checks that the settings and the messages fail, in order.
func (j *Judge) Failures() (all []Failure) {
	for _, c := range j.checker.checks {
		for _, f := range j.view.Formats {
			if c.ofName != nil && c.ofName(f.Name) != "" {
				all = append(all, Failure{c.name, -1, j.checker.mode(c) == "reject"})
			}
		}
	}
	return j.from(j.view, 0, all)
}

// Instead returns the checks that an answer fails which ends the thread in place of message i.
func (j *Judge) Instead(i int, answer notation.Message) []Failure {
	if i < j.settled { // messages behind i are part of the view
		messages := append(slices.Clone(j.messages[:i]), answer)
		return j.from(newView(j.view.Thread, messages, j.checker.leakLength, &j.checker.cache), i, nil)
	}
	own, text := j.messages[i], j.view.texts[i]
	j.messages[i], j.view.texts[i], j.view.messages = answer, answer.Text(), j.messages[:i+1]
	all := j.from(j.view, i, nil)
	j.messages[i], j.view.texts[i], j.view.messages = own, text, j.messages
	return all
}

func (j *Judge) from(v *view, i int, all []Failure) []Failure {
	j.checker.each(v, i, func(c check, i int, _ string) { all = append(all, Failure{c.name, i, j.checker.mode(c) == "reject"}) })
	return all
}

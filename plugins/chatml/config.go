package chatml

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

type config struct {
	Profile        string `hcl:"profile,optional"`
	Target         string `hcl:"target,optional"`
	TrainOn        string `hcl:"train_on,optional"`
	Arguments      string `hcl:"arguments,optional"`
	Reasoning      string `hcl:"reasoning,optional"`
	Media          string `hcl:"media,optional"`
	Envelope       string `hcl:"envelope,optional"`
	Join           string `hcl:"join,optional"`
	LateSystem     string `hcl:"late_system,optional"`
	TextBesideCall string `hcl:"text_beside_call,optional"`
	Parallel       string `hcl:"parallel,optional"`
	DanglingCalls  string `hcl:"dangling_calls,optional"`
}

// rules gives what the target needs, with what the step sets by hand in its place.
func (c *config) rules(a sdk.Args) (rules, error) {
	var errs []error
	r := standard
	if c.Target != "" {
		i := slices.IndexFunc(targets, func(t target) bool { return t.name == c.Target })
		if i < 0 {
			var names []string
			for _, t := range targets {
				names = append(names, t.name)
			}
			errs = append(errs, choice.Of(a, "target", c.Target, names...))
		} else {
			r = targets[i].rules.orStandard()
			r.target = c.Target
		}
	}
	for _, o := range []struct {
		name, given string
		into        *string
		want        []string
	}{
		{"profile", c.Profile, new(string), []string{"standard", "reference"}},
		{"train_on", c.TrainOn, new(string), []string{"last", "each"}},
		{"arguments", c.Arguments, &r.arguments, []string{"string", "object"}},
		{"reasoning", c.Reasoning, &r.reasoning, []string{"field", "inline", "drop"}},
		{"media", c.Media, &r.media, []string{"reject", "placeholder"}},
		{"envelope", c.Envelope, &r.envelope, []string{"calls", "text", "both"}},
		{"late_system", c.LateSystem, &r.lateSystem, []string{"user", "merge", "reject"}},
		{"text_beside_call", c.TextBesideCall, &r.beside, []string{"keep", "split", "drop", "reject"}},
		{"parallel", c.Parallel, &r.parallel, []string{"keep", "split", "reject"}},
		{"dangling_calls", c.DanglingCalls, &r.dangling, []string{"reject", "drop", "keep"}},
	} {
		if o.given == "" {
			continue
		}
		errs = append(errs, choice.Of(a, o.name, o.given, o.want...))
		*o.into = o.given
	}
	r.join = string(jsontext.AppendBody(nil, c.Join))
	return r, errors.Join(errs...)
}

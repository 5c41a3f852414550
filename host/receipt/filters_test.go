package receipt

import (
	"slices"
	"testing"
)

// TestFilters holds that a step filters by the rules that it states for all records that go on, and by nothing else.
func TestFilters(t *testing.T) {
	type counts = map[string]int64
	hash := map[string]string{FactRules: "aa"}
	for _, c := range []struct {
		reason            string
		step              StepAccount
		filters, unstated bool
		rules             []string
	}{
		{"a fact states the rules", StepAccount{Private: true, Facts: hash}, true, false, []string{"aa"}},
		{"a receipt of an earlier version, whose step has the fact alone", StepAccount{Facts: hash, In: 3, Out: 3}, true, false, []string{"aa"}},
		{"that rejects are hidden is no filter", StepAccount{Private: true, In: 3, Out: 3}, false, true, nil},
		{"another fact", StepAccount{Private: true, In: 3, Out: 3, Facts: map[string]string{"profile": "standard"}}, false, true, nil},
		{"a count of all records", StepAccount{In: 3, Out: 3, Counts: counts{"privacy_rules.x": 3}}, true, false, []string{"x"}},
		{"two kinds of rules for all records together", StepAccount{In: 3, Out: 3, Counts: counts{"privacy_rules.x": 1, "privacy_rules.y": 2}}, true, false, []string{"x", "y"}},
		{"a count of some records", StepAccount{Private: true, In: 3, Out: 3, Counts: counts{"privacy_rules.x": 2}}, false, true, nil},
		{"the others were dropped, rejected and declined", StepAccount{In: 4, Out: 1, Dropped: Sum(counts{"d": 1}), Rejected: Sum(counts{"r": 1}), Declined: Sum(counts{"n": 1}), Counts: counts{"privacy_rules.x": 1}}, true, false, []string{"x"}},
		{"a record that becomes several is counted once", StepAccount{In: 2, Out: 9, Extra: 7, Counts: counts{"privacy_rules.x": 2}}, true, false, []string{"x"}},
		{"nothing came, so nothing was searched", StepAccount{Private: true}, false, true, nil},
		{"rules without a name", StepAccount{In: 1, Out: 1, Counts: counts{"privacy_rules.": 1}}, false, false, nil},
		{"a count of another thing", StepAccount{In: 1, Out: 1, Counts: counts{"rules.x": 1}}, false, false, nil},
		{"a candidate, whose records do not go on", StepAccount{Private: true, Candidate: true, Facts: hash}, false, false, []string{"aa"}},
	} {
		c.step.Name = "s"
		r := &Receipt{Steps: []StepAccount{c.step}}
		if have := c.step.Rules(); !slices.Equal(have, c.rules) {
			t.Errorf("%s: want rules %v, have %v", c.reason, c.rules, have)
		}
		if have := len(r.Filters()) == 1; have != c.filters {
			t.Errorf("%s: want a filter %t, have %t", c.reason, c.filters, have)
		}
		if have := len(r.Unstated()) == 1; have != c.unstated {
			t.Errorf("%s: want an unstated one %t, have %t", c.reason, c.unstated, have)
		}
	}
}

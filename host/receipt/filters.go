package receipt

import (
	"maps"
	"slices"
	"strings"
)

// FactRules is the fact about a built-in step that replaces personal data and secrets: the hash of the rules that say which.
const FactRules = "rules_sha256"

// RulesCount begins a count by which any other plugin states the same: of the records that it searched by the rules that the rest of the
// name names, and in which it replaced what they found.
const RulesCount = "privacy_rules."

// Rules returns the rules by which a step replaced personal data and secrets, as it stated them. There are none unless they hold for all
// records that went on: whether its plugin hides rejects, which is Private, says nothing of that.
func (s *StepAccount) Rules() (rules []string) {
	if hash := s.Facts[FactRules]; hash != "" {
		return []string{hash}
	}
	var searched int64
	for _, count := range slices.Sorted(maps.Keys(s.Counts)) {
		if name, ok := strings.CutPrefix(count, RulesCount); ok && name != "" {
			rules, searched = append(rules, name), searched+s.Counts[count]
		}
	}
	if searched == 0 || searched < s.Out-s.Extra {
		return nil
	}
	return rules
}

// Filters returns the names of the steps that replaced personal data and secrets in the records that went on: they stated their Rules.
func (r *Receipt) Filters() (names []string) {
	return r.named(func(s *StepAccount) bool { return len(s.Rules()) > 0 })
}

// Unstated returns the names of the steps whose plugins hide rejects, as those of filters do, but which stated no Rules.
func (r *Receipt) Unstated() (names []string) {
	return r.named(func(s *StepAccount) bool { return s.Private && len(s.Rules()) == 0 })
}

// named returns the names of the steps that are so, but not of candidates, whose records do not go on.
func (r *Receipt) named(is func(*StepAccount) bool) (names []string) {
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Candidate && is(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Through reports whether records that went through the steps of after, such as Output.After, went through one of some steps.
func Through(after, some []string) bool {
	return slices.ContainsFunc(after, func(name string) bool { return slices.Contains(some, name) })
}

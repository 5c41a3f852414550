package redact

import (
	"regexp"
	"slices"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// Look tells what is in a JSON text by a coarse detector that shares nothing with the rules, so that it can find what they
// miss. What the user allows it lets pass, and where places are allowed it is sure of nothing.
func (f *Filter) Look(doc string) recognise.Suspects {
	found := f.Engine.Look(doc, func(value string) bool {
		return f.Allowed.Exact[value] || slices.ContainsFunc(f.Allowed.Patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
	})
	if found.Sure == "" && recognise.Rest(doc) {
		found.Sure = "rest"
	}
	if len(f.Allowed.Paths) > 0 {
		found.Sure = ""
	}
	return found
}

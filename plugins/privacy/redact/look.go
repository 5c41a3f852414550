package redact

import (
	"regexp"
	"slices"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// Look tells what is in a JSON text by a coarse detector that shares nothing with the rules, so that it can find what they
// miss. What the user allows it lets pass, and where places are allowed it is sure of nothing. In a text that was edited it
// looks for what was left beside the edits too.
func (f *Filter) Look(doc string, wasEdited bool) recognise.Suspects {
	found := f.Engine.Look(doc, func(value string) bool {
		return f.Allowed.Exact[value] || slices.ContainsFunc(f.Allowed.Patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
	})
	if wasEdited && found.Sure == "" && recognise.Rest(doc) {
		found.Sure = "rest"
	}
	if len(f.Allowed.Paths) > 0 {
		found.Sure = ""
	}
	return found
}

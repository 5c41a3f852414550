package redact

import (
	"regexp"
	"slices"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// Look tells what is in a JSON text beside its edits, and what was left of what these took, by a coarse detector that knows
// nothing of the rules, so that it can find what they miss. What the user allows it lets pass, and where places are allowed
// it is sure of nothing.
func (f *Filter) Look(doc string, edits []Edit) (found recognise.Suspects) {
	allowed := func(value string) bool {
		return f.Allowed.Exact[value] || slices.ContainsFunc(f.Allowed.Patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
	}
	at := 0
	for i := range edits {
		e := &edits[i]
		f.Engine.Look(doc, at, e.Start, allowed, &found)
		at = e.End
		behind := doc[at:]
		if i+1 < len(edits) {
			behind = doc[at:edits[i+1].Start]
		}
		if found.Sure == "" && behind != "" && isLetterOrDigit(behind[0]) && recognise.Rest(e.Text, behind) {
			found.Sure = "rest"
		}
	}
	f.Engine.Look(doc, at, len(doc), allowed, &found)
	if len(f.Allowed.Paths) > 0 {
		found.Sure = ""
	}
	return found
}

func isLetterOrDigit(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }

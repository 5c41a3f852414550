package redact

import (
	"regexp"
	"slices"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// Look returns what a coarse detector, which does not know the rules and so can find what they miss, suspects in a JSON text
// around its edits. It passes over values that the user allows, and with allowed paths it is sure of nothing.
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

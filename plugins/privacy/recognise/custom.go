package recognise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// CheckRule returns what is wrong with a rule of the user, and the attribute that is.
func CheckRule(r rules.Rule) (attr string, err error) {
	re, err := regexp.Compile(r.Pattern)
	switch {
	case err != nil:
		return "pattern", fmt.Errorf("want a regular expression: %w", err)
	case re.MatchString(""):
		return "pattern", fmt.Errorf("want a pattern that needs at least one character, have %q, which matches empty text", r.Pattern)
	case !rules.IsEntityName(r.Entity):
		return "entity", fmt.Errorf("want a name such as CUSTOMER_ID, have %q", r.Entity)
	case r.Anchor != "" && len(r.Anchors) > 0:
		return "anchor", fmt.Errorf("want anchor or anchors, have %q and a list of %d", r.Anchor, len(r.Anchors))
	case r.Anchor != "" && !isAnchor(r.Anchor):
		return "anchor", fmt.Errorf(anchorWanted, r.Anchor)
	case r.Check != "" && !slices.Contains(Checks(), r.Check):
		return "check", fmt.Errorf("want one of %s, have %q", strings.Join(Checks(), ", "), r.Check)
	case r.LeadMax < 0 || r.LeadMax > maxToken:
		return "lead_max", fmt.Errorf("want 0 to %d, have %d", maxToken, r.LeadMax)
	}
	if i := slices.IndexFunc(r.Anchors, func(a string) bool { return !isAnchor(a) }); i >= 0 {
		return fmt.Sprintf("anchors.%d", i), fmt.Errorf(anchorWanted, r.Anchors[i])
	}
	if i := slices.IndexFunc(r.Cue, func(c string) bool { return c == "" }); i >= 0 {
		return fmt.Sprintf("cue.%d", i), fmt.Errorf("want a word, have %q", r.Cue[i])
	}
	return "", nil
}

const anchorWanted = `want two bytes or more without quotes, \ and line breaks, have %q`

// isAnchor reports whether every writer of JSON writes a text as it is. Only slashes may have a second spelling.
func isAnchor(text string) bool { return len(text) >= 2 && !strings.ContainsAny(text, "\"\\\n\t\r") }

// addSlashes adds an anchor with slashes in their other spelling, which some writers of JSON use.
func (e *Engine) addSlashes(text string) {
	if written := strings.ReplaceAll(text, "/", `\/`); written != text {
		e.add(anchor{text: written, try: func(*Scan, int) {}})
	}
}

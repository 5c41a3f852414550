package instruction

import "github.com/sluicehq/sluice/plugins/modelspec/notation"

// Words about the tools of formats such as `shell:json`, which their colon distinguishes from anything else in a code span.
const (
	called   = `(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing)|(?:respond(?:ing)?|answer(?:ing)?|repl(?:y|ying)) (?:in|with|using))`
	toolSlug = "`[A-Za-z0-9_-]+(?::[A-Za-z0-9_-]+)+`"
	// tools matches formats of tools in one group, and what they are called.
	tools = `(?:(?:the|an?|any) )?(?:(?:tools?|functions?|formats?) )?(` + toolSlug + `(?:(?:,| or| and|, or|, and| nor|/) ?(?:the )?` + toolSlug + `)*)` +
		`(?: (?:(?:response|message|answer) )?(?:formats?|tools?|functions?))?`
	barred = `(?:` + unused + `|(?:must|shall|should|may|can)(?: not|n['’]t| never) be (?:called|invoked|run)|cannot be (?:called|invoked|run)|` +
		`(?:is|are) (?:currently |now |no longer |not (?:currently |now )?)?(?:un)?available|(?:is|are) (?:currently |now )?(?:disabled|deactivated|(?:turned|switched) off|off[- ]limits))`
)

// The frames of clauses that forbid a tool by its format.
var (
	// neverTool matches "never use `shell:json`", and noTool "`shell:json` must not be used". Of noTool the second group is what is said of it.
	neverTool = notation.Pattern(lead + `(?:(?:` + assistant + `) )?` + modals + not + ` ` + modals + `(?:` + called + ` )?` + tools)
	noTool    = notation.Pattern(lead + `(?:(?:the |any )?(?:us(?:e|age)|calls?|calling|using) (?:of |to )?)?` + tools + ` (` + barred + `)`)
	// there matches what says that a tool is there.
	there = notation.Pattern(`(?i)^(?:is|are) (?:currently |now )?available`)
	// sometimes finds sentences that forbid a tool for a part of the thread, or tell of it.
	sometimes = notation.Pattern(`(?i)\b(?:if|when|whenever|where|while|unless|until|before|after|for|except|forget|either|examples?|e\.g|i\.e)\b`)
	// because matches a reason, and what goes on with a clause that is complete.
	because = notation.Pattern(`(?i),? (?:because|since) .*$|[,:–—-]+ ?(?:it|this|that|they|which)(?:['’]s|['’]re| is| are| was| were| has| have| will| would| may| might| can)\b.*$|` +
		`[:,–—-]+ ?(?:but )?(?:use|call) .*$`)
)

// tooled reads clauses that forbid tools by their formats.
func tooled(c clause) (reading, bool) {
	m := neverTool().FindStringSubmatchIndex(c.text)
	if m == nil {
		if m = noTool().FindStringSubmatchIndex(c.text); m == nil || there().MatchString(c.text[m[4]:m[5]]) {
			return reading{}, false
		}
	}
	before, rest := c.before+c.link, because().ReplaceAllString(c.text[m[1]:], "")
	if c.link != "" && c.link[0] == '\n' { // another sentence
		before = ""
	}
	switch {
	case !ends().MatchString(rest) || adverbs().MatchString(c.text[:m[2]]+rest): // "not only"
		return reading{}, false
	case sometimes().MatchString(before + c.text[m[1]:]), retold().MatchString(before), toOthers().MatchString(before), optional().MatchString(c.text[:m[2]]):
		return reading{}, true
	}
	r := reading{formats: c.text[m[2]:m[3]], forbids: true, force: firm}
	if asks().MatchString(c.text) {
		r.force = loose
	}
	return r, true
}

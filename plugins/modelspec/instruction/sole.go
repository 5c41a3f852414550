package instruction

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

const (
	answerFormats = `(?:` + answers + ` )?formats?`
	exception     = `(?:but|other than|except(?: for)?|besides|than|apart from|aside from) (?:(?:in|as|with|the|an?|those of) )*`
	// nothing and anything match what is denied but for an exception.
	nothing  = `(?:nothing(?: else)?|no(?: other)?` + kind + `)`
	anything = `(?:anything(?: else)?|any(?: other)?` + kind + `|an?(?:other)?(?: different| other)?` + kind + `|(?:other )?` + answerFormats + `)`
	// yours matches whose format it is, or that it is allowed.
	yours = ` (?:(?:that |which )?(?:you|the assistant|the model) (?:may|can|must|shall|(?:are|is) (?:allowed|permitted) to)(?: ever)? ` +
		`(?:use|output|(?:respond|answer|reply|write) (?:in|with))|(?:that is |which is )?(?:allowed|permitted))`
)

// The frames of clauses that allow a format alone, or none but others.
var (
	// exclusive matches "do not respond in anything but `json`". Its groups are the assistant, a denial, what is between verb and
	// exception, "nothing" and the formats.
	exclusive = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals + `(?:(` + not + `) )?` + modals + `(?:respond|reply|answer|output|write|return|use|produce|generate)(?:s|ing)?` +
		"((?: [^ ,`]+){0,3}?)(?: (?:in|as|with|using))? (?:(" + nothing + `)|` + anything + `) ` + exception + spans)
	// nothingElse matches "no format but `json` is allowed".
	nothingElse = notation.Pattern(lead + `(?:` + nothing + ` ` + exception + spans + kind + `? (?:(?:is|are|may|can|will|shall|be|ever) )+` + allowed +
		`|(?:(?:all |any )?` + answers + ` in )?` + anything + ` ` + exception + spans + kind + `? ` + unused + `)`)
	// onlyAllowed matches "only the `json` format is allowed".
	onlyAllowed = notation.Pattern(lead + `only (?:the )?` + spans + kind + `? (?:(?:is|are|may|can|must|shall|will|be|ever) )+` + allowed)
	// isOnly matches "`json` is the only format you may use", and onlyIs the other way around. The second group is whose it is.
	isOnly = notation.Pattern(lead + `(?:the )?` + spans + kind + `? (?:is|are|must be|shall be|will be) (?:the |your )?(?:only|sole)((?: (?:allowed|permitted|acceptable))?)` +
		kind + `((?:` + yours + `)?)`)
	onlyIs = notation.Pattern(lead + `(?:the|your) (?:only|sole)((?: (?:allowed|permitted|acceptable))?)` + kind + `((?:` + yours + `)?) (?:is|are|must be|shall be) (?:the )?` + spans)
	// mustBe matches "the `json` format must be used", and mustNotBe denials.
	mustBe    = notation.Pattern(lead + `(?:the )?` + spans + `(` + kind + `?) (?:(?:must|shall)(?: ` + adverb + `)? be used|(?:is|are) (?:required|mandatory|obligatory))`)
	mustNotBe = notation.Pattern(lead + `(?:the )?` + spans + `(` + kind + `?) ` + unused)
)

// excepted reads clauses that deny all formats but some.
func excepted(c clause) (reading, bool) {
	m := exclusive().FindStringSubmatchIndex(c.text)
	if m == nil || !c.ofAssistant(m[2] >= 0) || (m[4] >= 0) == (m[8] >= 0) {
		return reading{}, false
	}
	between := c.text[m[6]:m[7]]
	if optional().MatchString(c.text[:m[6]]) || !alone().MatchString(between) && !object().MatchString(between) {
		return reading{}, false
	}
	return c.exact(m[10:12], m[11], asks().MatchString(c.text[:m[10]]))
}

// sole reads clauses that allow formats alone.
func sole(c clause) (reading, bool) {
	if m := nothingElse().FindStringSubmatchIndex(c.text); m != nil {
		return c.exact(orElse(m[2:4], m[4:6]), m[1], false)
	}
	if m := onlyAllowed().FindStringSubmatchIndex(c.text); m != nil {
		return c.exact(m[2:4], m[1], false)
	}
	if m := isOnly().FindStringSubmatchIndex(c.text); m != nil {
		return c.exact(m[2:4], m[1], m[4] == m[5] && m[6] == m[7])
	}
	if m := onlyIs().FindStringSubmatchIndex(c.text); m != nil {
		return c.exact(m[6:8], m[1], m[2] == m[3] && m[4] == m[5] && !strings.Contains(strings.ToLower(c.text[:m[6]]), "your "))
	}
	if m := mustBe().FindStringSubmatchIndex(c.text); m != nil {
		return c.exact(m[2:4], m[1], m[4] == m[5] && !purpose().MatchString(c.text[m[1]:]))
	}
	return reading{}, false
}

// outlawed reads clauses that forbid formats.
func outlawed(c clause) (reading, bool) {
	m := mustNotBe().FindStringSubmatchIndex(c.text)
	if m == nil {
		return reading{}, false
	}
	r, ok := c.exact(m[2:4], m[1], m[4] == m[5] && !purpose().MatchString(c.text[m[1]:]) || asks().MatchString(c.text[:m[1]]))
	r.forbids = true
	return r, ok
}

// exact returns what a clause says that ends behind a match, but for a purpose or a reason. doubtful makes it loose.
func (c clause) exact(formats []int, end int, doubtful bool) (reading, bool) {
	r := reading{formats: c.text[formats[0]:formats[1]], rest: c.text[end:], force: firm}
	r.bare = !ofTexts().MatchString(c.text)
	if doubtful || strings.HasPrefix(c.link, ":") && (toOthers().MatchString(c.before) || ofOthers().MatchString(c.before)) {
		r.force = loose
	}
	return r, ends().MatchString(purpose().ReplaceAllString(r.rest, ""))
}

func orElse(first, second []int) []int {
	if first[0] >= 0 {
		return first
	}
	return second
}

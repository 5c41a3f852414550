package instruction

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// The frames of clauses that say in which format answers are.
var (
	// saying matches "you must respond in `json`". Its groups are the assistant, a denial, a verb that needs an object, the ending of the
	// verb, what is between the verb and the format, and the formats.
	saying = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals + `(?:(` + not + `) )?` + modals + verb +
		"((?: [^ ,`]+){0,6}?) " + in + spans)
	// said matches "your answers are always in `json`" and "every response must use `json`". Answers of nobody in particular must be so.
	said = notation.Pattern(lead + `(?:` + ours + `|` + theirs + ` ` + duty + `)(?: ` + toUser + `)?((?: (?:must|shall|should|may|can|will|be|are|is|to|needs?|ha(?:ve|s)|` +
		`not|never|ever|written|given|formatted|returned|sent|provided|` + adverb + `))*) (?:` + in + `|(?:use|have) (?:only )?(?:(?:the|an?) )?|(?:(?:valid|raw|plain|only) )*)` + spans)
	// used matches "only use the `json` format". Its groups are the assistant, a denial and the formats.
	used = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals + `(?:(` + not + `) )?` + modals + `us(?:es?|ing) (?:only )?(?:the )?` + spans)
	// emits matches "output only `json`". Its groups are the assistant, a denial and the formats.
	emits = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals + `(?:(` + not + `) )?` + modals + `(?:output|return|produce|generate|emit|print)s? ` +
		`(?:(?:only|just|nothing but|valid|raw|plain) )*` + spans)
	ofData     = notation.Pattern("(?i)^`(?:jsonl?|ya?ml|xml|csv|html|markdown|md|plaintext|text)`")
	inAnswers  = notation.Pattern(`(?i)^ ` + answers + ` formats?\b`)
	forAnswers = notation.Pattern(`(?i)^` + kind + `? (?:for|in) (?:(?:all|each|every|any) )?(?:of )?(?:your |the )?` + answers + `\b`)
)

// told reads clauses that say in which format the assistant answers, or does not.
func told(c clause) (reading, bool) {
	if m := saying().FindStringSubmatchIndex(c.text); m != nil {
		if rest := c.text[m[13]:]; c.says(m, rest) {
			return c.reading(m[12:14], c.text[m[10]:m[11]], m[4:6]), true
		}
	}
	if m := said().FindStringSubmatchIndex(c.text); m != nil && ordinal().MatchString(c.text[:m[2]]) {
		return reading{}, true
	} else if m != nil {
		denial := negated().FindStringIndex(c.text[:m[3]])
		if denial == nil {
			denial = []int{-1, -1}
		}
		return c.reading(m[4:6], "", denial), true
	}
	if m := used().FindStringSubmatchIndex(c.text); m != nil && c.ofAssistant(m[2] >= 0) {
		r, rest := c.reading(m[6:8], "", m[4:6]), c.text[m[7]:]
		switch is := forAnswers().FindString(rest); {
		case is != "":
			r.rest = rest[len(is):]
		case !ends().MatchString(others().ReplaceAllString(rest, "")):
			return reading{}, false
		case !inKind().MatchString(rest) && !ofData().MatchString(r.formats): // a programming language
			r.force = none
		case !inKind().MatchString(rest) || strings.HasPrefix(c.link, ":"):
			r.force = min(r.force, loose)
		default:
			r.bare = !inAnswers().MatchString(rest)
		}
		return r, true
	}
	return reading{}, false
}

// reading returns what the clause says of the formats at a place, with open words before them, by its words of demand and denial.
func (c clause) reading(formats []int, open string, denial []int) reading {
	at, rest := formats[0], c.text[formats[1]:]
	r := reading{formats: c.text[at:formats[1]], rest: rest, open: open}
	rest, _, _ = strings.Cut(rest, ":")
	before := c.text[:at]
	switch {
	case denial[0] >= 0:
		r.forbids = true
		if optional().MatchString(before) {
			return r
		}
		if !adverbs().MatchString(c.text[denial[1]:at]) && ends().MatchString(purpose().ReplaceAllString(rest, "")) { // not "not only"
			r.force = firm
		}
	case demands().MatchString(before), late().MatchString(rest), others().MatchString(rest), strings.Contains(c.link, "and") && joint().MatchString(c.before):
		r.force = firm
	}
	switch {
	case r.force == none && !r.forbids && asks().MatchString(before):
		r.force = loose
	case asks().MatchString(before):
		r.force = min(r.force, loose)
	}
	return r
}

// says reports whether it is the assistant that says something by a match of saying, and the format is that of all it says. rest is
// the text behind the match.
func (c clause) says(m []int, rest string) bool {
	named, denied, needsObject, ending := m[2] >= 0, m[4] >= 0, m[6] >= 0, ""
	if m[8] >= 0 {
		ending = strings.ToLower(c.text[m[8]:m[9]])
	}
	third := named && !strings.EqualFold(c.text[m[2]:m[3]], "you")
	if !c.ofAssistant(named) || ending == "s" && !third || ending == "ing" && !denied {
		return false
	}
	between := c.text[m[10]:m[11]]
	if object().MatchString(between) || !needsObject && alone().MatchString(between) {
		return true
	}
	if needsObject || !content().MatchString(between) || belongs().MatchString(between) {
		return false
	}
	return strings.HasPrefix(c.text[m[11]:], " using ") || strings.Contains(rest, " format") // "with a loop in `python`" is a part
}

// emitted reads clauses whose object is the format, as "output only `json`". In a sentence with others it may be that of a program.
func emitted(c clause) (reading, bool) {
	m := emits().FindStringSubmatchIndex(c.text)
	if m == nil || !c.ofAssistant(m[2] >= 0) || !ends().MatchString(purpose().ReplaceAllString(others().ReplaceAllString(c.text[m[7]:], ""), "")) {
		return reading{}, false
	}
	r := c.reading(m[6:8], "", m[4:6])
	if c.before != "" && !strings.HasPrefix(c.link, "\n") {
		r.force = min(r.force, loose)
	}
	return r, true
}

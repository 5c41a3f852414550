package instruction

import (
	"iter"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A clause is a part of a sentence, with what precedes it and what links the two.
type clause struct{ before, link, text string }

// A reading is what a clause says of formats.
type reading struct {
	formats string // text with the code spans of the formats
	rest    string // of the clause, behind them
	open    string // words that may make the clause a condition or a denial
	forbids bool   // the formats, or else answers have one of them
	bare    bool   // it does not say that it is about answers
	vague   bool   // no frame reads it
	force   force
}

// A force says how much a reading demands.
type force uint8

// The forces.
const (
	none  force = iota // it describes or permits
	loose              // it asks, or may mean something else
	firm
)

// maxClauses bounds the clauses of a sentence that are looked at, behind the first.
const maxClauses = 16

// readings iterates over what the clauses of a sentence demand.
func readings(sentence string) iter.Seq[reading] {
	return func(yield func(reading) bool) {
		found := false
		ok := clauses(sentence, func(c clause) bool {
			r, matched := c.read()
			found = found || matched
			return r.force == none || yield(r)
		})
		if r := rough(sentence); ok && !found && r.force != none {
			yield(r)
		}
	}
}

// clauses calls each with the clauses of a sentence, until it returns false.
func clauses(sentence string, each func(clause) bool) bool {
	if !each(clause{text: sentence}) {
		return false
	}
	for _, at := range begins().FindAllStringIndex(sentence, maxClauses) {
		c := clause{sentence[:at[0]], sentence[at[0]:at[1]], sentence[at[1]:]}
		if namesAny(c.text) && !each(c) {
			return false
		}
	}
	return true
}

// read returns what a clause says of formats, and whether it is about them.
func (c clause) read() (r reading, matched bool) {
	if r, matched = tooled(c); matched {
		return r, true
	}
	for _, frame := range []func(clause) (reading, bool){excepted, told, emitted, sole, outlawed} {
		if r, matched = frame(c); matched {
			r.force = min(r.force, c.limit(r))
			return r, true
		}
	}
	return reading{}, false
}

// limit returns how much a reading of the clause may demand at most.
func (c clause) limit(r reading) force {
	before := c.before + c.link
	if strings.HasPrefix(c.link, "\n") { // another sentence
		before = ""
	}
	rest, _, _ := strings.Cut(others().ReplaceAllString(r.rest, ""), ":")
	own := purpose().ReplaceAllString(formatSpan().ReplaceAllString(r.open+rest, ""), "")
	switch {
	case !isFormat().MatchString(rest), conditional().MatchString(before + own), negated().MatchString(own):
		return none
	case negated().MatchString(before):
		return loose
	}
	return firm
}

// ofAssistant reports whether the clause is about the assistant: it names it, commands, or goes on with a sentence about it.
func (c clause) ofAssistant(named bool) bool {
	switch {
	case named || c.before == "" || strings.HasPrefix(c.link, "\n"):
		return true
	case strings.HasPrefix(c.link, ":"):
		return !toOthers().MatchString(c.before) && !retold().MatchString(c.before)
	}
	return itself().MatchString(c.before) || !ofOthers().MatchString(c.before)
}

// keeps matches words about a limit.
const keeps = `(?:(?:limited|restricted|stick|keep|adhere) to|stick with)`

var (
	// roughly finds formats beside words of a demand about answers.
	roughly = notation.Pattern("(?i)" + spans + kind + `\b|\b(?:must|shall) be (?:valid |in )?` + spans + `|\bformat (?:is|must be|shall be|should be) (?:the )?` + spans)
	pressed = notation.Pattern(`(?i)\b(?:must|shall|should|` + adverb + `|nothing|required|mandatory|` + keeps + `)\b`)
	ofTexts = notation.Pattern(`(?i)\b(?:respond|reply|answer|output|return|response|repl(?:y|ies)|` + keeps + `)`)
	ofThem  = notation.Pattern(`(?i)^(?:the|all|any) (?:\w+ )?(?:` + "`" + `|` + answers + `|formats?\b)`)
	topical = notation.Pattern(`(?i)\b(?:about|regarding|concerning|questions?|queries|which|who|whose|what|how|whether|from)\b`)
)

// rough returns the loose demand of a sentence that has a word of demand and names a format of answers, in a way that no frame reads.
func rough(sentence string) (r reading) {
	m := roughly().FindStringSubmatch(sentence)
	if m == nil || !pressed().MatchString(sentence) || !ofTexts().MatchString(sentence) {
		return reading{}
	}
	words := formatSpan().ReplaceAllString(sentence, "")
	switch {
	case conditional().MatchString(words), negated().MatchString(words), topical().MatchString(words), toOthers().MatchString(words), retold().MatchString(words),
		ofOthers().MatchString(sentence) && !ofThem().MatchString(sentence):
		return reading{}
	}
	return reading{formats: m[1] + m[2] + m[3], force: loose, vague: true}
}

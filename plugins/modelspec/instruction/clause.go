package instruction

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// The words of clauses that demand a format.
const (
	lead = `(?i)^(?:(?:please|now|note|remember|instead|therefore|make sure|be sure|ensure|it is (?:important|essential|crucial)|` +
		`i want you|your (?:job|task|role) is|that|to) )*`
	assistant = `(?:you|the (?:assistant|model|ai)|you are an? (?:[\w-]+ ){0,2}(?:assistant|chatbot|bot|agent|model|ai|tutor|expert) (?:that|who|which))`
	adverb    = `(?:only|always|exclusively|strictly|solely)`
	modals    = `(?:(?:must|shall|may|can|will|to|be|are|is|required|obliged|allowed|permitted|expected|` + adverb + `) )*`
	answers   = `(?:answers?|responses?|repl(?:y|ies)|outputs?|messages?)`
	parties   = `(?:users?|clients?|customers?|callers?|developers?|apis?|servers?|services?)`
	toUser    = `(?:(?:to )?(?:the )?users?|(?:to )?(?:me|them))`
	in        = `(?:in|as|with|using) (?:only )?(?:(?:the|an?) )?`
	slug      = "`[A-Za-z0-9_-]+`"
)

// The clauses that demand a format, up to its code span, which is the last group.
var (
	// saying matches "you must respond in `json`". Its groups are the assistant, a verb that needs an object, the ending of the third
	// person, and what is between the verb and the format.
	saying = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals +
		`(?:respond|replie|reply|answer|output|(write|return|give|produce|generate|provide|format|present))(s)?` +
		"((?: [^ ,`]+){0,6}?) " + in + `(` + slug + `)`)
	// said matches "your answers are always in `json`". Answers of nobody in particular must be so.
	said = notation.Pattern(lead + `(?:(?:all (?:of )?)?your (?:\w+ )?` + answers + `|(?:all )?(?:the )?(?:answers?|responses?|repl(?:y|ies)) (?:must|shall))` +
		`(?: ` + toUser + `)?(?: (?:must|shall|may|can|will|be|are|is|written|given|formatted|returned|sent|provided|` + adverb + `))* ` + in + `(` + slug + `)`)
	// used matches "only use `json`", which demands a format if answers are what it is for.
	used       = notation.Pattern(lead + `(?:(` + assistant + `) )?` + modals + `uses? (?:only )?(?:the )?(` + slug + `)`)
	forAnswers = notation.Pattern(`(?i)^(?: ` + answers + `)?(?: format)? for (?:all )?(?:of )?(?:your |the )?` + answers + `\b`)
)

var (
	// alone matches what may stand between a verb and its format; object matches answers there, and content what they consist of, as
	// "with only the form code" does, unless a format may belong to it, as in "about files in `json`".
	alone  = notation.Pattern(`(?i)^(?: (?:` + adverb + `|just|back|\w+ly|` + toUser + `))*$`)
	object = notation.Pattern(`(?i)^(?: (?:with|just|all|of|your|the|an?|final|whole|entire|` + adverb + `|` + toUser + `))*` +
		` (?:` + answers + `|everything)(?: (?:` + adverb + `|back|` + toUser + `))*$`)
	content = notation.Pattern(`(?i)^(?: ` + adverb + `)* with `)
	belongs = notation.Pattern(`(?i)\b(?:about|on|of|from|regarding|concerning|questions?|queries|which|that|who|whose|what|how|whether|and|or|but)\b`)

	demands = notation.Pattern(`(?i)\b(?:must|shall|` + adverb + `)\b`)
	// joint finds a demand that holds for what "and" adds, and late one behind the format, as in "respond in `json` only".
	joint = notation.Pattern(`(?i)\b(?:must|shall|always)\b`)
	late  = notation.Pattern(`(?i)\b` + adverb + `\W*$`)
	// conditional finds sentences that demand a format for a part of the answers, or forbid one.
	conditional = notation.Pattern(`(?i)\b(?:if|when|whenever|where|while|unless|until|before|after|for|except|no|not|never|avoid|call|tools?|forget|need|have to|` +
		`either|first|each|every|also|should|can use|may use)\b|n['’]t\b`)

	// formats matches the code spans of other formats, and isFormat what may follow them, unlike "field" in "the `json` field".
	formats  = notation.Pattern(`(?i)^(?:(?:,| or| and|, or|, and|/) ?(?:in )?(?:(?:the|an?) )?` + slug + `)*`)
	isFormat = notation.Pattern(`(?i)^(?:$|[^\w ]| [^\w]| (?:` + answers + ` )?formats?\b| (?:syntax|code|markup)(?:$|[^\w ])| (?:and|or|with|without|so|because|since|` +
		`as|at|by|to|in|for|using|which|that|please|` + adverb + `)\b)`)

	// begins finds where clauses begin behind the first.
	begins = notation.Pattern(`(?:[:,]\s+|\n)(?:(?:and|but|so|then) )?| (?:and|but|so|then) `)
	// ofOthers matches sentences about somebody else, which a clause without a subject goes on with. toOthers finds whom a rule is for.
	ofOthers = notation.Pattern(`(?i)^(?:the|an?|our|their|its|his|her|my|this|that|these|those|they|he|she|it|we|i|some|any|all|many|most|people|` + parties + `)\b`)
	toOthers = notation.Pattern(`(?i)\b(?:they|` + parties + `)\b`)
	itself   = notation.Pattern(`(?i)^` + assistant + `\b`)

	formatSpan = notation.Pattern("`([A-Za-z0-9_-]+)`")
)

// A clause is a part of a sentence, with what precedes it and what links the two.
type clause struct{ before, link, text string }

// maxClauses bounds the clauses of a sentence that are looked at, behind the first.
const maxClauses = 16

// demandIn returns a sentence from the code span on that names the format which the assistant must answer in, or "".
func demandIn(sentence string) string {
	sentence = strings.TrimLeft(strings.ReplaceAll(sentence, "*", ""), " \n-–—#(") // without marks of emphasis
	if demand := (clause{text: sentence}).demand(); demand != "" {
		return demand
	}
	for _, at := range begins().FindAllStringIndex(sentence, maxClauses) {
		if demand := (clause{sentence[:at[0]], sentence[at[0]:at[1]], sentence[at[1]:]}).demand(); demand != "" {
			return demand
		}
	}
	return ""
}

// demand returns the clause from the code span on that names the format which it demands, or "".
func (c clause) demand() string {
	at, rest := c.format()
	if at < 0 {
		return ""
	}
	rest, _, _ = strings.Cut(rest, ":")
	demanded := demands().MatchString(c.text[:at]) || late().MatchString(rest) || strings.Contains(c.link, "and") && joint().MatchString(c.before)
	if !demanded || !isFormat().MatchString(rest) || conditional().MatchString(formatSpan().ReplaceAllString(c.before+c.link+c.text[:at]+rest, "")) {
		return ""
	}
	demand, _, _ := strings.Cut(c.text[at:], ":")
	return demand
}

// format returns where the code span of a format begins in which the assistant answers by the clause, or -1, and the text behind that
// and other formats.
func (c clause) format() (at int, rest string) {
	behind := func(end int) string { return c.text[end+len(formats().FindString(c.text[end:])):] }
	if m := saying().FindStringSubmatchIndex(c.text); m != nil && c.says(m, behind(m[11])) {
		return m[10], behind(m[11])
	}
	if m := said().FindStringSubmatchIndex(c.text); m != nil {
		return m[2], behind(m[3])
	}
	if m := used().FindStringSubmatchIndex(c.text); m != nil && c.ofAssistant(m[2] >= 0) {
		rest = behind(m[5])
		if purpose := forAnswers().FindString(rest); purpose != "" {
			return m[4], rest[len(purpose):]
		}
	}
	return -1, ""
}

// says reports whether it is the assistant that says something by a match of saying, and the format is that of all it says. rest is
// the text behind the match.
func (c clause) says(m []int, rest string) bool {
	named, needsObject, third := m[2] >= 0, m[4] >= 0, m[6] >= 0
	if !c.ofAssistant(named) || third && (!named || strings.EqualFold(c.text[m[2]:m[3]], "you")) {
		return false
	}
	between := c.text[m[8]:m[9]]
	if object().MatchString(between) || !needsObject && alone().MatchString(between) {
		return true
	}
	if needsObject || !content().MatchString(between) || belongs().MatchString(between) {
		return false
	}
	return strings.HasPrefix(c.text[m[9]:], " using ") || strings.Contains(rest, " format") // "with a loop in `python`" is a part
}

// ofAssistant reports whether the clause is about the assistant: it names it, commands, or goes on with a sentence about it.
func (c clause) ofAssistant(named bool) bool {
	switch {
	case named || c.before == "" || strings.HasPrefix(c.link, "\n"):
		return true
	case strings.HasPrefix(c.link, ":"):
		return !toOthers().MatchString(c.before)
	}
	return itself().MatchString(c.before) || !ofOthers().MatchString(c.before)
}

package check

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A demanded lists the formats of which a message of the platform or a developer demands one.
type demanded struct {
	at      int // the message
	formats []string
}

// demandedFormat finds an answer in another format than the one that a platform or developer message demands last, as "You may
// only respond in the `plaintext` format" does. Calls and thoughts are no answers.
func demandedFormat(v *view, i int, m *notation.Message) string {
	if m.Format == notation.Reasoning || v.isCall(i) {
		return ""
	}
	for _, d := range slices.Backward(v.demanded) {
		if d.at > i {
			continue
		}
		if format := notation.Canonical(m.Format); !slices.Contains(d.formats, format) {
			return v.want("the format that the "+string(v.messages[d.at].Role)+" demands, "+quote(strings.Join(d.formats, " or ")), m.Format)
		}
		return ""
	}
	return ""
}

var (
	demands   = notation.Pattern(`(?i)\b(?:only|must|always|shall|exclusively)\b`)
	answering = notation.Pattern(`(?i)\b(?:respond|answer|reply|responses?|output)\b`)
	// conditional finds sentences that demand a format for a part of the answers, or forbid one.
	conditional = notation.Pattern(`(?i)\b(?:if|when|whenever|where|while|unless|until|before|after|for|except|no|not|never|avoid|call|tools?|forget|need|have to|` +
		`either|first|each|every|also|should|can use|may use)\b|n['’]t\b`)
	formatSpan = notation.Pattern("`([A-Za-z0-9_-]+)`")
)

// demandedIn returns the formats that the last sentence of message i demands which demands any. It knows formats of the settings and
// languages: the span of "the `slug` format" may be a format of something in an answer.
func (v *view) demandedIn(i int) (formats []string) {
	if strings.IndexByte(v.texts[i], '`') < 0 {
		return nil
	}
	var paragraph []string
	names := false // the paragraph may name a format
	for _, l := range append(v.linesOf(i), line{}) {
		switch {
		case l.prose != "":
			paragraph, names = append(paragraph, l.prose), names || namesSlug(l.prose)
		case l.kind == quoteLine || l.kind == codeLine:
		case names:
			for s := range sentences(strings.Join(paragraph, " ")) {
				if found := v.demandedBy(s); found != nil {
					formats = found
				}
			}
			fallthrough
		default: // an empty line and a fence part paragraphs
			paragraph, names = paragraph[:0], false
		}
	}
	return formats
}

// demandedBy returns the formats that a sentence demands.
func (v *view) demandedBy(sentence string) (formats []string) {
	if !inFormat(sentence) {
		return nil
	}
	words := formatSpan().ReplaceAllString(sentence, "")
	if !demands().MatchString(words) || !answering().MatchString(words) || conditional().MatchString(words) {
		return nil
	}
	for _, m := range formatSpan().FindAllStringSubmatch(sentence, -1) {
		format := notation.Canonical(m[1])
		if _, listed := v.Formats.Find(format); !listed && !isLanguage().MatchString(format) {
			return nil
		}
		formats = append(formats, format)
	}
	return formats
}

// sentences iterates over the parts of a text between marks that end a sentence or clause, of which code spans hold none.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '`':
				if n := strings.IndexByte(text[i+1:], '`'); n >= 0 {
					i += n + 1
					continue
				}
			case '.', '!', '?', ':':
			default:
				continue
			}
			if i > from && !yield(text[from:i]) {
				return
			}
			from = i + 1
		}
		if from < len(text) {
			yield(text[from:])
		}
	}
}

// inFormat reports whether a text has words such as "in the `json`" or "using `json`".
func inFormat(text string) bool {
	for at := range slugSpans(text) {
		before, word, ok := lastWord(text[:at])
		if ok && isAny(word, "the", "a", "an") {
			_, word, ok = lastWord(before)
		}
		if ok && isAny(word, "in", "as", "with", "using") {
			return true
		}
	}
	return false
}

// namesSlug reports whether a text has a code span that names a format without a tool.
func namesSlug(text string) bool {
	for range slugSpans(text) {
		return true
	}
	return false
}

// slugSpans iterates over the code spans of a text that name a format without a tool.
func slugSpans(text string) iter.Seq[int] {
	return func(yield func(at int) bool) {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], '`')
			if i < 0 {
				return
			}
			at += i
			if n := run(text[at+1:], slugByte); n > 0 && strings.HasPrefix(text[at+1+n:], "`") && !yield(at) {
				return
			}
		}
	}
}

// lastWord cuts a word and the blank behind it off the end of a text.
func lastWord(text string) (before, word string, ok bool) {
	text, ok = strings.CutSuffix(text, " ")
	n := len(text) - runBack(text, wordByte)
	return text[:n], text[n:], ok
}

func isAny(word string, of ...string) bool {
	return slices.ContainsFunc(of, func(other string) bool { return len(word) == len(other) && strings.EqualFold(word, other) })
}

var isLanguage = notation.Pattern(`^(?i:` + languages + `)$`)

// defaultTurn finds a text behind which the assistant goes on with another one: by default it ends its turn after one message.
func defaultTurn(v *view, i int, m *notation.Message) string {
	if m.EndTurn || i+1 == len(v.messages) || !notation.IsText(m.Format) {
		return ""
	}
	if next := &v.messages[i+1]; next.Role == notation.Assistant && notation.IsText(next.Format) {
		return "want end_turn after one message of text, have a second one in " + quote(next.Format)
	}
	return ""
}

// announces reports whether a line announces a text that is no instruction, as "From the following news article:" does: a noun is
// at most three words behind a demonstrative, and the sentence goes on to the colon at the end.
func announces(line string) bool {
	if !strings.HasSuffix(line, ":") {
		return false
	}
	for line != "" {
		n := run(line, wordByte)
		if word := line[:n]; isAny(word, "following", "this", "below") && announcesNoun(line[n:]) {
			return true
		}
		line = line[max(n, 1):]
	}
	return false
}

// announcesNoun reports whether a line announces a text behind a demonstrative.
func announcesNoun(line string) bool {
	for range 4 {
		rest, blank := strings.CutPrefix(line, " ")
		noun := rest[:run(rest, wordByte)]
		if mail, ok := cutFold(rest, "e-mail"); ok {
			noun = rest[:len(rest)-len(mail)+run(mail, wordByte)]
		}
		if blank && textNouns[strings.ToLower(noun)] && !strings.ContainsAny(rest[len(noun):], ".!?") {
			return true
		}
		line = strings.TrimLeftFunc(rest, func(r rune) bool { return r == '\'' || r == '’' || r < utf8.RuneSelf && classes[r]&slugByte != 0 })
		if !blank || len(line) == len(rest) {
			return false
		}
	}
	return false
}

// textNouns are what a text that is no instruction is called.
var textNouns = func() map[string]bool {
	nouns := map[string]bool{"notes": true}
	for noun := range strings.FieldsSeq("article document context text email e-mail passage transcript excerpt page content paragraph log review post report") {
		nouns[noun], nouns[noun+"s"] = true, true
	}
	return nouns
}()

// contextEscaped finds a text that is no instruction in a message that instructs, if it reads there like an instruction: without a
// fence, quotation marks, tags or brackets around it.
func contextEscaped(v *view, i int, m *notation.Message) string {
	if !m.Instructs() || strings.IndexByte(v.texts[i], ':') < 0 {
		return ""
	}
	waiting := false
	for _, l := range v.linesOf(i) {
		switch {
		case l.kind == codeLine || l.text == "":
		case l.kind == fenceLine:
			waiting = false
		case waiting && strings.IndexAny(l.text, "\"'“‘«>{[<|`") != 0:
			return "want text that is no instruction in a fence, quotation or tags, have it as it is behind a line that announces it"
		default:
			waiting = announces(l.text)
		}
	}
	return ""
}

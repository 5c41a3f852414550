package check

import (
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
		if !isAny(notation.Canonical(m.Format), d.formats...) {
			return v.want("the format that the "+string(v.messages[d.at].Role)+" demands, "+quote(strings.Join(d.formats, " or ")), m.Format)
		}
		return ""
	}
	return ""
}

// demandedIn returns the formats that the last sentence of message i demands which demands any. It knows formats of the settings and
// languages: the span of "the `slug` format" may be a format of something in an answer.
func (v *view) demandedIn(i int) (formats []string) {
	if strings.IndexByte(v.texts[i], '`') < 0 {
		return nil
	}
	for text := range paragraphs(v.linesOf(i)) {
		for s := range sentences(text) {
			if found := v.demandedBy(s); found != nil {
				formats = found
			}
		}
	}
	return formats
}

// demandedBy returns the formats that a sentence demands.
func (v *view) demandedBy(sentence string) (formats []string) {
	if !inFormat(sentence) {
		return nil
	}
	for _, m := range formatSpan().FindAllStringSubmatch(demandIn(sentence), -1) {
		format := notation.Canonical(strings.ToLower(m[1]))
		if !isLanguage().MatchString(format) {
			format = notation.Canonical(m[1])
			if _, listed := v.Formats.Find(format); !listed {
				return nil
			}
		}
		formats = append(formats, format)
	}
	return formats
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

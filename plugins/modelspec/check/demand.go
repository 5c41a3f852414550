package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A demanded lists the formats of which a message of the platform or a developer demands one.
type demanded struct {
	at      int // the message
	formats []string
}

// demand notes the formats that message i demands.
func (v *view) demand(i int) {
	if strings.IndexByte(v.texts[i], '`') < 0 {
		return
	}
	if formats := instruction.Demanded(v.linesOf(i), v.Formats); formats != nil {
		v.demanded = append(v.demanded, demanded{i, formats})
	}
}

// demandedFormat finds an answer in another format than the one that the platform demands last, or else a developer, as "You may
// only respond in the `plaintext` format" does. Calls and thoughts are no answers.
func demandedFormat(v *view, i int, m *notation.Message) string {
	if m.Format == notation.Reasoning || v.isCall(i) {
		return ""
	}
	d := v.demandBefore(i)
	if d == nil || isAny(notation.Canonical(m.Format), d.formats...) {
		return ""
	}
	return v.want("the format that the "+string(v.messages[d.at].Role)+" demands, "+quote(strings.Join(d.formats, " or ")), m.Format)
}

// demandBefore returns the demand that holds for message i, nil for none. No developer overrides the platform.
func (v *view) demandBefore(i int) (last *demanded) {
	for k := range v.demanded {
		d := &v.demanded[k]
		if d.at <= i && (last == nil || v.messages[last.at].Role != notation.Platform || v.messages[d.at].Role == notation.Platform) {
			last = d
		}
	}
	return last
}

func isAny(word string, of ...string) bool {
	return slices.ContainsFunc(of, func(other string) bool { return len(word) == len(other) && strings.EqualFold(word, other) })
}

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
		case l.Kind == instruction.CodeLine || l.Text == "":
		case l.Kind == instruction.FenceLine:
			waiting = false
		case waiting && strings.IndexAny(l.Text, "\"'“‘«>{[<|`") != 0:
			return "want text that is no instruction in a fence, quotation or tags, have it as it is behind a line that announces it"
		default:
			waiting = announces(l.Text)
		}
	}
	return ""
}

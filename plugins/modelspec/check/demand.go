package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A demanded holds what a message of the platform or a developer demands of the formats of answers.
type demanded struct {
	at int // the message
	instruction.Demands
}

// demand notes what message i demands.
func (v *view) demand(i int) {
	later := len(v.demanded) > 0
	if !instruction.MayDemand(v.texts[i], v.Formats, later) {
		return
	}
	if d := instruction.ReadDemands(v.texts[i], v.linesOf(i), v.Formats, later); !d.IsEmpty() || later && d.Lifts() {
		v.demanded = append(v.demanded, demanded{i, d})
	}
}

// demandedFormat finds an answer in another format than the platform demands last, or else a developer, as "You may only respond in
// the `plaintext` format" does, or an answer or a call in one that they forbid.
func demandedFormat(v *view, i int, m *notation.Message) string {
	d, platform := v.demandsOn(i, m)
	switch {
	case d.Firm.Formats != nil && !allows(d.Firm, m.Format):
		return v.want("the format that the "+author(platform.Firm.Formats != nil)+" demands, "+quote(strings.Join(d.Firm.Formats, " or ")), m.Format)
	case !allows(d.Firm, m.Format):
		return v.want("a format that the "+author(!allows(platform.Firm, m.Format))+" does not forbid", m.Format)
	}
	return ""
}

// askedFormat finds an answer in another format than the platform or a developer asks for, or may demand, where none is demanded.
func askedFormat(v *view, i int, m *notation.Message) string {
	d, platform := v.demandsOn(i, m)
	switch {
	case d.Firm.Formats != nil || allows(d.Loose, m.Format):
		return ""
	case d.Loose.Formats != nil:
		return v.want("the format that the "+author(platform.Loose.Formats != nil)+" seems to ask for, "+quote(strings.Join(d.Loose.Formats, " or ")), m.Format)
	}
	return v.want("a format that the "+author(!allows(platform.Loose, m.Format))+" does not seem to forbid", m.Format)
}

// demandsOn returns the demands on message i, and those of the platform. Of calls and thoughts no format is demanded.
func (v *view) demandsOn(i int, m *notation.Message) (all, platform instruction.Demands) {
	if len(v.demanded) == 0 {
		return all, platform
	}
	var developer instruction.Demands
	for _, d := range v.demanded {
		switch {
		case d.at > i:
		case v.messages[d.at].Role == notation.Platform:
			platform.Add(d.Demands)
		default:
			developer.Add(d.Demands)
		}
	}
	all = platform.Over(developer)
	if m.Format == notation.Reasoning || v.isCall(i) { // no answer, to which only its own name in full applies
		all.Loose.Formats, all.Firm.Formats, platform.Firm.Formats = nil, nil, nil
		if !strings.Contains(m.Format, ":") {
			all.Loose.Forbidden, all.Firm.Forbidden = nil, nil
		}
	}
	return all, platform
}

// allows reports whether an answer may be in a format.
func allows(d instruction.Demand, format string) bool {
	format = notation.Canonical(format)
	return (d.Formats == nil || isAny(format, d.Formats...)) && !isAny(format, d.Forbidden...)
}

func author(isPlatform bool) string {
	if isPlatform {
		return string(notation.Platform)
	}
	return string(notation.Developer)
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

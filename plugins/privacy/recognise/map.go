package recognise

import (
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/plaintext"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Map is the first look at a text, with the stops of an engine's anchors.
type Map struct {
	prefilter.Map
	engine *Engine
}

// Read makes a map of a text.
func (m *Map) Read(e *Engine, text string) {
	m.engine = e
	m.Map.Read(e.index, text)
}

// ReadJSON makes a map of a JSON text, of whose quotes it has those that begin or end a string.
func (m *Map) ReadJSON(e *Engine, doc string) {
	m.engine = e
	m.Map.ReadJSON(e.index, doc)
}

// MayHold reports whether Text[start:end], the text of a JSON string with its escapes, can hold a finding. It may be true in vain.
func (m *Map) MayHold(start, end int) bool { return !m.IsQuiet(start, end) && m.mayHold(start, end) }

func (m *Map) mayHold(start, end int) bool {
	if start >= end || m.engine.always {
		return start < end
	}
	for from := max(0, start-1); ; {
		at := m.Stop(from, end)
		if at >= end {
			return false
		}
		if m.holdsAt(at, start, end) {
			return true
		}
		from = at + 1
	}
}

// holdsAt reports whether Text[start:end] may hold a finding by the stop at at.
func (m *Map) holdsAt(at, start, end int) bool {
	e, raw := m.engine, m.Text[start:end]
	if at >= start {
		switch c := m.Text[at]; {
		case c == '@', ascii.IsDigit(c) && (at == start || !ascii.IsDigit(m.Text[at-1])) && e.mayBeNumber(raw, at-start):
			return true
		}
	}
	if !m.MayBegin(at) {
		return false
	}
	near, ahead := e.index.At(m.Text, at)
	for k := range near {
		p := near[k]
		if first := p.Match(raw, at-start, ahead); first >= 0 {
			if counts := e.handlers[p.Number].counts; counts == nil || counts(raw, first) {
				return true
			}
		}
	}
	for j := max(at, start); j < min(at+2, end); j++ {
		if prefilter.IsAddressColon(m.Text[:end], j) {
			return true
		}
	}
	return false
}

// mayBeNumber reports whether the digits that begin at j can be part of a finding.
func (e *Engine) mayBeNumber(raw string, j int) bool {
	if e.Addresses {
		return true
	}
	if at := prefilter.EscapeAround(raw, j); at >= 0 {
		if r, _ := jsontext.Unescape(jsontext.Body(raw[at : at+6])); r < utf8.RuneSelf || plaintext.Hidden().Has(r) {
			return true // as \u0040, which is an @
		}
		if j = at + 6; j == len(raw) || !ascii.IsDigit(raw[j]) {
			return false
		}
	}
	end := ascii.Forward(raw, j, len(raw), ascii.DigitSet)
	switch {
	case end-j >= 6:
		return true
	case end-j == 4 && end < len(raw) && ascii.IsAlnum(raw[end]) && j >= 5 && ascii.IsAlnum(raw[j-5]): // five letters, four digits, a letter
		return true
	case isForeign(raw, end): // degrees, or a space that is not ASCII
		return true
	case end+1 < len(raw) && raw[end] == '.' && ascii.IsDigit(raw[end+1]):
		return true
	case end < len(raw) && raw[end] == ' ' && isForeign(raw, end+1):
		return true
	}
	// Enough digits nearby, or a word that is as long as an address of a currency. No underscore is in either; two in a
	// row may be a sign of Markdown.
	digits, word := 0, true
	for i := j; i < len(raw) && i < j+48; i++ {
		c := raw[i]
		if c == '\\' && i+1 < len(raw) { // an escape
			if word && i-j >= 25 {
				return true
			}
			if word = false; raw[i+1] == 'u' {
				i += 4
			}
			i++
			continue
		}
		switch {
		case ascii.IsDigit(c):
			if digits++; digits >= 6 {
				return true
			}
		case !ascii.IsAlnum(c):
			if word && i-j >= 25 {
				return true
			}
			word = false
		}
		if c == '_' && raw[i-1] != '_' && (i+1 == len(raw) || raw[i+1] != '_') {
			break
		}
	}
	return word && len(raw)-j >= 25 || hasLabel(raw[max(0, j-40):j]) || mayBeMAC(raw, j) || mayBeFiscalCode(raw, j)
}

// mayBeFiscalCode reports whether the digit at j is in a word as long as an Italian tax code, which has letters in place of some of its seven
// digits where two people would have the same.
func mayBeFiscalCode(raw string, j int) bool {
	const size, letters = 16, 6 // of which it begins with so many
	start := ascii.Back(raw, j, size, ascii.AlnumSet)
	if start > 0 && raw[start-1] == '\\' {
		start++ // the letter of an escape
	}
	return j-start >= letters && ascii.Forward(raw, j, size, ascii.AlnumSet)-start == size && ascii.Forward(raw, start, letters, letterSet) == start+letters
}

// isForeign reports whether a character at at is not ASCII.
func isForeign(raw string, at int) bool {
	return at < len(raw) && (raw[at] >= utf8.RuneSelf || strings.HasPrefix(raw[at:], `\u`))
}

// mayBeMAC reports whether the digit at j may be one of a MAC address without colons.
func mayBeMAC(raw string, j int) bool {
	if strings.Count(raw[max(0, j-eui64Size):min(len(raw), j+eui64Size)], "-") >= 5 {
		return true
	}
	start := ascii.Back(raw, j, dottedSize, dottedSet)
	return start+dottedSize <= len(raw) && isDottedMAC(raw[start:start+dottedSize]) ||
		ascii.Forward(raw, j, 12, ascii.HexSet)-ascii.Back(raw, j, 12, ascii.HexSet) == 12
}

// hasLabel reports whether a text has lat, lng or lon in it, in any case.
func hasLabel(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i]|0x20 == 'l' {
			switch b, c := s[i+1]|0x20, s[i+2]|0x20; {
			case b == 'a' && c == 't', b == 'n' && c == 'g', b == 'o' && c == 'n':
				return true
			}
		}
	}
	return false
}

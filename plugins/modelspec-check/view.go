package modelspeccheck

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
)

// A view is a thread with what its messages say about formats.
type view struct {
	modelspec.Thread
	allowed    []string  // the names of the formats that the settings have, in full
	authority  []named   // what platform and developer messages name, by message; others are empty
	users      []named   // what user messages name
	leakLength int       // in code points
	secrets    []*secret // of platform and developer messages, made when asked for
}

// named holds the formats that a text names.
type named struct {
	formats  map[string]bool // in code spans, and the answer language of fences such as "typescript:json"
	demanded map[string]bool // those a sentence demands, such as "only respond in the `json` format"
}

func newView(t modelspec.Thread, leakLength int) *view {
	v := &view{Thread: t, leakLength: leakLength}
	for _, f := range t.Formats {
		v.allowed = append(v.allowed, modelspec.Canonical(f.Name))
	}
	v.authority = make([]named, len(t.Messages))
	v.users = make([]named, len(t.Messages))
	for i, m := range t.Messages {
		switch m.Role {
		case "platform", "developer":
			v.authority[i] = formatsIn(m.Content)
		case "user":
			v.users[i] = formatsIn(m.Content)
		}
	}
	return v
}

// before tells whether a message that stands before message i names a format with that property.
func before(all []named, i int, ok func(named) bool) bool {
	for _, n := range all[:i] {
		if ok(n) {
			return true
		}
	}
	return false
}

// enabled tells whether a platform or developer message before message i names the format.
func (v *view) enabled(format string, i int) bool {
	return before(v.authority, i, func(n named) bool { return names(n.formats, format) })
}

// names tells whether a set of formats has the format: itself, or a tool in its language. The document writes the
// content of a `browser:js` call as a block of "js".
func names(set map[string]bool, format string) bool {
	format = modelspec.Canonical(format)
	if set[format] {
		return true
	}
	if tool, _ := modelspec.Split(format); tool != "" {
		return false
	}
	for name := range set {
		if tool, language := modelspec.Split(name); tool != "" && language == format {
			return true
		}
	}
	return false
}

// setting finds what the system settings say about a format: under its name, or under the only tool in its language.
func (v *view) setting(format string) (modelspec.Format, bool) {
	format = modelspec.Canonical(format)
	at, found := 0, 0
	for i, name := range v.allowed {
		if name == format {
			return v.Formats[i], true
		}
		if tool, language := modelspec.Split(name); tool != "" && language == format {
			at, found = i, found+1
		}
	}
	if found == 1 {
		return v.Formats[at], true
	}
	return modelspec.Format{}, false
}

// isText tells whether a format is for people to read, and so neither a call nor data.
func isText(format string) bool {
	switch modelspec.Canonical(format) {
	case "markdown", "plaintext", "text":
		return true
	}
	return false
}

// isCall tells whether an assistant message is a call that a tool may answer.
func (v *view) isCall(m modelspec.Message) bool {
	if m.Role != "assistant" || isText(m.Format) {
		return false
	}
	if tool, _ := modelspec.Split(m.Format); tool != "" {
		return true
	}
	f, ok := v.setting(m.Format)
	return ok && f.Halts()
}

// halts tells whether the settings stop inference at a call.
func (v *view) halts(m modelspec.Message) bool {
	f, ok := v.setting(m.Format)
	return ok && f.Halts() && m.Role == "assistant"
}

var (
	demand    = []string{"respond", "answer", "reply", "return", "output", "write"}
	only      = []string{"only", "exclusively"}
	condition = []string{"if", "when", "whenever", "unless"}
)

// demands tells whether a sentence asks for its formats and no others.
func demands(sentence string) bool {
	return hasWord(sentence, only) && hasWord(sentence, demand) && !hasWord(sentence, condition) && !strings.Contains(sentence, "to call ")
}

// hasWord tells whether a text has one of the words, in any case.
func hasWord(text string, words []string) bool {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		for _, word := range words {
			if len(word) == i-from && strings.EqualFold(text[from:i], word) {
				return true
			}
		}
	}
	return false
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// asksInFence tells whether a line of text says that the fenced block behind it is the format of the answer.
func asksInFence(line string) bool {
	line = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(line), ":"))
	return line == "response format" || strings.HasSuffix(line, " response format")
}

// formatsIn reads the formats a text names. Code inside fenced blocks names none.
func formatsIn(text string) (n named) {
	if !strings.Contains(text, "`") {
		return n
	}
	n = named{formats: map[string]bool{}, demanded: map[string]bool{}}
	fence, last := "", ""
	for line := range strings.Lines(text) {
		if fence == "" && !strings.Contains(line, "`") {
			last = line
			continue
		}
		line = strings.TrimSpace(line)
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if ticks == line && len(ticks) >= len(fence) {
				fence = ""
			}
		case len(ticks) >= 3:
			fence = ticks
			if tool, language := modelspec.Split(modelspec.Canonical(line[len(ticks):])); tool != "" {
				n.formats[language] = true
				if asksInFence(last) {
					n.demanded[language] = true
				}
			}
		default:
			n.line(line)
			last = line
		}
	}
	return n
}

// line reads the code spans of a line that hold a name.
func (n named) line(line string) {
	at := 0 // where the sentence begins
	for {
		open := strings.IndexByte(line[at:], '`')
		if open < 0 {
			return
		}
		sentence := line[at : at+sentenceEnd(line[at:])]
		if open >= len(sentence) {
			at += len(sentence)
			continue
		}
		demanded := demands(sentence)
		for i, span := range strings.Split(sentence, "`") {
			if i%2 == 0 || !isName(span) {
				continue
			}
			format := modelspec.Canonical(span)
			n.formats[format] = true
			if demanded {
				n.demanded[format] = true
			}
		}
		at += len(sentence)
	}
}

// sentenceEnd is the offset behind the first sentence. Dots in code spans end none.
func sentenceEnd(text string) int {
	code := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '`':
			code = !code
		case !code && (c == '.' || c == '!' || c == '?') && (i+1 == len(text) || text[i+1] == ' '):
			return i + 1
		}
	}
	return len(text)
}

// isName tells whether a code span can be a format.
func isName(span string) bool {
	for i := range len(span) {
		c := span[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_.:-", c) >= 0) {
			return false
		}
	}
	return span != ""
}

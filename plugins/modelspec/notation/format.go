package notation

import (
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Format is a response format that the system settings allow.
type Format struct {
	Name             string
	HaltOnStart      bool
	HaltOnCompletion bool
	Sampler          Sampler
}

// Halts reports whether the system stops the model at the format, so that a tool can answer.
func (f Format) Halts() bool { return f.HaltOnStart || f.HaltOnCompletion }

// Tool returns the tool that the format calls, or "".
func (f Format) Tool() string {
	tool, _ := Split(Canonical(f.Name))
	return tool
}

// Sampler restricts what a model may write in a format. The zero value allows everything.
type Sampler struct {
	Language string        // "json", "jsonl" or another of Languages
	Grammar  string        // a BNF or EBNF grammar, decoded
	Custom   jsontext.JSON // another custom sampler
}

// Languages lists the names that a sampler may have.
var Languages = []string{"json", "jsonl", "yaml", "csv", "xml", "python", "javascript"}

// Formats are what the system settings allow, in order.
type Formats []Format

// Find returns the format of a name. The name of a language also finds the format of the only tool in that language, since
// the document writes the content of a `browser:js` call as a block of "js".
func (all Formats) Find(format string) (Format, bool) {
	format = Canonical(format)
	at, found := 0, 0
	for i, f := range all {
		name := Canonical(f.Name)
		if name == format {
			return f, true
		}
		if tool, language := Split(name); tool != "" && language == format {
			at, found = i, found+1
		}
	}
	if found == 1 {
		return all[at], true
	}
	return Format{}, false
}

// ToolOf returns the tool that a format calls, or "", and the full name of its language. A language alone calls the only tool
// in it, and is a tool itself where it halts. "tool:name" is an older spelling.
func (all Formats) ToolOf(format string) (tool, language string) {
	tool, language = Split(Canonical(format))
	if tool == "tool" {
		return language, language
	}
	if tool = strings.TrimPrefix(tool, "tool:"); tool != "" {
		return tool, language
	}
	f, ok := all.Find(format)
	if !ok {
		return "", language
	}
	if f.Tool() == "" && f.Halts() {
		return language, language
	}
	return f.Tool(), language
}

// Split parts a format at its last colon: "get_page:json" has the tool "get_page" and the language "json", "markdown" has no
// tool.
func Split(format string) (tool, language string) {
	if i := strings.LastIndexByte(format, ':'); i >= 0 {
		return format[:i], format[i+1:]
	}
	return "", format
}

var aliases = map[string]string{
	"js": "javascript", "jsx": "javascript", "ts": "typescript", "tsx": "typescript", "py": "python", "md": "markdown",
	"yml": "yaml", "ndjson": "jsonl",
}

// Canonical returns a format with the full name of its language, since the document has both "js" and "javascript".
func Canonical(format string) string {
	tool, language := Split(format)
	full, ok := aliases[language]
	switch {
	case !ok:
		return strings.TrimPrefix(format, ":")
	case tool == "":
		return full
	}
	return tool + ":" + full
}

// IsText reports whether a format is text for people to read, and so neither a call nor data.
func IsText(format string) bool {
	switch Canonical(format) {
	case "markdown", "plaintext", "text":
		return true
	}
	return false
}

// Reasoning is the format of what the model thinks.
const Reasoning = "reasoning"

// Call reports whether message i calls a tool: its format names a tool, halts, or gets a result. An answer in such a format
// that ends its turn and gets no result is no call, unless the format is a tool's and halts.
func (t *Thread) Call(messages []Message, i int) bool {
	m := &messages[i]
	if m.Role != Assistant || IsText(m.Format) || m.Format == Reasoning {
		return false
	}
	if answered(messages, i) {
		return true
	}
	if f, ok := t.Formats.Find(m.Format); ok && f.Halts() {
		return f.Tool() != "" || !m.EndTurn
	}
	tool, _ := t.Formats.ToolOf(m.Format)
	return tool != "" && !m.EndTurn
}

// answered reports whether a result follows message i, with nothing but other calls between.
func answered(messages []Message, i int) bool {
	for _, m := range messages[i+1:] {
		switch {
		case m.Role == Tool:
			return true
		case m.Role != Assistant || IsText(m.Format) || m.Format == Reasoning:
			return false
		}
	}
	return false
}

// goodName reports whether a format can have a name: it is not empty and holds nothing that would end it.
func goodName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r == '`' || unicode.IsSpace(r) || unicode.IsControl(r)
	}) < 0
}

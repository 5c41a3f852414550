// Package modelspec is the one reading and writing of Modular Model Spec threads: rows, bare lists and token text.
package modelspec

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Thread is an ordered list of messages with the system settings it was made under.
type Thread struct {
	Settings jsontext.JSON // JSON of the system settings, or "" when the row has none
	Formats  []Format      // what the settings allow; nil when they say nothing
	Messages []Message
}

// A Message has the fields of its role. Texts are decoded.
type Message struct {
	Role    string // "platform", "developer", "user", "assistant" or "tool"
	Name    string // the tool, in messages of the later role "context", which reads as "tool"
	Format  string // of an assistant: the response format, or "tool:format"
	Content string
	EndTurn bool // of an assistant
}

// A Format is one that the system settings allow.
type Format struct {
	Name             string
	HaltOnStart      bool
	HaltOnCompletion bool
	Sampler          jsontext.JSON // JSON of the sampler, or ""
}

// Halts tells whether inference stops at the format, so that a tool can answer.
func (f Format) Halts() bool { return f.HaltOnStart || f.HaltOnCompletion }

// Split takes a format apart at its last colon: "get_page:json" has the tool "get_page" and the language "json", and
// "markdown" has no tool.
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

// Canonical spells the language of a format in full, since the document writes "js" for "javascript" and back.
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

// AppendMessage appends a message as JSON, its fields in the order of the document.
func AppendMessage(dst []byte, m Message) []byte {
	dst = append(dst, `{"role":`...)
	dst = jsontext.AppendString(dst, m.Role)
	if m.Name != "" {
		dst = append(dst, `,"name":`...)
		dst = jsontext.AppendString(dst, m.Name)
	}
	if m.Role == "assistant" {
		dst = append(dst, `,"format":`...)
		dst = jsontext.AppendString(dst, m.Format)
	}
	dst = append(dst, `,"content":`...)
	dst = jsontext.AppendString(dst, m.Content)
	if m.Role == "assistant" {
		dst = append(dst, `,"end_turn":`...)
		dst = appendBool(dst, m.EndTurn)
	}
	return append(dst, '}')
}

// AppendMessages appends a list of messages as JSON.
func AppendMessages(dst []byte, messages []Message) []byte {
	dst = append(dst, '[')
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendMessage(dst, m)
	}
	return append(dst, ']')
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

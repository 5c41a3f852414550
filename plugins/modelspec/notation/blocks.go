package notation

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/plugins/modelspec/typescript"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Blocks remember what fenced blocks were read as, and which sections are written just so, since the rows of a corpus tell of
// the same tools again and again. Of the blocks of one goroutine, nil remember nothing.
type Blocks struct {
	read    map[notated]block
	written map[worded]bool
	size    int // of their texts, in bytes
}

// mostRemembered bounds the texts, in bytes.
const mostRemembered = 4 << 20

// A block is what a fenced block holds.
type block struct {
	Function
	language string // of the schema
	ok       bool
}

// A notated text is the body of a block and the language that its fence names.
type notated struct{ notation, body string }

// A worded text is that of a section, with all else that says what is read of it.
type worded struct {
	text     string
	kind     SectionKind
	worded   int
	only     bool
	sentence int // where in the text its mark is
}

// block gives what a body in a notation is read as.
func (b *Blocks) block(notation, body string) block {
	if b == nil {
		return readNotated(notation, body)
	}
	known, ok := b.read[notated{notation, body}]
	if !ok {
		body = b.keep(body)
		known = readNotated(notation, body)
		b.read[notated{strings.Clone(notation), body}] = known
	}
	return known
}

// isWritten tells whether a section that was read of the text is written as the text.
func (b *Blocks) isWritten(s *Section, w worded) bool {
	if b == nil {
		return string(s.Append(nil)) == w.text
	}
	is, ok := b.written[w]
	if !ok {
		is = string(s.Append(nil)) == w.text
		w.text = b.keep(w.text)
		b.written[w] = is
	}
	return is
}

// keep gives a copy of a text that is to be remembered. What is remembered goes when it is too much.
func (b *Blocks) keep(text string) string {
	if b.size += len(text); b.read == nil || b.size > mostRemembered {
		b.read, b.written, b.size = map[notated]block{}, map[worded]bool{}, len(text)
	}
	return strings.Clone(text)
}

func readNotated(notation, body string) block {
	switch notation {
	case "json":
		schema, ok := jsontext.Embedded(body)
		return block{Function{Schema: jsontext.JSON(jsontext.AppendCompact(nil, schema))}, SchemaLanguage, ok && schema.Kind() == '{'}
	case "typescript":
		schema, ok := typescript.Read(body)
		return block{Function{Schema: schema}, TypeScriptLanguage, ok}
	case "python":
		f, ok := toolschema.ReadPython(body)
		return block{f, PythonLanguage, ok}
	}
	return block{}
}

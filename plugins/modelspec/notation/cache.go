package notation

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/plugins/modelspec/typescript"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Cache keeps what fenced blocks and sections were read as, since the rows of a corpus define the same tools again and
// again. One goroutine uses it; a nil Cache keeps nothing.
type Cache struct {
	blocks   map[blockKey]block
	sections map[sectionKey]bool
	size     int // of their texts, in bytes
}

// cacheSize bounds the texts, in bytes.
const cacheSize = 4 << 20

// A block is the content of a fenced block.
type block struct {
	Function
	language string // of the schema
	ok       bool
}

// A blockKey is the language that a fence names, and the text behind it.
type blockKey struct{ info, body string }

// A sectionKey is the text of a section with all else that decides how it is read.
type sectionKey struct {
	text     string
	kind     SectionKind
	wording  int
	only     bool
	sentence int // where in the text its mark is
}

// block reads a fenced block.
func (c *Cache) block(info, body string) block {
	if c == nil {
		return readBlock(info, body)
	}
	b, ok := c.blocks[blockKey{info, body}]
	if !ok {
		body = c.keep(body)
		b = readBlock(info, body)
		c.blocks[blockKey{strings.Clone(info), body}] = b
	}
	return b
}

// isWritten reports whether a section that was read from a text is written as just that text.
func (c *Cache) isWritten(s *Section, key sectionKey) bool {
	if c == nil {
		return string(s.Append(nil)) == key.text
	}
	is, ok := c.sections[key]
	if !ok {
		is = string(s.Append(nil)) == key.text
		key.text = c.keep(key.text)
		c.sections[key] = is
	}
	return is
}

// keep returns a copy of a text, and empties the cache when the texts become too many.
func (c *Cache) keep(text string) string {
	if c.size += len(text); c.blocks == nil || c.size > cacheSize {
		c.blocks, c.sections, c.size = map[blockKey]block{}, map[sectionKey]bool{}, len(text)
	}
	return strings.Clone(text)
}

func readBlock(info, body string) block {
	switch info {
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

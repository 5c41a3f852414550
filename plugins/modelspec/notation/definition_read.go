package notation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ReadDefinitions takes the sections off the end of a developer's text, or off its beginning where the end has none. A section
// must enable a format of the settings and be spelled as Section.Append writes it: a text that mentions, quotes or forbids a
// format stays as it is. The cache may be nil.
func ReadDefinitions(text string, formats Formats, cache *Cache) Definitions {
	d := Definitions{Rest: text}
	if len(formats) == 0 {
		return d
	}
	r := sectionReader{text: text, marks: marksOf(text), cache: cmp.Or(cache, &Cache{}), allowed: map[string]bool{}, known: map[string]bool{}}
	for _, f := range formats {
		r.allowed[f.Name] = true
	}
	if d.Sections, d.Rest = r.atEnd(); d.Sections == nil {
		d.Sections, d.Rest = r.atStart()
		d.Ahead = d.Sections != nil
	}
	return d
}

type sectionReader struct {
	text    string
	marks   []mark
	cache   *Cache
	allowed map[string]bool // formats
	known   map[string]bool // kinds and names of tools that came already
}

// missed bounds how many marks are tried that begin no section, such as one in a description.
const missed = 4

// atEnd reads the sections at the end of the text and returns the text before them.
func (r *sectionReader) atEnd() (all []Section, rest string) {
	end, misses := len(r.text), 0
	for i := len(r.marks) - 1; i >= 0 && misses < missed; i-- {
		if r.marks[i].from >= end {
			continue
		}
		s, from, to, ok := r.section(r.marks[i], 0)
		if parted := from == 0 || from > len("\n\n") && strings.HasSuffix(r.text[:from], "\n\n"); !ok || to != end || !parted || !r.accept(&s) {
			misses++
			continue
		}
		all = append(all, s)
		if end = max(0, from-len("\n\n")); end == 0 {
			break
		}
	}
	slices.Reverse(all)
	return all, r.text[:end]
}

// atStart reads the sections at the beginning of the text and returns the text behind them.
func (r *sectionReader) atStart() (all []Section, rest string) {
	at := 0
	for _, m := range r.marks {
		if m.from < at {
			continue
		}
		s, from, to, ok := r.section(m, at)
		if !ok || from != at || !strings.HasPrefix(r.text[to:], "\n\n") || !r.accept(&s) {
			break
		}
		all = append(all, s)
		at = to + len("\n\n")
	}
	return all, r.text[at:]
}

// accept reports whether the settings allow what a section enables, and no section before it enables the same.
func (r *sectionReader) accept(s *Section) bool {
	name := string(s.Kind)
	if s.Kind == ToolSection {
		name += " " + s.Name
	}
	if !r.allowed[s.Format] || r.known[name] {
		return false
	}
	r.known[name] = true
	return true
}

// section reads the section of a mark, and returns its offsets. Its head must not begin before the offset after.
func (r *sectionReader) section(m mark, after int) (s Section, from, to int, ok bool) {
	w := &wordings[m.kind][m.wording]
	format, rest, found := strings.Cut(r.text[m.format:], "`")
	if !found || strings.Contains(format, "\n") || m.kind != ToolSection && format != formatOf[m.kind] {
		return s, 0, 0, false
	}
	s = Section{Kind: m.kind, Format: format, Wording: m.wording, Only: m.only}
	if rest, ok = strings.CutPrefix(rest, w.behind[1:]); ok && m.kind == ToolSection {
		rest, s.Several = strings.CutPrefix(rest, w.several)
	}
	if ok {
		rest, ok = s.readSchema(rest, w, r.cache)
	}
	from, to = m.from, len(r.text)-len(rest)
	if ok && m.kind == ToolSection {
		from, ok = r.head(&s, w, after, m.from)
	}
	return s, from, to, ok && r.cache.isWritten(&s, sectionKey{r.text[from:to], m.kind, m.wording, m.only, m.from - from})
}

// head reads the name and the description of a tool above a sentence, and returns their offset.
func (r *sectionReader) head(s *Section, w *wording, after, sentence int) (from int, ok bool) {
	tool, _ := Split(s.Format)
	start := w.head
	if tool != PythonTool {
		start += tool + w.tail + "\n"
	}
	above := r.text[after:sentence]
	if from = strings.LastIndex(above, "\n"+start) + 1; from == 0 && !strings.HasPrefix(above, start) {
		return 0, false
	}
	line, description, found := strings.Cut(above[from+len(w.head):], "\n")
	name, closed := strings.CutSuffix(line, w.tail)
	if tool != PythonTool && tool != name || !found || !closed {
		return 0, false
	}
	s.Name = name
	if s.Language != PythonLanguage {
		s.Description = strings.TrimSuffix(description, "\n\n")
	}
	return after + from, true
}

// readSchema reads the schema behind the sentence of a section, and returns the text behind it.
func (s *Section) readSchema(text string, w *wording, cache *Cache) (rest string, ok bool) {
	if s.Kind == ThinkSection || s.Kind == TextSection {
		return text, true
	}
	if block, ok := strings.CutPrefix(text, w.schema); ok {
		b, rest := readFence(block, cache)
		if !b.ok {
			return "", false
		}
		if s.Language, s.Description, s.Schema = b.language, b.Description, b.Schema; s.Several && s.Language != PythonLanguage {
			s.Schema = s.Schema.Get("items")
		}
		return rest, true
	}
	if prose, ok := strings.CutPrefix(text, introductions[s.Kind]); ok {
		s.Language = ProseLanguage
		s.Schema, rest, ok = toolschema.ReadProse(prose)
		return rest, ok
	}
	rest, ok = strings.CutPrefix(text, ".")
	return rest, ok && s.Kind == ToolSection
}

// readFence reads a fenced block with a schema at the beginning of a text, and returns the text behind it.
func readFence(text string, cache *Cache) (b block, rest string) {
	line, body, found := strings.Cut(text, "\n")
	fenced := strings.TrimLeft(line, "`")
	fence := line[:len(line)-len(fenced)]
	if !found || len(fence) < 3 {
		return b, ""
	}
	body, rest, found = strings.Cut(body, "\n"+fence)
	if !found || strings.TrimSpace(firstLine(rest)) != "" {
		return b, ""
	}
	return cache.block(Canonical(strings.TrimSpace(fenced)), body), rest
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

var mention = Pattern("`([^`:\\s]+):[a-z]+`")

// demand matches the end of a sentence that introduces the schema of a tool, as the document has it: "using the following schema:".
var demand = Pattern(`(?i)\b(?:schema|following (?:definition|type|interface|struct|signature|parameter|argument)s?)\b[^.\n]*:\s*$`)

// Schemas returns the schemas of tools in a text, by tool. It finds them in sections, whether the settings allow their formats
// or not, and in the next fenced block behind a code span such as `weather:json`; demanded holds the tools of which the sentence
// with the code span says that the block is their schema. The text may forbid such a tool, so callers decide whether it exists.
// The cache may be nil.
func Schemas(text string, cache *Cache) (schemas map[string]jsontext.JSON, demanded map[string]bool) {
	schemas, demanded = map[string]jsontext.JSON{}, map[string]bool{}
	r := sectionReader{text: text, marks: marksOf(text), cache: cmp.Or(cache, &Cache{})}
	after := 0
	for _, m := range r.marks {
		if m.from < after {
			continue
		}
		s, _, to, ok := r.section(m, after)
		if after = m.format; !ok || s.Kind != ToolSection {
			continue
		}
		after = to
		if _, known := schemas[s.Name]; !known {
			schemas[s.Name] = s.ContentSchema()
		}
	}
	fence, read := 0, jsontext.JSON("")
	for _, at := range mention().FindAllStringSubmatchIndex(text, -1) {
		if fence < at[1] {
			next := strings.Index(text[at[1]:], "\n```")
			if next < 0 {
				break
			}
			fence = at[1] + next
			b, _ := readFence(text[fence+1:], r.cache)
			read = b.Schema
		}
		name := text[at[2]:at[3]]
		if _, known := schemas[name]; !known && read != "" {
			schemas[name] = read
			sentence := text[at[1]:fence]
			demanded[name] = !strings.Contains(sentence, "\n\n") && !mention().MatchString(sentence) && demand().MatchString(sentence)
		}
	}
	return schemas, demanded
}

// answerBlock matches the fence of a block that holds the schema of answers in JSON, as "```typescript:json" does.
var answerBlock = Pattern("(?m)^```+(\\w+):json[ \\t]*$")

// AnswerSchema returns the schema of answers in JSON that the only block of a text has which names its own language and theirs, or
// "". The cache may be nil.
func AnswerSchema(text string, cache *Cache) jsontext.JSON {
	if !strings.Contains(text, ":json\n") {
		return ""
	}
	all := answerBlock().FindAllStringSubmatchIndex(text, -1)
	if len(all) != 1 {
		return ""
	}
	at := all[0]
	ticks := text[at[0]:at[2]]
	b, _ := readFence(ticks+text[at[2]:at[3]]+text[at[1]:], cmp.Or(cache, &Cache{}))
	return b.Schema
}

// Cache keeps what fenced blocks and sections were read as, since the rows of a corpus define the same tools again and
// again. One goroutine uses it.
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

func (c *Cache) block(info, body string) block {
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
	is, ok := c.sections[key]
	if !ok {
		is = string(s.Text()) == key.text
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
		schema, ok := toolschema.ReadTypeScript(body)
		return block{Function{Schema: schema}, TypeScriptLanguage, ok}
	case "python":
		f, ok := toolschema.ReadPython(body)
		return block{f, PythonLanguage, ok}
	case "rust":
		schema, ok := toolschema.ReadRust(body)
		return block{Function{Schema: schema}, "rust", ok}
	}
	return block{}
}

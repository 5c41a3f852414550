package notation

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/plugins/modelspec/typescript"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Function is a tool that a developer message defines.
type Function = toolschema.Function

// Section is a part of a developer's text that enables a format: calls of a tool, an answer, reasoning or texts.
type Section struct {
	Kind     SectionKind
	Function        // the tool; an answer has a schema alone. A schema may be ""
	Format   string // of a tool's calls
	Language string // of the schema: one of SchemaLanguages, "" without a schema
	Wording  int    // which of the kind's wordings it has
	Several  bool   // of a tool: a message holds a list of calls
	Only     bool   // of an answer: no other format is wanted
}

// The languages in which a section expresses a schema.
const (
	TypeScriptLanguage = "typescript"
	SchemaLanguage     = "json-schema"
	PythonLanguage     = "python"
	ProseLanguage      = "prose"
)

// SchemaLanguages lists the languages of schemas.
var SchemaLanguages = []string{TypeScriptLanguage, SchemaLanguage, PythonLanguage, ProseLanguage}

// SetLanguage sets the language of the schema. Where it cannot express the schema, SetLanguage sets TypeScript, which can express
// any, and returns false.
func (s *Section) SetLanguage(language string) (ok bool) {
	if s.Schema == "" && !s.Several || s.Kind == ThinkSection || s.Kind == TextSection {
		s.Language = ""
		return true
	}
	if s.Language = language; language == TypeScriptLanguage || language == SchemaLanguage {
		return true
	}
	if _, ok = s.block(); !ok {
		s.Language = TypeScriptLanguage
	}
	return ok
}

// Append appends the text of the section.
func (s *Section) Append(dst []byte) []byte {
	w := &wordings[s.Kind][s.Wording]
	format := formatOf[s.Kind]
	if s.Kind == ToolSection {
		format = s.Format
		dst = append(append(append(append(dst, w.head...), s.Name...), w.tail...), '\n')
		if s.Description != "" && s.Language != PythonLanguage { // where it is the docstring
			dst = append(append(dst, s.Description...), "\n\n"...)
		}
	}
	before := w.before
	if s.Only {
		before = w.only
	}
	dst = append(append(append(dst, before...), format...), w.behind...)
	if s.Several {
		dst = append(dst, w.several...)
	}
	switch s.Language {
	case "":
		if s.Kind == ToolSection {
			dst = append(dst, '.')
		}
		return dst
	case ProseLanguage:
		introduction := takes
		if s.Kind == AnswerSection {
			introduction = is
		}
		text, _ := s.block()
		return append(append(dst, introduction...), text...)
	}
	return s.appendBlock(append(dst, w.schema...))
}

// block returns the schema in its language; ok is false where the language cannot express it.
func (s *Section) block() (text string, ok bool) {
	schema := s.Schema
	if schema == "" {
		schema = `{"type":"object"}`
	}
	switch s.Language {
	case PythonLanguage:
		return toolschema.Python(Function{Name: s.Name, Description: s.Description, Schema: schema})
	case ProseLanguage:
		return toolschema.Prose(schema)
	}
	if s.Several {
		schema = `{"type":"array","items":` + schema + `}`
	}
	if s.Language == SchemaLanguage {
		return string(jsontext.AppendCompact(nil, schema)), true
	}
	name := "Response"
	if s.Kind == ToolSection {
		name = typeName(s.Name)
	}
	return typescript.Write(name, schema), true
}

// fences are the names of languages behind the backticks of a block.
var fences = map[string]string{TypeScriptLanguage: "typescript", SchemaLanguage: "json", PythonLanguage: "python"}

// appendBlock appends a fenced block with the schema.
func (s *Section) appendBlock(dst []byte) []byte {
	text, _ := s.block()
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	dst = append(append(append(dst, fence...), fences[s.Language]...), '\n')
	return append(append(append(dst, text...), '\n'), fence...)
}

// Definitions are the sections of a developer's text, which stand behind the rest of it, or ahead.
type Definitions struct {
	Sections []Section
	Ahead    bool
	Rest     string
}

// Find returns the first section of a kind, or nil.
func (d *Definitions) Find(kind SectionKind) *Section {
	if i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.Kind == kind }); i >= 0 {
		return &d.Sections[i]
	}
	return nil
}

// Text returns the developer's text with its sections.
func (d *Definitions) Text() string {
	var dst []byte
	next := func() {
		if len(dst) > 0 {
			dst = append(dst, "\n\n"...)
		}
	}
	if !d.Ahead {
		dst = append(dst, d.Rest...)
	}
	for i := range d.Sections {
		next()
		dst = d.Sections[i].Append(dst)
	}
	if d.Ahead && d.Rest != "" {
		next()
		dst = append(dst, d.Rest...)
	}
	return jsontext.View(dst)
}

// typeName returns the name of a tool in the case of TypeScript types: GetWeather for get_weather.
func typeName(tool string) string {
	var b strings.Builder
	up := true
	for i := range len(tool) {
		c := tool[i]
		letter, digit := c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9'
		switch {
		case !letter && !(digit && b.Len() > 0):
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	if b.Len() == 0 {
		return "Input"
	}
	return b.String()
}

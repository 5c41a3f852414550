package notation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
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

// Text returns the text of the section.
func (s *Section) Text() []byte {
	var dst []byte
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
		text, _ := s.block()
		return append(append(dst, introductions[s.Kind]...), text...)
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
		schema = ListOf(schema)
	}
	if s.Language == SchemaLanguage {
		return string(jsontext.AppendPlain(nil, schema)), true
	}
	name := "Response"
	if s.Kind == ToolSection {
		name = typeName(s.Name)
	}
	return toolschema.TypeScript(name, schema), true
}

// ContentSchema returns the schema of a message that calls the tool: that of a list, where the block defines one. Python and prose
// define one call, and the sentence allows several.
func (s *Section) ContentSchema() jsontext.JSON {
	if s.Several && (s.Language == TypeScriptLanguage || s.Language == SchemaLanguage) {
		return ListOf(s.Schema)
	}
	return s.Schema
}

// ListOf returns the schema of a list of what a schema takes.
func ListOf(schema jsontext.JSON) jsontext.JSON { return `{"type":"array","items":` + schema + `}` }

// fences are the names of languages behind the backticks of a block.
var fences = map[string]string{TypeScriptLanguage: "typescript", SchemaLanguage: "json", PythonLanguage: "python"}

func (s *Section) appendBlock(dst []byte) []byte {
	text, _ := s.block()
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	dst = append(append(append(dst, fence...), fences[s.Language]...), '\n')
	return append(append(append(dst, text...), '\n'), fence...)
}

// Definitions are the sections of a developer's text, which are behind the rest of it, or ahead.
type Definitions struct {
	Sections []Section
	Ahead    bool
	Rest     string
}

// Text returns the developer's text with its sections.
func (d *Definitions) Text() string {
	var all []string
	for i := range d.Sections {
		all = append(all, string(d.Sections[i].Text()))
	}
	if d.Rest != "" {
		at := 0
		if d.Ahead {
			at = len(all)
		}
		all = slices.Insert(all, at, d.Rest)
	}
	return strings.Join(all, "\n\n")
}

// typeName returns the name of a tool in the case of TypeScript types: GetWeather for get_weather.
func typeName(tool string) string {
	name := ""
	for _, part := range strings.FieldsFunc(tool, func(r rune) bool {
		return !(r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9')
	}) {
		if name == "" {
			part = strings.TrimLeft(part, "0123456789")
		}
		if part != "" {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return cmp.Or(name, "Input")
}

// SectionKind is what a section of a developer's text enables.
type SectionKind string

// The kinds of sections.
const (
	ToolSection   SectionKind = "tool"
	AnswerSection SectionKind = "answer"    // an answer in JSON
	ThinkSection  SectionKind = "reasoning" // thoughts
	TextSection   SectionKind = "markdown"  // texts for people
)

// SectionKinds lists the kinds of sections.
var SectionKinds = []SectionKind{ToolSection, AnswerSection, ThinkSection, TextSection}

// A wording is the fixed text around what a section enables. Sections are written and read by it.
type wording struct {
	head, tail     string // around the name of a tool, on the line above
	before, behind string // around the format, up to its backticks
	only           string // in the place of before, where no other format is wanted
	several        string // behind that, where a message may hold several calls
	schema         string // what introduces a block with a schema
}

// wordings lists the wordings of each kind. The first is the one without variation.
var wordings = map[SectionKind][]wording{
	ToolSection: {
		{
			head: "## ", before: "You can use the `", behind: "` response format to call this tool",
			several: ", once or several times in a list,", schema: " with the following schema:\n",
		},
		{
			head: "### ", before: "To call this tool, respond in the `", behind: "` format",
			several: ", with one call or several in a list", schema: ", which has this schema:\n",
		},
		{
			head: "# ", before: "Call this tool with a message in the `", behind: "` format",
			several: ", which may hold several calls in a list", schema: ". What it holds follows this schema:\n",
		},
		{
			head: "**", tail: "**", before: "Messages in the `", behind: "` response format call this tool",
			several: ", each once or several times in a list", schema: ". They are described by this schema:\n",
		},
		{
			head: "## Tool: ", before: "When you need this tool, write to it in the `", behind: "` message format",
			several: ", one call or several in a list", schema: ", as this schema says:\n",
		},
	},
	AnswerSection: {
		{before: "Respond in the `", only: "Respond only in the `", behind: "` response format", schema: " with the following schema:\n"},
		{before: "Give your answer in the `", only: "You must answer in the `", behind: "` format", schema: ", which has this schema:\n"},
		{before: "Write the answer in the `", only: "Always write the answer in the `", behind: "` format", schema: ". It follows this schema:\n"},
	},
	ThinkSection: {
		{before: "Before you answer or call a tool, think in the `", behind: "` response format."},
		{before: "Think in the `", behind: "` format before you answer or call a tool."},
		{before: "Write down what you think in the `", behind: "` format, and then answer or call a tool."},
	},
	TextSection: {
		{before: "Where you call no tool, respond in the `", behind: "` format."},
		{before: "What you say to people stands in the `", behind: "` response format."},
		{before: "You can answer in the `", behind: "` format."},
	},
}

// introductions holds what introduces a schema in prose.
var introductions = map[SectionKind]string{ToolSection: ". It takes ", AnswerSection: ". It is "}

// formatOf is the format that sections of a kind enable; each tool has its own.
var formatOf = map[SectionKind]string{AnswerSection: "json", ThinkSection: Reasoning, TextSection: "markdown"}

// Wordings returns the number of wordings of a kind.
func Wordings(kind SectionKind) int { return len(wordings[kind]) }

// A mark is where the sentence of a wording begins in a text.
type mark struct {
	kind    SectionKind
	wording int
	only    bool // no other format is wanted
	from    int  // in the text
	format  int  // where the format begins
}

// A sentence is the beginning of a wording, up to the format.
type sentence struct {
	mark
	text string
}

// sentences holds those of all wordings, and sentenceEnd what all of them end with.
var sentences, sentenceEnd = func() (all []sentence, end string) {
	for _, kind := range SectionKinds {
		for n, w := range wordings[kind] {
			all = append(all, sentence{mark{kind: kind, wording: n}, w.before})
			if w.only != "" {
				all = append(all, sentence{mark{kind: kind, wording: n, only: true}, w.only})
			}
		}
	}
	end = all[0].text
	for _, s := range all {
		for !strings.HasSuffix(s.text, end) {
			end = end[1:]
		}
	}
	return all, end
}()

// marksOf returns the marks of a text, in order.
func marksOf(text string) (all []mark) {
	for at := 0; ; {
		i := strings.Index(text[at:], sentenceEnd)
		if i < 0 {
			return all
		}
		at += i + len(sentenceEnd)
		for _, s := range sentences {
			if strings.HasSuffix(text[:at], s.text) {
				m := s.mark
				m.from, m.format = at-len(s.text), at
				all = append(all, m)
			}
		}
	}
}

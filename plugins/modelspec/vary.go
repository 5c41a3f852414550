package modelspec

import (
	"encoding/binary"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/dice"
	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A draw is the variation of a row's developer text. The zero draw has none, but lacks the language.
type draw struct {
	dice.Dice
	order    bool   // tools, sections and formats are shuffled
	ahead    bool   // the sections come before the developer's own text
	apart    bool   // the sections have a message of their own
	text     bool   // a section enables the format of texts
	language string // of schemas
	wordings map[notation.SectionKind]int
}

// newDraw draws by the seed and the content of the row alone, so that every worker draws the same at any time.
func (c *converter) newDraw() draw {
	d := draw{language: c.ToolSchema}
	if len(c.Vary) == 0 {
		return d
	}
	calls.ReadContent(&c.identity, c.row)
	id := binary.BigEndian.AppendUint64(nil, c.identity.Whole.Hi)
	id = binary.BigEndian.AppendUint64(id, c.identity.Whole.Lo)
	d.Dice = dice.New(c.Seed, id)
	if d.order = slices.Contains(c.Vary, "order"); d.order {
		d.ahead, d.apart = d.Roll(2) == 0, d.Roll(3) == 0
	}
	if slices.Contains(c.Vary, "wording") {
		d.wordings = map[notation.SectionKind]int{}
		for _, kind := range notation.SectionKinds {
			d.wordings[kind] = d.Roll(notation.Wordings(kind))
		}
		d.text = d.Roll(2) == 0
	}
	if slices.Contains(c.Vary, "schema") {
		d.language = dice.Pick(&d.Dice, notation.SchemaLanguages)
	}
	return d
}

// enablingSections returns what enables the formats of the thread, with blank lines between.
func (c *converter) enablingSections(r *sdk.Record) []jsontext.Body {
	groups := append(c.groups[:0], c.toolSections(r))
	other := func(s notation.Section, language string) {
		s.Wording = c.draw.wordings[s.Kind]
		if !s.SetLanguage(language) {
			r.Count("unsaid."+language, 1)
		}
		groups = append(groups, []jsontext.Body{jsontext.BodyOf(s.Text())})
	}
	if c.row.Output.Kind() == '{' {
		language := c.draw.language
		if language == notation.PythonLanguage && len(c.Vary) > 0 { // which defines functions, and an answer is none
			language = notation.TypeScriptLanguage
		}
		only := !c.texts && len(c.others) == 0 && !c.thinks && len(c.tools) == 0
		other(notation.Section{Kind: notation.AnswerSection, Function: notation.Function{Schema: c.row.Output}, Only: only}, language)
	}
	if c.thinks {
		other(notation.Section{Kind: notation.ThinkSection}, "")
	}
	if c.draw.text && c.texts && (len(c.tools) > 0 || len(groups) > 1) {
		other(notation.Section{Kind: notation.TextSection}, "")
	}
	if c.draw.order {
		dice.Shuffle(&c.draw.Dice, groups)
	}
	sections := c.enabling[:0]
	for _, group := range groups {
		for _, body := range group {
			if len(sections) > 0 {
				sections = append(sections, `\n\n`)
			}
			sections = append(sections, body)
		}
	}
	c.groups, c.enabling = groups, sections
	return sections
}

// A variant is a definition of a tool in one language and wording.
type variant struct {
	tool     int
	language string
	wording  int
}

// A rendering is the text of a variant.
type rendering struct {
	body      jsontext.Body
	expressed bool // in the variant's language
	described bool // it names a format of texts, and so may demand one
}

// toolSections returns the definitions of the tools: those that the row declares, which are kept, and others.
func (c *converter) toolSections(r *sdk.Record) (all []jsontext.Body) {
	wording, s := c.draw.wordings[notation.ToolSection], c.section
	unsaid := 0
	c.described = false
	for i := range s.defined {
		t := c.render(variant{i, c.draw.language, wording})
		c.described = c.described || t.described
		if all = append(all, t.body); !t.expressed {
			unsaid++
		}
	}
	for _, t := range c.tools[len(s.tools):] {
		other := c.toolSection(t.shown)
		other.Wording = wording
		if !other.SetLanguage(c.draw.language) {
			unsaid++
		}
		all = append(all, jsontext.BodyOf(other.Text()))
	}
	notation.Count(r, "unsaid."+c.draw.language, unsaid)
	if c.draw.order {
		dice.Shuffle(&c.draw.Dice, all)
	}
	return all
}

// keptVariants bounds how many bytes of variants are kept.
const keptVariants = 8 << 20

func (c *converter) render(v variant) rendering {
	s := c.section
	if t, kept := s.written[v]; kept {
		return t
	}
	tool := s.defined[v.tool]
	tool.Wording = v.wording
	t := rendering{expressed: tool.SetLanguage(v.language)}
	t.body = jsontext.BodyOf(tool.Text())
	t.described = instruction.NamesFormat(string(t.body))
	if c.written += len(t.body); c.written > keptVariants {
		clear(c.sections)
		c.written = len(t.body)
	}
	s.written[v] = t
	return t
}

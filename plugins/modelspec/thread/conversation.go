package thread

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A conversation turns a thread into canonical turns.
type conversation struct {
	notation.Thread
	row     *build.Builder
	speaker canonical.Role // of developer messages in the row
	outline notation.Outline
	tools   tools

	turn    *build.Message // of the assistant, while its messages follow each other
	thought build.Joiner   // of that turn
	spoke   bool           // the last message was a text or a thought that did not end the turn
	waiting int            // calls without a result
}

func (c *conversation) convert() error {
	c.outline.Settings, c.outline.Messages = c.Settings, make([]notation.OutlineMessage, len(c.Messages))
	c.define()
	platform := false
	for i := range c.Messages {
		m := &c.Messages[i]
		o := &c.outline.Messages[i]
		o.Message = *m
		o.Parts, o.Breaks = notation.Paragraphs(m.Body)
		switch m.Role {
		case notation.Platform:
			platform = true
			c.row.Add(canonical.System, i).Body = m.Body
		case notation.Developer:
			if platform || c.speaker == canonical.User {
				c.row.Count("loss.authority", 1) // system text does not say who wrote it
			}
			o.User = c.speaker == canonical.User
			c.row.Add(c.speaker, i).Body = m.Body
		case notation.User:
			c.waiting = 0
			c.row.Add(canonical.User, i).Body = m.Body
		case notation.Tool:
			c.result(i)
		case notation.Assistant:
			c.assistant(i)
			continue
		}
		c.turn, c.spoke = nil, false
	}
	c.row.Meta(notation.OutlineKey, jsontext.JSON(notation.AppendOutline(nil, &c.outline)))
	return c.row.SetTools("messages", c.tools.list())
}

// result adds the result of a tool. Where no call waits for it, it is a document, which becomes a user's message.
func (c *conversation) result(i int) {
	m := &c.Messages[i]
	if c.waiting == 0 {
		c.row.Count("context.document", 1)
		c.outline.Messages[i].User = true
		c.row.Add(canonical.User, i).Body = m.Body
		return
	}
	c.waiting--
	t := c.row.Add(canonical.Tool, i)
	t.Body, t.Name = m.Body, jsontext.BodyOf(m.Name)
}

// define takes the sections that plugin modelspec wrote out of the developer's text, and finds the schemas in other texts.
func (c *conversation) define() {
	for i := range c.Messages {
		m := &c.Messages[i]
		if !m.Instructs() {
			continue
		}
		text := m.Text()
		if m.Role == notation.Developer && c.outline.Defined == nil {
			if d := notation.ReadDefinitions(text, c.Formats, nil); d.Sections != nil {
				for _, section := range d.Sections {
					switch section.Kind {
					case notation.ToolSection:
						c.tools.define(section.Function)
					case notation.AnswerSection:
						c.row.ResponseSchema = section.Schema
					}
				}
				c.outline.Messages[i].Ends = true
				c.outline.Defined = &notation.Defined{Sections: d.Sections, Ahead: d.Ahead}
				m.Body = jsontext.BodyOf(d.Rest)
				text = d.Rest
			}
		}
		schemas, _ := notation.Schemas(text, nil)
		c.tools.note(schemas, text)
	}
	for _, f := range c.Formats {
		if tool, language := notation.Split(f.Name); tool != "" && tool != notation.PythonTool && f.Halts() {
			c.tools.declare(strings.TrimPrefix(tool, "tool:"), language)
		}
	}
}

// assistant adds message i. Thoughts and texts that do not end the turn belong to the calls behind them.
func (c *conversation) assistant(i int) {
	m := &c.Messages[i]
	if c.Call(c.Messages, i) {
		c.call(i)
		return
	}
	if c.turn == nil || !c.spoke || c.turn.Body != "" {
		c.begin(i)
	}
	c.spoke = !m.EndTurn
	if m.Format == notation.Reasoning {
		c.thought.Add(build.BlankLine, m.Body)
		c.turn.Reasoning = c.thought.Body()
		return
	}
	c.waiting = 0
	c.turn.Body = m.Body
	if language := notation.Canonical(m.Format); language != "markdown" && (language != "json" || c.row.ResponseSchema == "") {
		c.row.Count("kept.format", 1)
	}
}

func (c *conversation) call(i int) {
	m, o := &c.Messages[i], &c.outline.Messages[i]
	tool, language := c.Formats.ToolOf(m.Format)
	if tool == "" {
		tool = language
	}
	made, style := notation.ReadCalls(tool, language, m.Text(), c.tools.parameters)
	switch style {
	case notation.Verbatim:
		c.row.Count("mended.call_content", 1)
	case "":
		c.row.Count("loss.spacing", 1)
	}
	for _, call := range made {
		c.tools.declare(call.Name.Text(), language)
	}
	o.Parts, o.Calls, o.Style = 1, len(made), style
	if c.turn == nil || !c.spoke && len(c.turn.Calls) == 0 {
		c.begin(i)
	}
	c.turn.Calls = append(c.turn.Calls, made...)
	c.spoke = false
	c.waiting += len(made)
}

func (c *conversation) begin(i int) {
	c.turn, c.thought = c.row.Add(canonical.Assistant, i), build.Joiner{}
}

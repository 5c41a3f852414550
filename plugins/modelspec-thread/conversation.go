package modelspecthread

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A conversation is a thread on its way into canonical turns.
type conversation struct {
	modelspec.Thread
	out     *canonical.Conversation
	speaker eliza.Role // whose words a developer message becomes
	tools   []modelspec.Tool
	turn    *canonical.Turn // of the assistant, while its messages follow each other
	spoke   bool            // the last message was a text or a thought that did not end the turn
}

func (c *conversation) read(r *sdk.Record) error {
	platform := false
	for i, m := range c.Messages {
		switch m.Role {
		case "platform":
			platform = true
			c.out.Add(eliza.System, i).Body = jsontext.BodyOf(m.Content)
		case "developer":
			if c.develop(i, m.Content) && (platform || c.speaker == eliza.User) {
				r.Count("loss.authority", 1) // system text does not say whose it is
			}
		case "user":
			c.out.Add(eliza.User, i).Body = jsontext.BodyOf(m.Content)
		case "tool":
			t := c.out.Add(eliza.Tool, i)
			t.Body, t.Name = jsontext.BodyOf(m.Content), jsontext.BodyOf(m.Name)
		case "assistant":
			if err := c.assistant(r, i); err != nil {
				return err
			}
			continue
		}
		c.turn, c.spoke = nil, false
	}
	return c.out.SetTools("messages", c.toolList())
}

// develop takes definitions out of a developer's text, and tells whether anything is left of it.
func (c *conversation) develop(i int, content string) bool {
	d := modelspec.ReadDefinitions(content)
	for _, t := range d.Tools {
		if !slices.ContainsFunc(c.tools, func(other modelspec.Tool) bool { return other.Name == t.Name }) {
			c.tools = append(c.tools, t)
		}
	}
	if d.Answer != "" {
		c.out.ResponseSchema = d.Answer
	}
	if d.Rest == "" {
		return false
	}
	c.out.Add(c.speaker, i).Body = jsontext.BodyOf(d.Rest)
	return true
}

// assistant adds message i. Thoughts and a text that do not end the turn belong to the calls behind them, and calls
// that follow each other are made at once.
func (c *conversation) assistant(r *sdk.Record, i int) error {
	m := c.Messages[i]
	made, isCall := c.callsOf(r, i)
	switch {
	case m.Format == "reasoning":
		if c.turn == nil || !c.spoke || c.turn.Body != "" {
			c.turn = c.out.Add(eliza.Assistant, i)
		}
		c.turn.Reasoning = canonical.Join(c.turn.Reasoning, jsontext.BodyOf(m.Content))
	case isCall:
		if c.turn == nil || !c.spoke && len(c.turn.Calls) == 0 {
			c.turn = c.out.Add(eliza.Assistant, i)
		}
		c.turn.Calls = append(c.turn.Calls, made...)
		c.spoke = false
		return nil
	default:
		if c.turn == nil || !c.spoke || c.turn.Body != "" {
			c.turn = c.out.Add(eliza.Assistant, i)
		}
		c.turn.Body = jsontext.BodyOf(m.Content)
		if language := modelspec.Canonical(m.Format); language != "markdown" && (language != "json" || c.out.ResponseSchema == "") {
			r.Count("loss.format", 1)
		}
	}
	c.spoke = !m.EndTurn
	return nil
}

// callsOf reads message i as calls: when its format names a tool, halts, or a result follows it.
func (c *conversation) callsOf(r *sdk.Record, i int) ([]canonical.Call, bool) {
	m := c.Messages[i]
	tool, language := c.toolOf(m.Format)
	answered := i+1 < len(c.Messages) && c.Messages[i+1].Role == "tool"
	switch {
	case language == "markdown" || m.Format == "reasoning":
		return nil, false
	case tool == "" && !answered:
		return nil, false
	case tool == "":
		tool = m.Format
	}
	name := jsontext.BodyOf(tool)
	switch language {
	case "json":
		if args, ok := object(m.Content); ok {
			return []canonical.Call{{Name: name, Args: args}}, true
		}
	case "jsonl":
		var made []canonical.Call
		all := true
		for line := range strings.Lines(m.Content) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			args, ok := object(line)
			made, all = append(made, canonical.Call{Name: name, Args: args}), all && ok
		}
		if all && len(made) > 0 {
			return made, true
		}
	case "python":
		if made := pythonCalls(m.Content); tool == "tools" && made != nil {
			return made, true
		}
	}
	r.Count("mended.call_content", 1)
	args := append(jsontext.AppendString([]byte("{"), language), ':')
	args = append(jsontext.AppendString(args, m.Content), '}')
	return []canonical.Call{{Name: name, Args: jsontext.JSON(args)}}, true
}

// pythonCalls reads lines of calls with named arguments; nil when there is anything else.
func pythonCalls(content string) (made []canonical.Call) {
	reading, err := calls.Read("["+strings.Join(strings.Split(strings.TrimSpace(content), "\n"), ",")+"]", nil)
	if err != nil {
		return nil
	}
	for _, call := range reading.Calls {
		made = append(made, canonical.Call{Name: jsontext.BodyOf(call.Name), Args: call.Args})
	}
	return made
}

// object gives a text that is a JSON object, on one line.
func object(text string) (jsontext.JSON, bool) {
	v, ok := jsontext.Embedded(text)
	if !ok || v.Kind() != '{' {
		return "", false
	}
	return jsontext.JSON(jsontext.AppendCompact(nil, v)), true
}

// toolOf gives the tool a format names, and its language in full. A language alone stands for the only tool that the
// settings have in it; "tool:name" is an older spelling.
func (c *conversation) toolOf(format string) (tool, language string) {
	tool, language = modelspec.Split(modelspec.Canonical(format))
	if tool == "tool" {
		return language, language
	}
	tool = strings.TrimPrefix(tool, "tool:")
	if tool != "" {
		return tool, language
	}
	var named []string
	for _, f := range c.Formats {
		name, in := modelspec.Split(modelspec.Canonical(f.Name))
		switch {
		case in == language && name == "" && f.Halts():
			return language, language
		case in == language && name == "":
			return "", language
		case in == language:
			named = append(named, name)
		}
	}
	if len(named) == 1 {
		tool = named[0]
	}
	return tool, language
}

// toolList gives the tools as a list of functions.
func (c *conversation) toolList() jsontext.JSON {
	if len(c.tools) == 0 {
		return "null"
	}
	list := []byte("[")
	for i, t := range c.tools {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsontext.AppendString(append(list, `{"type":"function","function":{"name":`...), t.Name)
		if t.Description != "" {
			list = jsontext.AppendString(append(list, `,"description":`...), t.Description)
		}
		if t.Schema != "" {
			list = append(append(list, `,"parameters":`...), t.Schema...)
		}
		list = append(list, "}}"...)
	}
	return jsontext.JSON(append(list, ']'))
}

package modelspecthread

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A conversation is a thread on its way into canonical turns.
type conversation struct {
	modelspec.Thread
	row     *canonical.Builder
	speaker canonical.Role    // whose words a developer message becomes
	only    map[string]string // by language, the only tool in it
	tools   []modelspec.Tool

	turn    *canonical.Message // of the assistant, while its messages follow each other
	thought canonical.Joiner   // of that turn
	spoke   bool               // the last message was a text or a thought that did not end the turn
}

func (c *conversation) convert() error {
	platform := false
	for i, m := range c.Messages {
		body := jsontext.BodyOf(m.Content)
		switch m.Role {
		case "platform":
			platform = true
			c.row.Add(canonical.System, i).Body = body
		case "developer":
			if c.develop(i, m.Content) && (platform || c.speaker == canonical.User) {
				c.row.Count("loss.authority", 1) // system text does not say whose it is
			}
		case "user":
			c.row.Add(canonical.User, i).Body = body
		case "tool":
			t := c.row.Add(canonical.Tool, i)
			t.Body, t.Name = body, jsontext.BodyOf(m.Name)
		case "assistant":
			c.assistant(i)
			continue
		}
		c.turn, c.spoke = nil, false
	}
	return c.row.SetTools("messages", c.toolList())
}

// develop takes definitions out of a developer's text, and tells whether anything is left of it.
func (c *conversation) develop(i int, content string) bool {
	d := modelspec.ReadDefinitions(content)
	c.tools = append(c.tools, d.Tools...)
	if d.Answer != "" {
		c.row.ResponseSchema = d.Answer
	}
	if d.Rest == "" {
		return false
	}
	c.row.Add(c.speaker, i).Body = jsontext.BodyOf(d.Rest)
	return true
}

// assistant adds message i. Thoughts and a text that do not end the turn belong to the calls behind them, and calls
// that follow each other are made at once.
func (c *conversation) assistant(i int) {
	m := c.Messages[i]
	if made := c.callsOf(i); made != nil {
		if c.turn == nil || !c.spoke && len(c.turn.Calls) == 0 {
			c.begin(i)
		}
		c.turn.Calls = append(c.turn.Calls, made...)
		c.spoke = false
		return
	}
	if c.turn == nil || !c.spoke || c.turn.Body != "" {
		c.begin(i)
	}
	c.spoke = !m.EndTurn
	if m.Format == reasoning {
		c.thought.Add(canonical.BlankLine, jsontext.BodyOf(m.Content))
		c.turn.Reasoning = c.thought.Body()
		return
	}
	c.turn.Body = jsontext.BodyOf(m.Content)
	if language := modelspec.Canonical(m.Format); language != "markdown" && (language != "json" || c.row.ResponseSchema == "") {
		c.row.Count("loss.format", 1)
	}
}

// reasoning is the format of thoughts.
const reasoning = "reasoning"

func (c *conversation) begin(i int) {
	c.turn, c.thought = c.row.Add(canonical.Assistant, i), canonical.Joiner{}
}

// callsOf reads message i as calls, when its format names a tool, halts, or a result follows it; nil when it is none.
func (c *conversation) callsOf(i int) []canonical.Call {
	m := c.Messages[i]
	tool, language := c.toolOf(m.Format)
	answered := i+1 < len(c.Messages) && c.Messages[i+1].Role == "tool"
	if language == "markdown" || m.Format == reasoning || tool == "" && !answered {
		return nil
	}
	tool = cmp.Or(tool, m.Format)
	if made := callsIn(tool, language, m.Content); made != nil {
		return made
	}
	c.row.Count("mended.call_content", 1)
	args := append(jsontext.AppendString([]byte("{"), language), ':')
	args = append(jsontext.AppendString(args, m.Content), '}')
	return []canonical.Call{{Name: jsontext.BodyOf(tool), Args: jsontext.JSON(args)}}
}

// callsIn reads calls of a tool in a language that can hold their arguments by name; nil when the content holds anything
// else.
func callsIn(tool, language, content string) (made []canonical.Call) {
	lines := []string{content}
	switch {
	case language == "jsonl":
		lines = strings.Split(content, "\n")
	case language == "python" && tool == "tools":
		all := strings.ReplaceAll(strings.TrimSpace(content), "\n", ",")
		reading, err := calls.Read("["+all+"]", nil)
		if err != nil {
			return nil
		}
		return reading.Calls
	case language != "json":
		return nil
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == "" && language == "jsonl" {
			continue
		}
		args, ok := object(line)
		if !ok {
			return nil
		}
		made = append(made, canonical.Call{Name: jsontext.BodyOf(tool), Args: args})
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

// toolOf gives the tool a format names, and its language in full. "tool:name" is an older spelling.
func (c *conversation) toolOf(format string) (tool, language string) {
	tool, language = modelspec.Split(modelspec.Canonical(format))
	if tool == "tool" {
		return language, language
	}
	return cmp.Or(strings.TrimPrefix(tool, "tool:"), c.only[language]), language
}

// onlyTools gives, by language, the tool that the language alone stands for: the only one that the settings have in it,
// or the language itself where it halts; "" where it is for texts.
func onlyTools(formats []modelspec.Format) map[string]string {
	only, seen, bare := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, f := range formats {
		tool, language := modelspec.Split(modelspec.Canonical(f.Name))
		switch {
		case bare[language]:
		case tool == "":
			bare[language], only[language] = true, ""
			if f.Halts() {
				only[language] = language
			}
		case seen[language]:
			only[language] = ""
		default:
			seen[language], only[language] = true, tool
		}
	}
	return only
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

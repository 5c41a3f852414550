package elizarecord

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
)

// An envelope is the JSON a flat row holds its answer in, as JSON values.
type envelope struct {
	actions, thought, text, providers string
	command                           string
	other                             bool // has members beside these

	planned   bool // names actions
	unwrapped bool // a TASKS action became the call of its tool
}

// answer adds the target: what expectedResponse holds as an envelope, and else as text.
func (p *processor) answer(md metadata) (e envelope, err error) {
	expected := p.row.expected
	body, isText := jsontext.Quoted(expected)
	if isText && jsontext.Blank(body) || !isText && expected[0] != '{' {
		return e, sdk.Reject("empty_response", "expectedResponse", "want text or an envelope, have neither")
	}
	t := p.conv.Add(eliza.Assistant, -1)
	if p.Envelope == "text" {
		t.Body = body
		if !isText {
			t.Body = canonical.Body(expected)
		}
		return e, nil
	}
	whole := expected
	if isText {
		whole = strings.TrimFunc(jsontext.Unquote(body), jsontext.IsSpace)
	}
	if strings.HasPrefix(whole, "{") && gjson.Valid(whole) {
		e.read(whole)
	} else {
		whole = ""
	}
	if whole == "" && md.decision != "" && isText { // scambench keeps its decision beside the answer
		e = envelope{actions: `["` + decisionAction(jsontext.Decoded(md.decision)) + `"]`, thought: md.reasons, text: expected}
	}
	switch {
	case e.actions != "":
		err = p.plan(t, &e)
	case e.other || e.text == "" && e.command == "":
		if t.Body = body; !isText {
			t.Body = canonical.Body(string(jsontext.AppendCompact(nil, whole)))
		}
	case e.command != "":
		t.Calls = append(t.Calls, canonical.Call{Name: "SHELL", Args: withoutThought(whole)})
		p.think(t, e.thought)
		e.planned = true
	default:
		t.Body, _ = jsontext.Quoted(e.text)
		p.think(t, e.thought)
	}
	if err == nil && len(t.Calls) == 0 {
		err = speech.Assistant(&p.conv, t, t.Body, "expectedResponse")
	}
	return e, err
}

func (e *envelope) read(object string) {
	c := jsontext.Cursor{Text: object}
	for key := range c.Members() {
		switch value := c.Value(); key {
		case "actions":
			e.actions = value
		case "thought":
			e.thought = value
		case "text":
			e.text = value
		case "providers":
			e.providers = value
		case "command":
			e.command = value
		case "simple", "cwd", "explanation":
		default:
			e.other = true
		}
	}
	if e.text != "" && e.text[0] != '"' || e.command != "" && e.command[0] != '"' {
		e.other = true
	}
}

// plan reads the actions of a planner's envelope: a list or one, names or objects with params.
func (p *processor) plan(t *canonical.Turn, e *envelope) error {
	e.planned = true
	t.Body, _ = jsontext.Quoted(e.text)
	p.think(t, e.thought)
	if providers := strings.Trim(e.providers, "[] \n\t"); providers != "" && providers != "null" {
		p.conv.Meta("providers", e.providers)
	}
	var actions []string
	c := jsontext.Cursor{Text: e.actions}
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			actions = append(actions, c.Value())
		}
	case '{':
		actions = append(actions, c.Value())
	case '"':
		for name := range strings.SplitSeq(jsontext.Decoded(e.actions), ",") {
			actions = append(actions, quote(strings.TrimSpace(name)))
		}
	case 'n':
	default:
		return sdk.Reject("bad_actions", "expectedResponse", "want actions by name or as objects, have another value")
	}
	for _, action := range actions {
		if err := p.act(t, e, action); err != nil {
			return err
		}
	}
	return nil
}

// act adds the call of one action. TASKS and TASK_CALL with a tool are a call of that tool; REPLY takes the text along.
func (p *processor) act(t *canonical.Turn, e *envelope, action string) error {
	name, params := jsontext.Decoded(action), ""
	if strings.HasPrefix(action, "{") {
		c := jsontext.Cursor{Text: action}
		for key := range c.Members() {
			switch value := c.Value(); key {
			case "name", "action":
				name = jsontext.Decoded(value)
			case "params", "parameters", "args", "arguments":
				params = value
			}
		}
	}
	if name = strings.TrimFunc(name, jsontext.IsSpace); name == "" {
		return sdk.Reject("bad_actions", "expectedResponse", "want a name in every action, have one without")
	}
	switch upper := strings.ToUpper(name); upper {
	case "NONE":
		return nil
	case "TASKS", "TASK_CALL":
		if tool := strings.TrimFunc(jsontext.Decoded(jsontext.Lookup(params, "tool")), jsontext.IsSpace); tool != "" {
			e.unwrapped = true
			t.Calls = append(t.Calls, canonical.Call{Name: canonical.Body(tool), Args: jsontext.Lookup(params, "arguments")})
			return nil
		}
		name = upper
	case "REPLY":
		return p.reply(t, params)
	case "IGNORE", "STOP", "SHELL":
		name = upper
	}
	t.Calls = append(t.Calls, canonical.Call{Name: canonical.Body(name), Args: params})
	return nil
}

// reply adds the call of REPLY with the text it says, or the text alone.
func (p *processor) reply(t *canonical.Turn, params string) error {
	if text, ok := jsontext.Quoted(jsontext.Lookup(params, "text")); ok && !jsontext.Blank(text) {
		t.Body = text
	}
	if jsontext.Blank(t.Body) {
		return sdk.Reject("empty_response", "expectedResponse", "want a text to reply, have none")
	}
	had := t.Calls
	t.Calls = nil
	err := speech.Assistant(&p.conv, t, t.Body, "expectedResponse")
	said := len(t.Calls) == 0
	if t.Calls = append(had, t.Calls...); err != nil || !said || p.Reply == "text" {
		return err
	}
	t.Calls = append(t.Calls, canonical.Call{Name: "REPLY", Args: `{"text":"` + t.Body + `"}`})
	t.Body = ""
	return nil
}

// think keeps a thought apart from the answer. Phrases that the tooling put in where there was none are left out.
func (p *processor) think(t *canonical.Turn, thought string) {
	body, _ := jsontext.Quoted(thought)
	if slices.Contains(leaked, strings.Trim(strings.TrimSpace(body), `"'`)) {
		p.record.Count("loss.leaked_thought", 1)
		return
	}
	if !jsontext.Blank(body) {
		t.Reasoning = body
	}
}

// leaked are thoughts that nobody thought (render-and-adapters, A.5).
var leaked = []string{
	"Reply to the user.", "Call the tool to satisfy the request.", "Let me work through this step by step.",
	"Let me handle this request.", "Let me figure out the correct tool and parameters.", "Processing the user's request now.",
	"Got the data. Let me figure out how to proceed.", "Information retrieved. Let me process this for the user.",
	"The tool returned data. Let me review it.",
}

// decisionAction gives the action that a decision of scambench stands for.
func decisionAction(decision string) string {
	switch strings.ToLower(decision) {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	}
	return "REPLY"
}

// withoutThought gives the arguments of a shell command: the envelope without its thought.
func withoutThought(object string) string {
	args := []byte("{")
	c := jsontext.Cursor{Text: object}
	for key := range c.Members() {
		value := c.Value()
		if key != "command" && key != "cwd" && key != "explanation" {
			continue
		}
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = append(append(jsontext.AppendString(args, key), ':'), value...)
	}
	return string(append(args, '}'))
}

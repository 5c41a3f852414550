package trajectory

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A step is what surrounds calls, as JSON.
type step struct {
	index                          int
	path                           string
	id, timestamp, kind, iteration jsontext.JSON
}

func (s *step) member(key string, value jsontext.JSON) {
	switch key {
	case "stepId", "stageId":
		s.id = value
	case "id":
		if s.id == "" {
			s.id = value
		}
	case "timestamp", "startedAt":
		s.timestamp = value
	case "kind", "stepType":
		s.kind = value
	case "iteration":
		s.iteration = value
	}
}

// A call is one model call, as JSON.
type call struct {
	id, system, prompt, messages           jsontext.JSON
	tools, choice, schema                  jsontext.JSON
	response, toolCalls, reasoning, reason jsontext.JSON
	usage, promptTokens, completionTokens  jsontext.JSON
}

// call reads the call ahead and emits its row. A call that asked or answered nothing is counted and left out.
func (a *adapter) call(r *sdk.Record, s step, n int, path string, c *jsontext.Cursor, emit func(*sdk.Record)) error {
	a.row.Reset()
	a.rest.Reset()
	m := a.read(c)
	a.identify(s, m, n)
	a.row.Path = path + ".messages"
	if err := a.row.SetTools(path+".tools", m.tools); err != nil {
		return err
	}
	if m.system.Body() != "" {
		a.row.Add(eliza.System, 0).Body = m.system.Body()
	}
	if m.messages.Kind() != '[' && m.prompt.Kind() == '[' {
		m.messages = m.prompt
	}
	if m.messages.Kind() == '[' {
		if err := a.messages(m.messages); err != nil {
			return err
		}
	}
	if prompt := m.prompt.Body(); !a.asks() && !prompt.Blank() {
		if a.transcript {
			a.converse(prompt)
		} else {
			a.row.Add(eliza.User, 0).Body = prompt
		}
	}
	t := a.row.Add(eliza.Assistant, len(a.row.Turns))
	t.Reasoning = m.reasoning.Body()
	if err := a.respond(t, m, path); err != nil {
		return err
	}
	if !a.asks() || t.Body.Blank() && len(t.Calls) == 0 {
		a.empty++
		return nil
	}
	for _, beside := range []interface {
		Settle(*canonical.Conversation) error
	}{&a.run.beside, &a.rest} {
		if err := beside.Settle(&a.row); err != nil {
			return err
		}
	}
	a.metadata.Fill(&a.row)
	a.rows++
	return a.row.Emit(r, canonical.Last, emit)
}

func (a *adapter) read(c *jsontext.Cursor) (m call) {
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "callId", "id":
			m.id = v
		case "systemPrompt", "system":
			m.system = v
		case "userPrompt", "prompt":
			m.prompt = v
		case "messages":
			m.messages = v
		case "tools":
			m.tools = v
		case "toolChoice":
			m.choice = v
		case "responseSchema", "output":
			m.schema = v
		case "response", "text", "completion":
			m.response = v
		case "toolCalls", "tool_calls":
			m.toolCalls = v
		case "reasoning", "reasoningText":
			m.reasoning = v
		case "finishReason":
			m.reason = v
		case "usage":
			m.usage = v
		case "promptTokens":
			m.promptTokens = v
		case "completionTokens":
			m.completionTokens = v
		default:
			if name, own := identityName(key); !own && v != "null" && !a.row.Identify(name, v) {
				a.rest.Take(key, v)
			}
		}
	}
	return m
}

// identityName gives the identity member that a member of a call is. own tells that the run or the step says it.
func identityName(key string) (name string, own bool) {
	switch key {
	case "modelName":
		return "model", false
	case "modelSlot":
		return "modelType", false
	case "trajectoryId", "agentId", "stepId", "stepIndex", "callIndex":
		return "", true
	}
	return key, false
}

// identify says which call of which run the row is.
func (a *adapter) identify(s step, m call, n int) {
	id := a.run.id.Body()
	a.row.Identify("trajectoryId", `"`+jsontext.JSON(id)+`"`)
	if a.run.agent != "" {
		a.row.Identify("agentId", a.run.agent)
	}
	step, call := s.id.Body(), m.id.Body()
	if call == "" {
		call = id + ":" + cmp.Or(step, jsontext.Body("step:"+strconv.Itoa(s.index+1))) + jsontext.Body(":call:"+strconv.Itoa(n+1))
	}
	step = cmp.Or(step, id+jsontext.Body(":step:"+strconv.Itoa(s.index+1)))
	a.row.Identify("stepId", jsontext.JSON(`"`+step+`"`))
	a.row.Identify("callId", jsontext.JSON(`"`+call+`"`))
	a.row.Identify("stepIndex", jsontext.JSON(strconv.Itoa(s.index)))
	a.row.Identify("callIndex", jsontext.JSON(strconv.Itoa(n)))
	for _, member := range []struct {
		name  string
		value jsontext.JSON
	}{
		{"status", a.run.status}, {"tags", a.run.tags}, {"timestamp", s.timestamp}, {"stepType", s.kind},
	} {
		if member.value != "" && member.value != "null" {
			a.row.Identify(member.name, member.value)
		}
	}
	if s.iteration != "" {
		a.rest.Take("iteration", s.iteration)
	}
	a.row.ToolChoice, a.row.ResponseSchema = notNull(m.choice), notNull(m.schema)
	a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(m.reason.Body()), "-", "_"))
	switch {
	case m.usage.Kind() == '{':
		a.row.Usage = m.usage
	case notNull(m.promptTokens) != "" && notNull(m.completionTokens) != "":
		a.row.Usage = `{"promptTokens":` + m.promptTokens + `,"completionTokens":` + m.completionTokens + "}"
	}
}

func notNull(value jsontext.JSON) jsontext.JSON {
	if value == "null" {
		return ""
	}
	return value
}

// asks tells whether the user has a turn.
func (a *adapter) asks() bool {
	for i := range a.row.Turns {
		if a.row.Turns[i].Role == eliza.User {
			return true
		}
	}
	return false
}

// messages adds the messages of a call. One that is more than a role and a text stays as it was sent: a canonical row
// holds the exact request.
func (a *adapter) messages(list jsontext.JSON) error {
	c := jsontext.Cursor{JSON: list}
	for i := range c.Elements() {
		path := a.row.Path + "." + strconv.Itoa(i)
		if c.Kind() != '{' {
			return sdk.Reject("bad_message", path, "want an object, have another value")
		}
		start := c.At
		var role, content jsontext.JSON
		plain := true
		for key := range c.Members() {
			switch v := c.Value(); key {
			case "role":
				role = v
			case "content":
				content = v
			default:
				plain = plain && (v == "null" || v == "[]")
			}
		}
		kind := canonical.RoleOf(strings.ToLower(string(role.Body())))
		if kind == eliza.NoRole {
			return sdk.Reject("bad_role", path+".role", "want system, developer, user, assistant or tool, have another")
		}
		body, ok := content.Quoted()
		t := a.row.Add(kind, i)
		if t.Body = body; !ok && content != "null" || !plain || kind == eliza.Tool {
			t.Raw = c.JSON[start:c.At]
			a.check.Read(`{"request":{"messages":[` + t.Raw + `]}}`)
			for _, f := range a.check.Faults {
				if at, ok := strings.CutPrefix(f.Path, "request.messages.0"); ok {
					return sdk.Reject(f.Code, path+at, "%s", f.Message)
				}
			}
		}
	}
	return nil
}

// respond fills the answer: a text, or an object with text and toolCalls. Where calls stand beside the text, the text
// stays as it was given; else calls may stand in it.
func (a *adapter) respond(t *canonical.Turn, m call, path string) error {
	response, list := m.response, m.toolCalls
	if response.Kind() == '{' {
		if list == "" {
			list = response.Get("toolCalls")
		}
		if t.Reasoning == "" {
			t.Reasoning = response.Get("reasoning").Body()
		}
		response = response.Get("text")
	}
	c := jsontext.Cursor{JSON: list}
	for i := range c.Elements() {
		read, ok := calls.Object(c.Value())
		if !ok {
			return sdk.Reject("bad_call", path+".toolCalls."+strconv.Itoa(i), "want a call with a name, have another value")
		}
		if args := read.Args; args != "" && args[0] != '{' && args[0] != '"' && args != "null" {
			return sdk.Reject("bad_arguments", path+".toolCalls."+strconv.Itoa(i), "want an object, have another value")
		}
		t.Calls = speech.Append(t.Calls, read)
	}
	if len(t.Calls) > 0 {
		t.Body = response.Body()
		return nil
	}
	return speech.Assistant(&a.row, t, response.Body(), path+".response")
}

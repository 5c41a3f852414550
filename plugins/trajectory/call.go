package trajectory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A step is the context of calls, as JSON.
type step struct {
	index                          int
	id, timestamp, kind, iteration jsontext.JSON

	others []member
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
	default:
		s.others = append(s.others, member{key, value})
	}
}

// A call is one model call, as JSON.
type call struct {
	id, system, prompt, messages           jsontext.JSON
	tools, choice, schema                  jsontext.JSON
	response, toolCalls, reasoning, reason jsontext.JSON
	usage, promptTokens, completionTokens  jsontext.JSON

	others []member
}

// call emits the row of a call. One that asked or answered nothing is counted and left out.
func (a *adapter) call(s step, n int, path string, value jsontext.JSON) error {
	a.row.Reset()
	a.row.Path, a.row.Shape = path+".messages", a.run.path
	m := a.members(value)
	a.identify(s, m, n)
	a.settings(m)
	if err := a.ask(m, path); err != nil {
		return err
	}
	t := a.row.Add(canonical.Assistant, len(a.row.Turns))
	t.Reasoning = m.reasoning.Body()
	if err := a.respond(t, m, path); err != nil {
		return err
	}
	if !a.asks() || t.Body.Blank() && len(t.Calls) == 0 {
		a.empty++
		return nil
	}
	a.keep(a.run.others)
	if err := a.row.CheckRepair(); err != nil { // before the call can say otherwise
		return err
	}
	if s.iteration != "" {
		a.row.Keep("iteration", s.iteration)
	}
	a.keep(m.others)
	a.keep(s.others)
	a.rows++
	return a.row.Emit()
}

func (a *adapter) keep(members []member) {
	for _, m := range members {
		a.row.Keep(m.key, m.value)
	}
}

// members reads the members of a call.
func (a *adapter) members(value jsontext.JSON) (m call) {
	places := map[string]*jsontext.JSON{
		"callId": &m.id, "id": &m.id, "systemPrompt": &m.system, "system": &m.system, "userPrompt": &m.prompt, "prompt": &m.prompt,
		"messages": &m.messages, "tools": &m.tools, "toolChoice": &m.choice, "responseSchema": &m.schema, "output": &m.schema,
		"response": &m.response, "text": &m.response, "completion": &m.response, "toolCalls": &m.toolCalls, "tool_calls": &m.toolCalls,
		"reasoning": &m.reasoning, "reasoningText": &m.reasoning, "finishReason": &m.reason, "usage": &m.usage,
		"promptTokens": &m.promptTokens, "completionTokens": &m.completionTokens,
	}
	for key, v := range value.Members() {
		switch key {
		case "trajectoryId", "agentId", "stepId", "stepIndex", "callIndex": // the run or the step has it
		default:
			if place := places[key]; place != nil {
				*place = v
			} else if v != "null" && !a.row.Identify(cmp.Or(identityNames[key], key), v) {
				m.others = append(m.others, member{key, v})
			}
		}
	}
	return m
}

// identityNames are the members of a call that the row has under another name.
var identityNames = map[string]string{"modelName": "model", "modelSlot": "modelType"}

// identify sets the identity of the row: the call and its run.
func (a *adapter) identify(s step, m call, n int) {
	run, step, call := a.run.id.Body(), s.id.Body(), m.id.Body()
	place := jsontext.Body("step:" + strconv.Itoa(s.index+1))
	call = cmp.Or(call, run+":"+cmp.Or(step, place)+jsontext.Body(":call:"+strconv.Itoa(n+1)))
	for _, is := range [...]struct {
		name  string
		value jsontext.JSON
	}{
		{"trajectoryId", a.run.id}, {"agentId", a.run.agent}, {"stepId", cmp.Or(step, run+":"+place).JSON()}, {"callId", call.JSON()},
		{"stepIndex", jsontext.JSON(strconv.Itoa(s.index))}, {"callIndex", jsontext.JSON(strconv.Itoa(n))},
		{"status", cmp.Or(a.run.status, a.run.last)}, {"tags", a.run.tags}, {"timestamp", s.timestamp}, {"stepType", s.kind},
	} {
		if given(is.value) != "" {
			a.row.Identify(is.name, is.value)
		}
	}
}

// settings sets the members of the call that are not part of the conversation.
func (a *adapter) settings(m call) {
	a.row.ToolChoice, a.row.ResponseSchema = given(m.choice), given(m.schema)
	a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(m.reason.Body()), "-", "_"))
	switch {
	case m.usage.Kind() == '{':
		a.row.Usage = m.usage
	case given(m.promptTokens) != "" && given(m.completionTokens) != "":
		a.row.Usage = `{"promptTokens":` + m.promptTokens + `,"completionTokens":` + m.completionTokens + "}"
	}
}

// given returns a value, or "" for null.
func given(value jsontext.JSON) jsontext.JSON {
	if value == "null" {
		return ""
	}
	return value
}

// ask adds tools and turns up to the answer.
func (a *adapter) ask(m call, path string) error {
	if err := a.row.SetTools(path+".tools", m.tools); err != nil {
		return err
	}
	if system := m.system.Body(); system != "" {
		a.row.Add(canonical.System, 0).Body = system
	}
	for _, list := range [...]jsontext.JSON{m.messages, m.prompt} {
		if list.Kind() == '[' {
			if err := a.messages(list); err != nil {
				return err
			}
			break
		}
	}
	switch prompt := m.prompt.Body(); {
	case prompt.Blank():
		if m.messages.Kind() == '[' && m.prompt.Kind() == '[' && !m.prompt.Empty() {
			a.row.Count("loss.prompt", 1)
		}
	case a.asks():
		if a.lastAsked() != prompt {
			a.row.Count("loss.prompt", 1)
		}
	case a.transcript:
		a.converse(prompt)
	default:
		a.row.Add(canonical.User, 0).Body = prompt
	}
	return nil
}

// lastAsked returns the last text of the user.
func (a *adapter) lastAsked() jsontext.Body {
	for _, t := range slices.Backward(a.row.Turns) {
		if t.Role == canonical.User {
			return t.Body
		}
	}
	return ""
}

// asks reports whether the user has a turn.
func (a *adapter) asks() bool {
	return slices.ContainsFunc(a.row.Turns, func(t build.Message) bool { return t.Role == canonical.User })
}

// messages adds the messages of a call. One that is more than a role and a text stays as it was sent: a canonical row
// holds the exact request.
func (a *adapter) messages(list jsontext.JSON) error {
	for i, message := range list.Elements() {
		path := a.row.Path + "." + strconv.Itoa(i)
		if message.Kind() != '{' {
			return sdk.Reject("bad_message", path, "want an object, have %s", jsontext.KindName(message.Kind()))
		}
		var role, content jsontext.JSON
		plain := true
		message.Fill([]string{"role", "content"}, []*jsontext.JSON{&role, &content}, func(_ string, v jsontext.JSON) {
			plain = plain && (v == "null" || v == "[]")
		})
		kind := canonical.RoleOf(canonical.RoleName(role))
		if kind == canonical.NoRole {
			return sdk.Reject("bad_role", path+".role", "want system, developer, user, assistant or tool, have %s", seenRole(message, role))
		}
		body, ok := content.Quoted()
		t := a.row.Add(kind, i)
		if t.Body = body; !ok && content != "null" || !plain || kind == canonical.Tool {
			t.Raw = message
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

// seenRole names a role for an error, and the members of a message without one.
func seenRole(message, role jsontext.JSON) string {
	if role == "" {
		return jsontext.Describe(message)
	}
	return jsontext.Seen(role)
}

// respond fills the answer: a text, or an object with text and toolCalls. Where there are calls too, the text
// stays as it was; else calls may be in it.
func (a *adapter) respond(t *build.Message, m call, path string) error {
	response, list := m.response, m.toolCalls
	if response.Kind() == '{' {
		if list == "" {
			list = response.Get("toolCalls")
		}
		if t.Reasoning == "" {
			t.Reasoning = response.Get("reasoning").Body()
		} else if response.Get("reasoning").Truthy() {
			a.row.Count("loss.response_member", 1)
		}
		a.row.Leave("loss.response_member", response, "text", "toolCalls", "reasoning")
		response = response.Get("text")
	}
	for i, v := range list.Elements() {
		read, ok := calls.Object(v)
		if !ok {
			return sdk.Reject("bad_call", path+".toolCalls."+strconv.Itoa(i), "want a call with a name, have %s", jsontext.Describe(v))
		}
		if args := read.Args; args != "" && args[0] != '{' && args[0] != '"' && args != "null" {
			return sdk.Reject("bad_arguments", path+".toolCalls."+strconv.Itoa(i), "want an object as the arguments, have %s", jsontext.KindName(args.Kind()))
		}
		t.Calls = append(t.Calls, read)
	}
	if len(t.Calls) > 0 {
		t.Body = response.Body()
		return nil
	}
	return a.row.Say(t, response.Body(), path+".response")
}

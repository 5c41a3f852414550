package atif

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A step is one element of the list, its members as JSON.
type step struct {
	number, source, message, reasoning, calls, observation jsontext.JSON
	model, metrics, copied, made                           jsontext.JSON
}

// step adds the turns of one step: what is said with its calls, then what came of these.
func (a *adapter) step(i int, value jsontext.JSON) error {
	if value.Kind() != '{' {
		return a.bad(i, "", "want an object, have %s", jsontext.KindName(value.Kind()))
	}
	var s step
	value.Fill([]string{"step_id", "source", "message", "reasoning_content", "tool_calls", "observation", "model_name", "metrics", "is_copied_context", "llm_call_count"},
		[]*jsontext.JSON{&s.number, &s.source, &s.message, &s.reasoning, &s.calls, &s.observation, &s.model, &s.metrics, &s.copied, &s.made},
		func(_ string, other jsontext.JSON) { a.left(other) }) // its time, effort and what is extra
	if number, ok := s.number.Number(); ok {
		if number < a.last {
			return a.bad(i, ".step_id", "want a number above that of the step before, have a lower one")
		}
		a.last = number
	}
	role := canonical.User
	switch s.source {
	case `"user"`:
	case `"system"`:
		role = canonical.System
	case `"agent"`:
		return a.act(i, &s)
	default:
		return a.bad(i, ".source", "want user, agent or system, have %s", jsontext.Seen(s.source))
	}
	a.left(s.reasoning, s.calls, s.model, s.metrics)
	said, err := a.content(i, ".message", s.message)
	if err != nil {
		return err
	}
	if t := a.row.Add(role, i); said.media > 0 {
		t.Raw = said.message(role)
	} else {
		t.Body = said.text
	}
	return a.observe(i, role, 0, s.observation)
}

// act adds a step of the agent. A step that no model made, or that another trajectory has too, is nothing to train on.
func (a *adapter) act(i int, s *step) error {
	if s.model.Kind() == '"' && s.model != a.model {
		if a.model != "" {
			a.row.Count("loss.step_member", 1)
		} else {
			a.model = s.model
		}
	}
	if a.usage != "" { // of an earlier answer
		a.row.Count("loss.step_member", 1)
	}
	a.usage = a.figures(s.metrics)
	var found []build.Call
	for n, call := range s.calls.Elements() {
		name := call.Get("function_name").Body()
		if name.Blank() {
			return sdk.Reject("bad_tool_call", a.path(i)+".tool_calls."+strconv.Itoa(n), "want a function_name in a call, have %s", jsontext.KindName(call.Get("function_name").Kind()))
		}
		a.row.Leave("loss.call_member", call, "tool_call_id", "function_name", "arguments")
		id, _ := canonical.ReadID(call.Get("tool_call_id"))
		found = append(found, build.Call{ID: id, Name: name, Args: call.Get("arguments")})
	}
	said, err := a.content(i, ".message", s.message)
	if err != nil {
		return err
	}
	t := a.row.Add(canonical.Assistant, i)
	t.NoTarget = s.copied == "true" || s.made == "0"
	if said.media > 0 {
		t.Raw = said.message(canonical.Assistant)
		a.row.Count("loss.part_member", len(found))
		a.left(s.reasoning)
	} else {
		t.Reasoning, t.Calls = s.reasoning.Body(), append(t.Calls, found...)
		if err := a.row.Say(t, said.text, a.path(i)+".message"); err != nil {
			return err
		}
	}
	return a.observe(i, canonical.User, max(len(found), len(t.Calls)), s.observation)
}

// figures returns what a call of the model used, under canonical names. Costs, token ids and probabilities are counted.
func (a *adapter) figures(metrics jsontext.JSON) jsontext.JSON {
	known := map[string]string{"prompt_tokens": "promptTokens", "completion_tokens": "completionTokens", "cached_tokens": "cacheReadInputTokens"}
	some := []byte("{")
	for key, v := range metrics.Members() {
		if known[key] != "" && v != "null" {
			some = append(jsontext.AppendKey(some, known[key]), v...)
		} else {
			a.left(v)
		}
	}
	if len(some) == 1 {
		return ""
	}
	return jsontext.JSON(append(some, '}'))
}

// observe adds the results of a step. One with the id of a call, or beside calls, is the result of a call. Any other is what the
// agent sees next: a word of the user, or of the system in a step of the system. One result without an id beside several calls, such as
// the screen after some keystrokes, is that of the last: the others had none of their own.
func (a *adapter) observe(i int, role canonical.Role, calls int, observation jsontext.JSON) error {
	if observation.Kind() != '{' {
		a.left(observation)
		return nil
	}
	a.row.Leave("loss.step_member", observation, "results")
	results := observation.Get("results")
	if kind := results.Kind(); kind != '[' && kind != 0 && kind != 'n' {
		return a.bad(i, ".observation.results", "want a list, have %s", jsontext.KindName(kind))
	}
	if list := results.List(); calls > 1 && len(list) == 1 && !list[0].Get("source_call_id").Truthy() {
		for range calls - 1 {
			a.row.Add(canonical.Tool, i)
		}
		a.row.Count("mended.joint_result", 1)
	}
	for n, result := range results.Elements() {
		at := ".observation.results." + strconv.Itoa(n)
		if result.Kind() != '{' {
			return a.bad(i, at, "want an object, have %s", jsontext.KindName(result.Kind()))
		}
		a.row.Leave("loss.result_member", result, "source_call_id", "content", "is_error")
		said, err := a.content(i, at+".content", result.Get("content"))
		if err != nil {
			return err
		}
		a.row.Count("loss.media", said.media)
		id, _ := canonical.ReadID(result.Get("source_call_id"))
		if id == "" && calls == 0 {
			a.row.Add(role, i).Body = said.text
			continue
		}
		t := a.row.Add(canonical.Tool, i)
		t.ID, t.Body, t.Failed = id, said.text, result.Get("is_error") == "true"
	}
	return nil
}

// A content is what a message or a result says.
type content struct {
	text  jsontext.Body // of all texts
	parts jsontext.Body // as parts of a canonical message
	media int           // how many parts are no text
}

// message returns the canonical message of a content with media.
func (c *content) message(role canonical.Role) jsontext.JSON {
	return `{"role":"` + jsontext.JSON(role.String()) + `","content":[` + jsontext.JSON(c.parts) + `]}`
}

// content reads a text, or a list of texts and images.
func (a *adapter) content(i int, at string, value jsontext.JSON) (c content, err error) {
	switch value.Kind() {
	case '"', 0, 'n':
		return content{text: value.Body()}, nil
	case '[':
	default:
		return c, a.bad(i, at, "want a text or a list of parts, have %s", jsontext.KindName(value.Kind()))
	}
	var text, parts build.Joiner
	for _, part := range value.Elements() {
		switch part.Get("type") {
		case `"text"`:
			a.row.Leave("loss.part_member", part, "type", "text")
			body := part.Get("text").Body()
			text.Add(a.row.Joiner(), body)
			parts.Add(",", `{"type":"text","text":"`+body+`"}`)
		case `"image"`:
			c.media++
			source := part.Get("source")
			a.row.Leave("loss.part_member", part, "type", "source")
			a.row.Leave("loss.part_member", source, "media_type", "path")
			parts.Add(",", `{"type":"file","mediaType":"`+source.Get("media_type").Body()+`","data":"`+source.Get("path").Body()+`"}`)
		default:
			return c, a.bad(i, at, "want parts of text or images, have %s", jsontext.Seen(part.Get("type")))
		}
	}
	c.text, c.parts = text.Body(), parts.Body()
	return c, nil
}

// left counts values of a step that no turn has a place for.
func (a *adapter) left(values ...jsontext.JSON) {
	for _, v := range values {
		if v.Truthy() {
			a.row.Count("loss.step_member", 1)
		}
	}
}

func (a *adapter) bad(i int, under, format string, args ...any) error {
	return sdk.Reject("bad_step", a.path(i)+under, format, args...)
}

func (a *adapter) path(i int) string { return a.row.Path + "." + strconv.Itoa(i) }

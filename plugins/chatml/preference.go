package chatml

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	intext "github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// preference emits {prompt, chosen, rejected, tools} for preference trainers: the row's answer is the chosen one, and
// metadata.preference.rejected the other.
func (p *renderer) preference(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	other := p.row.Metadata.Get("preference").Get("rejected")
	if other == "" || other == "null" {
		return sdk.Reject("no_preference", "metadata.preference.rejected", "want the answer that was not preferred")
	}
	answer := slices.IndexFunc(p.messages, func(m message) bool { return m.Turn.Index == canonical.InResponse })
	if answer <= 0 {
		return sdk.Reject("no_preference", "response", "want a message before the answer")
	}
	p.buf = append(p.beginRow(), `{"prompt":[`...)
	if err := p.writeList(p.messages[:answer]); err != nil {
		return err
	}
	p.buf = append(p.buf, `],"chosen":[`...)
	if err := p.writeList(p.messages[answer:]); err != nil {
		return err
	}
	p.buf = append(p.buf, `],"rejected":[`...)
	if err := p.rejected(r, other); err != nil {
		return err
	}
	p.buf = p.appendTools(p.appendColumns(append(p.buf, ']')), tools)
	p.emit(r, emit)
	return nil
}

func (c *conversation) writeList(messages []message) error {
	for i := range messages {
		c.buf = jsontext.AppendComma(c.buf)
		if err := c.write(&messages[i]); err != nil {
			return err
		}
	}
	return nil
}

// rejected writes the other answer, read and fitted as the response of a row of its own. Its calls share no id with the row.
func (p *renderer) rejected(r *sdk.Record, answer jsontext.JSON) error {
	response, err := asResponse(answer)
	if err != nil {
		return err
	}
	if p.other == nil {
		p.other = &conversation{rules: p.rules}
	}
	o := p.other
	p.otherRow.Read(`{"request":{"prompt":"?"},"response":` + response + "}")
	o.row, o.avoid = &p.otherRow, p.used
	if err := o.build(r); err != nil {
		return err
	}
	if err := o.fit(r); err != nil {
		return err
	}
	first := slices.IndexFunc(o.messages, func(m message) bool { return m.Turn.Index == canonical.InResponse })
	o.buf, o.long, o.halves = p.buf, p.long, p.halves
	err = o.writeList(o.messages[first:])
	p.buf, p.long, p.halves = o.buf, o.long, o.halves
	return err
}

// asResponse returns an answer as the response of a canonical row. The answer is a text, which may hold calls and thoughts,
// or a message, or messages that end with it.
func asResponse(answer jsontext.JSON) (jsontext.JSON, error) {
	const path = "metadata.preference.rejected"
	if answer.Kind() == '[' {
		var last jsontext.JSON
		answers := 0 // of the assistant, at the end
		for _, v := range answer.Elements() {
			if last = v; isAssistant(last) {
				answers++
			} else {
				answers = 0
			}
		}
		if answers != 1 {
			return "", sdk.Reject("no_preference", path, "want messages that end with 1 answer of the assistant, have %d", answers)
		}
		answer = last
	}
	if body, ok := answer.Quoted(); ok {
		return spoken(body)
	}
	if answer.Kind() != '{' {
		return "", sdk.Reject("no_preference", path, "want a text, a message or messages, have %s", jsontext.KindName(answer.Kind()))
	}
	response := []byte("{")
	for key, v := range answer.Members() {
		switch key {
		case "role", "from":
			continue
		case "content", "value":
			if body, ok := v.Quoted(); ok && !strings.Contains(string(answer), `"tool_calls"`) {
				return spoken(body)
			} else if ok {
				key = "text"
			}
		}
		response = append(jsontext.AppendKey(response, key), v...)
	}
	return jsontext.Of(append(response, '}')), nil
}

func isAssistant(message jsontext.JSON) bool {
	return canonical.RoleOf(canonical.RoleName(cmp.Or(message.Get("role"), message.Get("from")))) == canonical.Assistant
}

// spoken returns a text as a response, with the calls and thoughts taken out of it.
func spoken(body jsontext.Body) (jsontext.JSON, error) {
	if !intext.Marked(string(body)) {
		return jsontext.JSON(`{"text":"` + body + `"}`), nil
	}
	read, err := intext.Read(body.Text(), nil)
	if err != nil {
		return "", sdk.Reject("no_preference", "metadata.preference.rejected", "want a tool call that parses: %v", err)
	}
	b := jsontext.AppendMember([]byte("{"), "text", read.Text)
	if read.Thought != "" {
		b = jsontext.AppendMember(b, "reasoning", read.Thought)
	}
	if len(read.Calls) == 0 {
		return jsontext.Of(append(b, '}')), nil
	}
	b = append(jsontext.AppendKey(b, "toolCalls"), '[')
	for _, call := range read.Calls {
		b = append(append(jsontext.AppendComma(b), `{"toolCallId":`...), call.ID.JSON()...)
		b = append(jsontext.AppendKey(b, "toolName"), call.Name.JSON()...)
		if call.Args != "" {
			b = append(jsontext.AppendKey(b, "input"), call.Args...)
		}
		b = append(b, '}')
	}
	return jsontext.Of(append(b, "]}"...)), nil
}

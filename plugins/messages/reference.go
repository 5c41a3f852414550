package messages

import (
	"context"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A reference is the reference profile: it lets through what the Python renderer renders as a messages row, and carries
// its messages as they stand. The last one, which a response cannot always express, goes to
// metadata.reference.message too. A row that fails is declined, since that renderer then tries the flat shape.
type reference struct {
	kept []jsontext.JSON // messages that have a normal form
	buf  []byte
}

// Process implements sdk.Processor.
func (p *reference) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c := jsontext.Cursor{JSON: jsontext.Of(r.JSON())}
	if c.Kind() != '{' {
		return sdk.Reject("reference_error", "", "want an object")
	}
	var schema, split, quality, metadata, target, messages, tools jsontext.JSON
	for key := range c.Members() {
		switch key {
		case "schema":
			schema = c.Value()
		case "split":
			split = c.Value()
		case "quality":
			quality = c.Value()
		case "metadata":
			metadata = c.Value()
		case "target":
			target = c.Value()
		case "messages":
			messages = c.Value()
		case "tools":
			tools = c.Value()
		}
	}
	if eliza.ReferenceAuxiliary(split, quality, metadata) {
		return sdk.Reject("auxiliary", "", "want a row for training, have one of the repair loop")
	}
	if schema == trajectorySchema {
		name := split.Word()
		if name == "" {
			name = metadata.Get("split").Word()
		}
		if name != "" && !slices.Contains([]string{"train", "val", "validation", "test"}, name) {
			return sdk.Decline("another split")
		}
		if target.Kind() == '{' && python.Truthy(target) && python.Str(target.Get("sftFormat")) != "messages" {
			return sdk.Decline("another target")
		}
	}
	if messages.Kind() != '[' {
		return sdk.Decline("want an array of messages")
	}
	if reason := p.normalise(messages); reason != "" {
		return sdk.Decline(reason)
	}
	p.buf = p.appendRow(p.buf[:0], tools)
	emit(r.Derive(p.buf))
	return nil
}

// normalise keeps the messages that the renderer keeps, and says why it gives no row, or "".
func (p *reference) normalise(messages jsontext.JSON) string {
	p.kept = p.kept[:0]
	user, last := false, ""
	c := jsontext.Cursor{JSON: messages}
	for range c.Elements() {
		m := c.Value()
		if role := referenceRole(m); role != "" {
			p.kept = append(p.kept, m)
			user, last = user || role == "user", role
		}
	}
	switch {
	case last != "assistant":
		return "want an assistant's message at the end"
	case !user:
		return "want a message of the user"
	}
	return ""
}

// referenceRole gives the normal role of a message that the renderer keeps, or "".
func referenceRole(m jsontext.JSON) string {
	if m[0] != '{' {
		return ""
	}
	var content, snake, camel jsontext.JSON
	var role string
	payload := false
	c := jsontext.Cursor{JSON: m}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v.Word()
		case "content":
			content = v
		case "tool_calls":
			snake = v
		case "toolCalls":
			camel = v
		case "parts", "name", "tool_call_id":
			payload = true
		}
	}
	if role == "model" {
		role = "assistant"
	}
	if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role) {
		return ""
	}
	if snake == "" || snake == "null" {
		snake = camel
	}
	body, isText := content.Quoted()
	if payload || isText && !body.Blank() || !isText && content != "" && content != "null" || hasReferenceCall(snake) {
		return role
	}
	return ""
}

// hasReferenceCall tells whether a list has a call that the renderer keeps.
func hasReferenceCall(list jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: list}
	for range c.Elements() {
		v := c.Value()
		for _, name := range []jsontext.JSON{v.Get("toolName"), v.Get("name"), v.Get("function").Get("name")} {
			if !python.Truthy(name) {
				continue
			}
			if body, ok := name.Quoted(); ok && !body.Blank() {
				return true
			}
			break
		}
	}
	return false
}

func (p *reference) appendRow(dst []byte, tools jsontext.JSON) []byte {
	last := len(p.kept) - 1
	dst = append(dst, `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"messages":[`...)
	for i, m := range p.kept[:last] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m...)
	}
	dst = append(dst, ']')
	if tools != "" {
		dst = append(append(dst, `,"tools":`...), tools...)
	}
	message := p.kept[last]
	content, calls := message.Get("content"), message.Get("tool_calls")
	if content.Kind() != '"' {
		content = `""`
	}
	dst = append(append(dst, `},"response":{"text":`...), content...)
	if calls.Kind() == '[' {
		dst = append(append(dst, `,"toolCalls":`...), calls...)
	}
	dst = append(append(dst, `},"metadata":{"reference":{"message":`...), message...)
	return append(dst, "}}}"...)
}

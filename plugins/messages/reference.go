package messages

import (
	"context"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// A reference is the reference profile: it lets through what the Python renderer renders as a messages row, and carries
// its messages as they stand (render-and-adapters, 1.5). The last one, which a response cannot always express, goes to
// metadata.reference.message too. A row that fails is declined, since that renderer then tries the flat shape.
type reference struct {
	kept []string // messages that have a normal form
	buf  []byte
}

// Process implements sdk.Processor.
func (p *reference) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c := jsontext.Cursor{Text: jsontext.View(r.JSON())}
	if c.Kind() != '{' {
		return sdk.Reject("reference_error", "", "want an object")
	}
	var schema, split, quality, metadata, target, messages, tools string
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
		name := jsontext.Word(split)
		if name == "" {
			name = jsontext.Word(jsontext.Lookup(metadata, "split"))
		}
		if name != "" && !slices.Contains([]string{"train", "val", "validation", "test"}, name) {
			return sdk.Decline("another split")
		}
		if strings.HasPrefix(target, "{") && jsontext.Truthy(target) && jsontext.PythonStr(jsontext.Lookup(target, "sftFormat")) != "messages" {
			return sdk.Decline("another target")
		}
	}
	if !strings.HasPrefix(messages, "[") {
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
func (p *reference) normalise(messages string) string {
	p.kept = p.kept[:0]
	user, last := false, ""
	c := jsontext.Cursor{Text: messages}
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

// referenceRole gives the normal role of a message that the renderer keeps, or "" (render-and-adapters, 1.7).
func referenceRole(m string) string {
	if m[0] != '{' {
		return ""
	}
	var role, content, snake, camel string
	payload := false
	c := jsontext.Cursor{Text: m}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = jsontext.Word(v)
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
	body, isText := jsontext.Quoted(content)
	if payload || isText && !jsontext.Blank(body) || !isText && content != "" && content != "null" || hasReferenceCall(snake) {
		return role
	}
	return ""
}

// hasReferenceCall tells whether a list has a call that the renderer keeps (render-and-adapters, 1.8).
func hasReferenceCall(list string) bool {
	c := jsontext.Cursor{Text: list}
	for range c.Elements() {
		v := c.Value()
		for _, name := range []string{jsontext.Lookup(v, "toolName"), jsontext.Lookup(v, "name"), jsontext.Lookup(jsontext.Lookup(v, "function"), "name")} {
			if !jsontext.Truthy(name) {
				continue
			}
			if body, ok := jsontext.Quoted(name); ok && !jsontext.Blank(body) {
				return true
			}
			break
		}
	}
	return false
}

func (p *reference) appendRow(dst []byte, tools string) []byte {
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
	content, calls := jsontext.Lookup(message, "content"), jsontext.Lookup(message, "tool_calls")
	if !strings.HasPrefix(content, `"`) {
		content = `""`
	}
	dst = append(append(dst, `},"response":{"text":`...), content...)
	if strings.HasPrefix(calls, "[") {
		dst = append(append(dst, `,"toolCalls":`...), calls...)
	}
	dst = append(append(dst, `},"metadata":{"reference":{"message":`...), message...)
	return append(dst, "}}}"...)
}

package bedrock

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// message adds one message: the results in it first, then what is said.
func (a *adapter) message(i int, message jsontext.JSON) error {
	path := a.row.Path + "." + strconv.Itoa(i)
	if message.Kind() != '{' {
		return sdk.Reject("bad_message", path, "want an object, have another value")
	}
	var role, content jsontext.JSON
	c := message.Cursor()
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v
		case "content":
			content = v
		default:
			if v != "null" {
				a.row.Count("loss.message_member", 1)
			}
		}
	}
	turn := canonical.RoleOf(canonical.RoleName(role))
	switch {
	case turn != canonical.User && turn != canonical.Assistant && turn != canonical.System:
		return sdk.Reject("bad_role", path+".role", "want user or assistant, have another")
	case content.Kind() == '"':
		t := a.row.Add(turn, i)
		if t.Body = content.Body(); turn == canonical.Assistant {
			return a.row.Say(t, t.Body, path+".content")
		}
		return nil
	case content.Kind() != '[':
		return sdk.Reject("bad_content", path+".content", "want blocks, have another value")
	}
	return a.blocks(turn, i, content, path+".content")
}

// said is what the blocks of one message say.
type said struct {
	build.Said
	parts build.Joiner // its texts and media as parts of a canonical message
	media bool
}

// blocks adds the turns of a message.
func (a *adapter) blocks(role canonical.Role, i int, content jsontext.JSON, path string) error {
	var s said
	c := content.Cursor()
	for n := range c.Elements() {
		if err := a.block(&s, role, i, c.Value(), path+"."+strconv.Itoa(n)); err != nil {
			return err
		}
	}
	if s.media && role == canonical.User {
		a.row.Add(role, i).Raw = jsontext.JSON(`{"role":"user","content":[` + s.parts.Body() + `]}`)
		return nil
	}
	if s.media {
		a.row.Count("loss.media", 1)
	}
	return a.row.AddSaid(role, i, &s.Said, path)
}

// block adds one block to what its message says, or a turn of its own for a result.
func (a *adapter) block(s *said, role canonical.Role, i int, block jsontext.JSON, path string) error {
	kind, value := kindOf(block)
	a.row.Leave("loss.part_member", block, kind)
	switch kind {
	case "text":
		s.add(a.row.Joiner(), value.Body())
	case "guardContent":
		inner := value.Get("text")
		a.row.Leave("loss.part_member", value, "text")
		a.row.Leave("loss.part_member", inner, "text")
		s.add(a.row.Joiner(), inner.Get("text").Body())
	case "citationsContent":
		a.row.Leave("loss.part_member", value, "content")
		s.add(a.row.Joiner(), a.row.TextOf(value.Get("content")))
	case "toolUse":
		name := value.Get("name").Body()
		if name == "" || role != canonical.Assistant {
			return sdk.Reject("bad_call", path, "want the name of a tool, in a call of the assistant")
		}
		a.row.Leave("loss.call_member", value, "toolUseId", "name", "input")
		s.Calls = append(s.Calls, build.Call{ID: value.Get("toolUseId").Body(), Name: name, Args: value.Get("input")})
	case "toolResult":
		a.result(i, value)
	case "reasoningContent":
		a.reason(s, value)
	case "image", "document", "video", "audio":
		s.media = true
		s.parts.Add(",", a.medium(kind, value))
	case "cachePoint":
		a.row.Count("loss.cache_point", 1)
	default:
		return sdk.Reject("bad_block", path, "want a block of the Converse interface, have another")
	}
	return nil
}

// kindOf gives the member of a block that says what it is, "" when it has none.
func kindOf(block jsontext.JSON) (kind string, value jsontext.JSON) {
	c := block.Cursor()
	for key := range c.Members() {
		if slices.Contains(kinds, key) {
			return key, c.Value()
		}
	}
	return "", ""
}

func (s *said) add(joiner, body jsontext.Body) {
	s.Text.Add(joiner, body)
	s.parts.Add(",", `{"type":"text","text":"`+body+`"}`)
}

// reason adds what the model thought. Of a thought that is not shown only the count stays.
func (a *adapter) reason(s *said, value jsontext.JSON) {
	text := value.Get("reasoningText")
	a.row.Leave("loss.part_member", value, "reasoningText", "redactedContent")
	a.row.Leave("loss.part_member", text, "text")
	if value.Get("redactedContent") != "" {
		a.row.Count("loss.redacted_thinking", 1)
	}
	s.Thought.Add(build.BlankLine, text.Get("text").Body())
}

// medium gives an image or file as a part of a canonical message.
func (a *adapter) medium(kind string, value jsontext.JSON) jsontext.Body {
	source := value.Get("source")
	data := source.Get("bytes").Body()
	if data == "" {
		data = source.Get("s3Location").Get("uri").Body()
	}
	a.row.Leave("loss.part_member", value, "format", "name", "source")
	a.row.Leave("loss.part_member", source, "bytes", "s3Location")
	a.row.Leave("loss.part_member", source.Get("s3Location"), "uri")
	part := `{"type":"file","mediaType":"` + jsontext.Body(kind) + "/" + value.Get("format").Body() + `","data":"` + data + `"`
	if name := value.Get("name").Body(); name != "" {
		part += `,"filename":"` + name + `"`
	}
	return part + "}"
}

// result adds what a tool gave back: texts, and JSON as text.
func (a *adapter) result(i int, value jsontext.JSON) {
	t := a.row.Add(canonical.Tool, i)
	t.ID, t.Failed = value.Get("toolUseId").Body(), value.Get("status") == `"error"`
	if status := value.Get("status").Body(); status != "" && status != "success" && status != "error" {
		a.row.Count("loss.part_member", 1)
	}
	a.row.Leave("loss.part_member", value, "toolUseId", "status", "content")
	var told build.Joiner
	c := value.Get("content").Cursor()
	for range c.Elements() {
		block := c.Value()
		kind, inner := kindOf(block)
		switch json := block.Get("json"); {
		case kind == "text":
			a.row.Leave("loss.part_member", block, "text")
			told.Add(a.row.Joiner(), inner.Body())
		case kind != "":
			a.row.Count("loss.media", 1)
		case json != "":
			a.row.Leave("loss.part_member", block, "json")
			told.Add(a.row.Joiner(), build.AsText(json))
		default:
			told.Add(a.row.Joiner(), build.AsText(block))
		}
	}
	t.Body = told.Body()
}

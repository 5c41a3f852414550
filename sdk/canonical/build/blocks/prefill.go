package blocks

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Prefilled returns the blocks of a log's answer with those that the request begins it with. Where the last message of the request is the
// assistant's and ends with a text, the model goes on from there and does not repeat it. That message is no turn of its own then, and
// counts as "mended.prefill".
func (c *Conversation) Prefilled(answer jsontext.JSON) jsontext.JSON {
	messages := c.Field[Messages].List()
	if len(messages) == 0 || answer.Kind() != '[' || answer.Empty() {
		return answer
	}
	last := messages[len(messages)-1]
	if last.Kind() != '{' || canonical.RoleOf(canonical.RoleName(last.Get("role"))) != canonical.Assistant {
		return answer
	}
	begun, open := c.begun(last.Get(c.in.Content))
	if open.Blank() {
		return answer
	}
	c.prefilled = len(messages)
	c.Row.Count("mended.prefill", 1)
	c.Row.Leave("loss.message_member", last, "role", c.in.Content)
	whole := []byte("[")
	for _, block := range begun {
		whole = append(jsontext.AppendComma(whole), block...)
	}
	return jsontext.Of(append(c.appendJoined(whole, open, answer.List()), ']'))
}

// begun returns the blocks of a content before its last one, and the text of that, "" when it is none.
func (c *Conversation) begun(content jsontext.JSON) (before []jsontext.JSON, open jsontext.Body) {
	if content.Kind() == '"' && c.in.Texts {
		return nil, content.Body()
	}
	list := content.List()
	if len(list) == 0 {
		return nil, ""
	}
	last := len(list) - 1
	if open, _ = list[last].Get("text").Quoted(); !open.Blank() {
		c.Row.Leave("loss.part_member", list[last], "type", "text")
	}
	return list[:last], open
}

// appendJoined appends the blocks of an answer, the first of which goes on with an open text where it is a text itself.
func (c *Conversation) appendJoined(dst []byte, open jsontext.Body, answer []jsontext.JSON) []byte {
	kind := answer[0].Get("type")
	rest, isText := answer[0].Get("text").Quoted()
	if isText = isText && (kind == "" || kind == `"text"`); isText {
		c.Row.Leave("loss.part_member", answer[0], "type", "text")
		open, answer = open+rest, answer[1:]
	}
	dst = append(jsontext.AppendComma(dst), '{')
	if kind != "" {
		dst = append(dst, `"type":"text",`...)
	}
	dst = append(append(append(dst, `"text":"`...), open...), `"}`...)
	for _, block := range answer {
		dst = append(append(dst, ','), block...)
	}
	return dst
}

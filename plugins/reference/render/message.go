package render

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/plugins/internal/pyjson"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type message struct {
	role    string                          // "" for an unknown one
	members [len(memberNames)]jsontext.JSON // "" for none
	calls   jsontext.JSON                   // a list, or any other value
}

// memberNames are the members that a message keeps, in order, besides its role and calls.
var memberNames = [...]string{"content", "parts", "name", "tool_call_id"}

// RoleOf returns the normal role of a message that the renderer keeps, and "" for any other.
func RoleOf(value jsontext.JSON) string {
	if m := readMessage(value); m.says() || hasCall(m.calls) {
		return m.role
	}
	return ""
}

func readMessage(value jsontext.JSON) (m message) {
	var camel jsontext.JSON
	for key, v := range value.Members() {
		switch key {
		case "role":
			m.role = v.Word()
		case "tool_calls":
			m.calls = v
		case "toolCalls":
			camel = v
		default:
			if i := slices.Index(memberNames[:], key); i >= 0 {
				m.members[i] = v
			}
		}
	}
	switch m.role {
	case "system", "developer", "user", "assistant", "tool":
	case "model":
		m.role = "assistant"
	default:
		m.role = ""
	}
	if m.calls == "" || m.calls == "null" {
		m.calls = camel
	}
	return m
}

// says reports whether a message has any member but a content of null or blanks, and is kept for it.
func (m *message) says() bool {
	content := m.members[0]
	body, isText := content.Quoted()
	return m.members[1]+m.members[2]+m.members[3] != "" || isText && !body.Blank() || !isText && content != "" && content != "null"
}

type call struct{ id, name, input jsontext.JSON }

// readCall reads a call. ok is false for a call without a name.
func readCall(value jsontext.JSON) (found call, ok bool) {
	var toolName, name, function, toolCallID, id, input, args, arguments jsontext.JSON
	value.Fill([]string{"toolName", "name", "function", "toolCallId", "id", "input", "args", "arguments"},
		[]*jsontext.JSON{&toolName, &name, &function, &toolCallID, &id, &input, &args, &arguments}, nil)
	found = call{firstTruthy(toolCallID, id), firstTruthy(toolName, name, function.Get("name")), cmp.Or(input, args, arguments, function.Get("arguments"))}
	body, isText := found.name.Quoted()
	return found, isText && !body.Blank()
}

func hasCall(calls jsontext.JSON) bool {
	for _, v := range calls.Elements() {
		if _, ok := readCall(v); ok {
			return true
		}
	}
	return false
}

// appendCalls appends the calls of a list. A call without an id gets its place in the list.
func appendCalls(dst []byte, calls jsontext.JSON) []byte {
	for i, v := range calls.Elements() {
		found, ok := readCall(v)
		if !ok {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, `{"id": `...)
		if found.id == "" {
			dst = append(strconv.AppendInt(append(dst, `"call_`...), int64(i), 10), '"')
		} else {
			dst = jsontext.AppendString(dst, python.Str(found.id))
		}
		dst = pyjson.AppendDumps(append(dst, `, "type": "function", "function": {"name": `...), found.name, pyjson.Layout{})
		dst = append(dst, `, "arguments": `...)
		dst = append(appendArguments(dst, found.input), "}}"...)
	}
	return dst
}

func firstTruthy(values ...jsontext.JSON) jsontext.JSON {
	for _, v := range values {
		if v.Truthy() {
			return v
		}
	}
	return ""
}

// appendArguments appends arguments as a string: a string as it is, other JSON with its keys in order.
func appendArguments(dst []byte, input jsontext.JSON) []byte {
	switch {
	case input == "" || input == "null":
		return append(dst, `"{}"`...)
	case input[0] == '"':
		return pyjson.AppendDumps(dst, input, pyjson.Layout{})
	}
	text := pyjson.AppendDumps(nil, input, pyjson.Layout{SortKeys: true})
	return append(jsontext.AppendEscaped(append(dst, '"'), text), '"')
}

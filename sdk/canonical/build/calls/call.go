package calls

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Call is one tool call. Args is JSON: an object, or any other value, such as a string that holds an object; "" means no
// arguments. A missing ID is "".
type Call struct {
	ID, Name jsontext.Body
	Args     jsontext.JSON
	Left     int // how many other members the object has that it was read from
}

// Object reads a call from a JSON object: the first of name, tool_name, toolName and function.name that is not blank; arguments, args,
// input or parameters, there or in function; call_id, or the first of toolCallId, tool_call_id and id. ok is false without a name.
func Object(v jsontext.JSON) (c Call, ok bool) {
	f := readFields(v)
	return f.call(), !blank(f.name)
}

// Objects reads a call, or a list of them, as Object does. Any other value has none. ok is false when one has no name.
func Objects(v jsontext.JSON) (list []Call, ok bool) {
	if v.Kind() == '{' {
		v = "[" + v + "]"
	}
	for _, element := range v.Elements() {
		c, ok := Object(element)
		if !ok {
			return nil, false
		}
		list = append(list, c)
	}
	return list, true
}

type fields struct {
	name, id, args jsontext.JSON
	key            string // of args
	named          string // the key of name
	identified     string // the key of id
	left           int
}

func (f fields) call() Call {
	return Call{Name: trimmed(f.name.Body()), ID: f.id.Body(), Args: f.args, Left: f.left}
}

// trimmed returns a name without the space around it.
func trimmed(name jsontext.Body) jsontext.Body {
	if strings.IndexByte(string(name), '\\') < 0 {
		return jsontext.Body(strings.TrimSpace(string(name)))
	}
	text := name.Text()
	if short := strings.TrimSpace(text); len(short) < len(text) {
		return jsontext.BodyOf(short)
	}
	return name
}

func readFields(v jsontext.JSON) (f fields) {
	var function jsontext.JSON
	for key, value := range v.Members() {
		switch key {
		case "name", "tool_name", "toolName":
			switch {
			case value[0] != '"':
			case blank(f.name) || !blank(value) && rank[key] < rank[f.named]:
				f.replaces(f.name, value)
				f.name, f.named = value, key
			case !blank(value):
				f.replaces(value, f.name)
			}
		case "arguments", "args", "input", "parameters":
			if f.args == "" || rank[key] < rank[f.key] {
				f.replaces(f.args, value)
				f.args, f.key = value, key
			} else {
				f.replaces(value, f.args)
			}
		case "call_id", "id", "tool_call_id", "toolCallId": // call_id is of the OpenAI Responses interface, whose id is the item's
			switch {
			case value[0] != '"':
			case f.id == "" || rank[key] < rank[f.identified]:
				f.replaces(f.id, value)
				f.id, f.identified = value, key
			default:
				f.replaces(value, f.id)
			}
		case "type":
			if !types[string(value.Body())] {
				f.left++
			}
		case "index": // in the list of calls
		case "function":
			function = value
		default:
			if value != "null" {
				f.left++
			}
		}
	}
	if function.Kind() == '{' {
		inner := readFields(function)
		f.left += inner.left
		if blank(f.name) {
			f.name = inner.name
		}
		if f.args == "" {
			f.args, f.key = inner.args, inner.key
		}
	}
	return f
}

var types = map[string]bool{"": true, "function": true, "function_call": true, "tool_call": true, "tool-call": true, "tool_use": true}

// replaces counts a value that a different one replaces.
func (f *fields) replaces(old, value jsontext.JSON) {
	if old != "" && old != "null" && old != value {
		f.left++
	}
}

// rank is the precedence of the keys of arguments, of names and of ids.
var rank = map[string]int{
	"arguments": 0, "args": 1, "input": 2, "parameters": 3,
	"name": 0, "tool_name": 1, "toolName": 2,
	"call_id": 0, "toolCallId": 1, "tool_call_id": 2, "id": 3,
}

// sure reports whether an unmarked object is a call, and no answer that has a name: it has arguments or a tool's name.
func (f fields) sure(row Row) bool {
	if blank(f.name) {
		return false
	}
	if (f.key == "arguments" || f.key == "args") && (f.args[0] == '{' || f.args[0] == '"') {
		return true
	}
	return row.Knows(f.name.Text())
}

func blank(value jsontext.JSON) bool {
	return value.Body().Blank()
}

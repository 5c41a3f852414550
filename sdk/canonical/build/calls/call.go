package calls

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Call is one tool call. Args is JSON: an object, or any other value, such as a string that holds an object; "" means no
// arguments. A missing ID is "".
type Call struct {
	ID, Name jsontext.Body
	Args     jsontext.JSON
	Left     int // how many other members the object has that it was read from
}

// Object reads a call from a JSON object: name, tool_name, toolName or function.name; arguments, args, input or
// parameters, there or in function; call_id, id, tool_call_id or toolCallId. ok is false without a name.
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
	item           bool   // id is call_id
	left           int
}

func (f fields) call() Call {
	return Call{Name: f.name.Body(), ID: f.id.Body(), Args: f.args, Left: f.left}
}

func readFields(v jsontext.JSON) (f fields) {
	var function jsontext.JSON
	for key, value := range v.Members() {
		switch key {
		case "name", "tool_name", "toolName":
			if value[0] == '"' {
				f.replaces(f.name, value)
				f.name = value
			}
		case "arguments", "args", "input", "parameters":
			if f.args == "" || rank[key] < rank[f.key] {
				f.replaces(f.args, value)
				f.args, f.key = value, key
			} else {
				f.replaces(value, f.args)
			}
		case "call_id": // of the OpenAI Responses interface, whose id is the item's
			if value[0] == '"' {
				f.replaces(f.id, value)
				f.id, f.item = value, true
			}
		case "id", "tool_call_id", "toolCallId":
			switch {
			case value[0] != '"':
			case f.item:
				f.replaces(value, f.id)
			default:
				f.replaces(f.id, value)
				f.id = value
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
		if f.name == "" {
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

// rank is the precedence of the keys of arguments.
var rank = map[string]int{"arguments": 0, "args": 1, "input": 2, "parameters": 3}

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

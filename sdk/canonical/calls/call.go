package calls

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Call is one tool call. Args is JSON: an object, or what else stood there, such as a string that holds one; "" when
// nothing stood there. An ID that is not given is "".
type Call struct {
	ID, Name jsontext.Body
	Args     jsontext.JSON
}

// Object reads a call from a JSON object: name, tool_name, toolName or function.name; arguments, args, input or
// parameters, there or in function; id, tool_call_id or toolCallId. ok is false without a name.
func Object(v jsontext.JSON) (c Call, ok bool) {
	f := readFields(v)
	return Call{Name: f.name.Body(), ID: f.id.Body(), Args: f.args}, !blank(f.name)
}

type fields struct {
	name, id, args jsontext.JSON
	key            string // under which args stood
}

func readFields(v jsontext.JSON) (f fields) {
	var function jsontext.JSON
	c := jsontext.Cursor{JSON: v}
	for key := range c.Members() {
		switch value := c.Value(); key {
		case "name", "tool_name", "toolName":
			if value[0] == '"' {
				f.name = value
			}
		case "arguments", "args", "input", "parameters":
			if f.args == "" || rank[key] < rank[f.key] {
				f.args, f.key = value, key
			}
		case "id", "tool_call_id", "toolCallId":
			if value[0] == '"' {
				f.id = value
			}
		case "function":
			function = value
		}
	}
	if function.Kind() == '{' {
		inner := readFields(function)
		if f.name == "" {
			f.name = inner.name
		}
		if f.args == "" {
			f.args, f.key = inner.args, inner.key
		}
	}
	return f
}

// rank is the order in which the keys of arguments count.
var rank = map[string]int{"arguments": 0, "args": 1, "input": 2, "parameters": 3}

// sure tells whether an object without a mark around it is a call and no answer that happens to have a name: it has
// arguments, or a name that is among the tools.
func (f fields) sure(known func(string) bool) bool {
	if blank(f.name) {
		return false
	}
	if (f.key == "arguments" || f.key == "args") && (f.args[0] == '{' || f.args[0] == '"') {
		return true
	}
	return known != nil && known(f.name.Text())
}

func blank(value jsontext.JSON) bool {
	return value.Body().Blank()
}

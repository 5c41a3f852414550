package messages

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isDialogue reports whether the list of messages is one of texts with roles, as ToolTalk and API-Bank have it.
func (a *adapter) isDialogue() bool {
	return a.findList() && a.opening(a.record.lists[a.record.list]).spoken
}

// dialogue reads such a list. The calls of a message come before its text, each with its result.
func (a *adapter) dialogue() error {
	key := a.keys[a.record.list]
	texts := a.record.lists[a.record.list]
	a.record.lists[a.record.list] = ""
	list := []byte("[")
	for _, m := range texts.Elements() {
		if m.Kind() != '{' {
			list = append(jsontext.AppendComma(list), m...)
			continue
		}
		list = a.appendSpoken(list, m)
	}
	return a.history(key, jsontext.JSON(append(list, ']')))
}

// appendSpoken appends the messages of one text with its calls.
func (a *adapter) appendSpoken(list []byte, m jsontext.JSON) []byte {
	for _, call := range m.Get("apis").Elements() {
		a.row.Leave("loss.call_member", call, "request", "response", "exception")
		list = a.appendCalled(list, call.Get("request"), call.Get("response"), call.Get("exception"))
	}
	if m.Get("api_name").Kind() == '"' { // a call is a message of its own
		if m.Get("role").Word() != "api" {
			a.row.Count("loss.message_member", 1)
		}
		result := m.Get("result")
		if output := result.Get("output"); output != "" {
			a.row.Leave("loss.call_member", result, "output", "exception")
			list = a.appendCalled(list, m, output, result.Get("exception"))
		} else {
			list = a.appendCalled(list, m, result, "")
		}
		return list
	}
	list = append(jsontext.AppendComma(list), '{')
	for key, v := range m.Members() {
		switch {
		case key == "apis" && v.Kind() == '[':
			continue
		case key == "text":
			key = "content"
		}
		list = append(jsontext.AppendKey(list, key), v...)
	}
	return append(list, '}')
}

// appendCalled appends a call and its result: what the tool said, or the exception with which it failed.
func (a *adapter) appendCalled(list []byte, call, result, exception jsontext.JSON) []byte {
	a.row.Leave("loss.call_member", call, "role", "api_name", "parameters", "param_dict", "result")
	list = append(jsontext.AppendComma(list), `{"role":"assistant","tool_calls":[{"type":"function","function":{"name":`...)
	list = append(list, cmp.Or(call.Get("api_name"), "null")...)
	list = append(append(jsontext.AppendKey(list, "arguments"), cmp.Or(call.Get("parameters"), call.Get("param_dict"), "{}")...), "}}]}"...)
	failed := exception.Truthy()
	if failed && !result.Truthy() {
		result = exception
	} else if failed {
		a.row.Count("loss.call_member", 1)
	}
	if result.Kind() != '"' {
		result = jsontext.Quote(jsontext.AppendPlain(nil, cmp.Or(result, "null")))
	}
	list = append(append(jsontext.AppendComma(list), `{"role":"tool","content":`...), result...)
	if failed {
		list = append(jsontext.AppendKey(list, "is_error"), "true"...)
	}
	return append(list, '}')
}

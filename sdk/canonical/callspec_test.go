package canonical

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestReadCall(t *testing.T) {
	for _, c := range []struct{ reason, call, name, args, fault string }{
		{"null is no input", `{"toolName":"f","input":null,"args":{"a":1}}`, "f", `{"a":1}`, ""},
		{"nor is an empty text", `{"name":"f","input":"","args":{"a":1}}`, "f", `{"a":1}`, ""},
		{"nor an empty object", `{"name":"f","args":{},"arguments":{"a":1}}`, "f", `{"a":1}`, ""},
		{"nor one in a string", `{"name":"f","input":"{}","args":{"a":1}}`, "f", `{"a":1}`, ""},
		{"nor one behind the arguments", `{"name":"f","args":{"a":1},"input":{}}`, "f", `{"a":1}`, ""},
		{"in the function", `{"arguments":"","function":{"name":"f","arguments":{"a":1}}}`, "f", `{"a":1}`, ""},
		{"a text for a custom tool", `{"type":"custom","custom":{"name":"f","input":"print(1)"}}`, "f", `{"input":"print(1)"}`, ""},
		{"parameters", `{"name":"f","parameters":{"a":1}}`, "f", `{"a":1}`, ""},
		{"params", `{"name":"f","params":{"a":1}}`, "f", `{"a":1}`, ""},
		{"kwargs", `{"name":"f","args":[],"kwargs":{"a":1}}`, "f", `{"a":1}`, ""},
		{"tool_args", `{"tool_name":"f","tool_args":{"a":1}}`, "f", `{"a":1}`, ""},
		{"tool_input", `{"tool":"f","tool_input":{"a":1}}`, "f", `{"a":1}`, ""},
		{"no arguments, said so", `{"name":"f","arguments":{},"more":{"a":1}}`, "f", `{}`, ""},
		{"no arguments", `{"name":"f"}`, "f", ``, ""},
		{"the same twice", `{"name":"f","toolName":"f","arguments":"{\"a\": 1}","input":{"a":1}}`, "f", `{"a":1}`, ""},
		{"the server that has the tool", `{"tool":"server","name":"f","input":{"a":1}}`, "f", `{"a":1}`, ""},
		{"a signature of a thought", `{"name":"f","extra_content":{"google":{"thought_signature":"x"}},"index":0}`, "f", ``, ""},
		{"what the provider says", `{"name":"f","providerMetadata":{"openai":{"itemId":"x"}},"caller":{"type":"direct"}}`, "f", ``, ""},
		{"a result beside the call", `{"name":"f","result":{"a":1}}`, "f", ``, ""},

		{"two inputs", `{"name":"f","input":{"a":1},"args":{"a":2}}`, "f", `{"a":1}`, "want one set of arguments, have different ones under input and args"},
		{"positions and keys", `{"name":"f","args":[1],"kwargs":{"a":2}}`, "f", `[1]`, "want one set of arguments, have different ones under args and kwargs"},
		{"two inputs, one in the function", `{"input":{"a":1},"function":{"name":"f","arguments":{"a":2}}}`, "f", `{"a":1}`, "want one set of arguments, have different ones under input and function.arguments"},
		{"two names", `{"name":"f","function":{"name":"g"}}`, "f", ``, "want one name of a tool, have different ones under name and function.name"},
		{"an id that is an object", `{"name":"f","id":{"a":1}}`, "f", ``, "want an id that is a string or a number, have an object under id"},
		{"or a boolean", `{"name":"f","id":true}`, "f", ``, "want an id that is a string or a number, have a boolean under id"},
		{"an unknown name of the arguments", `{"name":"f","payload":{"a":1}}`, "f", ``, "want the arguments under a name that is known, have an object under payload"},
		{"likewise in the function", `{"function":{"name":"f","payload":{"a":1}}}`, "f", ``, "want the arguments under a name that is known, have an object under function.payload"},
	} {
		var spec Part
		_, _, fault := spec.ReadCall(jsontext.JSON(c.call))
		if string(spec.Name) != c.name || string(spec.Value) != c.args || fault != c.fault {
			t.Errorf("%s: %s: want %s(%s) %q, have %s(%s) %q", c.reason, c.call, c.name, c.args, c.fault, spec.Name, spec.Value, fault)
		}
		if strings.Contains(c.call, `"function":`) || strings.Contains(c.call, `"custom":`) {
			continue
		}
		part := strings.Replace(c.call, "{", `{"type":"tool-call",`, 1) // reads the same
		r := &Row{}
		r.Read(jsontext.JSON(`{"format":"eliza_native_v1","request":{"messages":[{"role":"assistant","content":[` + part + `]}]},"response":{}}`))
		if c.fault != "" && !strings.Contains(c.fault, "name of a tool") && (len(r.Faults) == 0 || r.Faults[0].Message != c.fault || r.Faults[0].Path != "request.messages.0") {
			t.Errorf("%s, as a part: want %q, have %v", c.reason, c.fault, r.Faults)
		} else if c.fault == "" && (len(r.Parts) == 0 || len(r.Faults) > 0 || string(r.Parts[0].Value) != c.args) {
			t.Errorf("%s, as a part: want the arguments %s, have %v %v", c.reason, c.args, r.Parts, r.Faults)
		}
	}
}

func TestReadID(t *testing.T) {
	for _, c := range []struct {
		reason, value, want string
		ok                  bool
	}{
		{"a text", `"call_1"`, "call_1", true},
		{"a number as it is written", `12`, "12", true},
		{"with a sign", `-1`, "-1", true},
		{"one that no integer holds", `1e400`, "1e400", true},
		{"null is none", `null`, "", true},
		{"nor is what is missing", ``, "", true},
		{"an object", `{"a":1}`, "", false},
		{"a list", `[1]`, "", false},
		{"a boolean", `false`, "", false},
	} {
		if id, ok := ReadID(jsontext.JSON(c.value)); string(id) != c.want || ok != c.ok {
			t.Errorf("%s: %s: want %q and %t, have %q and %t", c.reason, c.value, c.want, c.ok, id, ok)
		}
	}
}

func TestFirstThatSaysSomething(t *testing.T) {
	for _, c := range []struct{ reason, part, want string }{
		{"null is no output", `{"type":"tool-result","output":null,"result":"RES"}`, "RES"},
		{"nor is an empty text", `{"type":"tool-result","result":"","content":"RES"}`, "RES"},
		{"of a part of the UI", `{"type":"tool-f","toolCallId":"c","state":"output-available","input":{},"output":null,"result":"RES"}`, "RES"},
		{"an empty output stays", `{"type":"tool-result","output":""}`, ""},
	} {
		r := &Row{}
		r.Read(jsontext.JSON(`{"format":"eliza_native_v1","request":{"messages":[{"role":"assistant","content":[` + c.part + `]}]},"response":{}}`))
		last := r.Parts[len(r.Parts)-1]
		if last.Kind != ResultPart || string(last.Body) != c.want || last.Value != "" {
			t.Errorf("%s: want the result %q, have %+v", c.reason, c.want, last)
		}
	}
	for _, empty := range []string{`""`, `[]`, `{}`, `null`} {
		tool := ReadTool(jsontext.JSON(`{"name":"f","parameters":` + empty + `,"inputSchema":{"type":"object"}}`))
		if tool.Parameters != `{"type":"object"}` || tool.Left > 0 {
			t.Errorf("parameters %s: want the other schema, have %+v", empty, tool)
		}
	}
}

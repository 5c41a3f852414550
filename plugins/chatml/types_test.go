package chatml_test

import (
	"os"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// parameterTypes are schemas of one parameter p, and what target hermes makes of them: the same where want is "", or a reject.
var parameterTypes = []struct{ reason, parameter, want string }{
	{"a type with a name", `{"type":"string","description":"d"}`, ""},
	{"an enum", `{"type":"string","enum":["a",null]}`, ""},
	{"types with names", `{"type":["string","integer"]}`, ""},
	{"no type", `{"description":"d"}`, ""},
	{"a schema that takes all", `true`, ""},
	{"a type that may be null", `{"description":"d","type":["string","null"],"enum":["a",null]}`, `{"description":"d","anyOf":[{"type":"string"},{"type":"null"}],"enum":["a",null]}`},
	{"null alone", `{"type":"null"}`, `{"anyOf":[{"type":"null"}]}`},
	{"null in what is not named: items", `{"type":"array","items":{"type":["string","null"]}}`, ""},
	{"and members of an object", `{"type":"object","properties":{"m":{"type":["string","null"]}},"additionalProperties":false}`, ""},
	{"the values of a map, which are named", `{"type":"object","additionalProperties":{"type":["integer","null"]}}`, `{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`},
	{"a map that may be null", `{"type":["object","null"],"additionalProperties":{"type":"null"}}`, `{"anyOf":[{"type":"object"},{"type":"null"}],"additionalProperties":{"type":"null"}}`},
	{"types of Python, read before", `{"type":"Optional[str]"}`, `{"type":"string"}`},
	{"a type that JSON Schema does not have", `{"type":"file"}`, "reject"},
	{"an anyOf that is there already", `{"type":["string","null"],"anyOf":[{"minLength":1}]}`, "reject"},
}

// TestParameterTypes holds that the types of parameters are those which the template shows, and mean the same.
func TestParameterTypes(t *testing.T) {
	const file = "testdata/templates/hermes/additional_chat_templates/tool_use.jinja"
	var records []string
	for _, c := range parameterTypes {
		records = append(records, `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"prompt":"q","tools":[{"name":"F","description":"d","parameters":{"type":"object","properties":{"p":`+
			c.parameter+`},"required":["p"]}}]},"response":{"text":"a"}}`)
	}
	results, _ := sdktest.Direct(t, chatml.Plugin, `{"target":"hermes"}`, records...)
	var rows []rendering
	for i, c := range parameterTypes {
		r := results[i]
		if c.want == "reject" {
			if r.Code != "target_tools" {
				t.Errorf("%s: want code target_tools, have %s %s", c.reason, r.Verdict, r.Code)
			}
			continue
		}
		want := c.want
		if want == "" {
			want = c.parameter
		}
		if r.Verdict != "emit" {
			t.Errorf("%s: want a row, have %s: %s", c.reason, r.Code, r.Message)
			continue
		}
		if have := gjson.Get(r.Emitted[0], "tools.0.function.parameters.properties.p").Raw; have != want {
			t.Errorf("%s: want %s, have %s", c.reason, want, have)
		}
		for _, file := range []string{file, "../../../shared/templates/NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja"} {
			if _, err := os.Stat(file); err == nil {
				rows = append(rows, rendering{chatTemplate{"hermes", file}, c.reason, r.Emitted[0]})
			}
		}
	}
	for i, answer := range render(t, rows) {
		if answer.Error != "" {
			t.Errorf("%s: %s: want a text, have %s", rows[i].file, rows[i].source, answer.Error)
		}
	}
	// The trial of the template finds the same.
	auto, _ := sdktest.Direct(t, chatml.Plugin, `{"target":"auto","chat_template":"`+file+`"}`, records...)
	for i, r := range auto {
		if r.Verdict != results[i].Verdict || r.Verdict == "emit" && r.Emitted[0] != results[i].Emitted[0] {
			t.Errorf("%s: want target auto to write what hermes does, have %s %s: %v", parameterTypes[i].reason, r.Verdict, r.Message, r.Emitted)
		}
	}
}

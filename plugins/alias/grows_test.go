package alias

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestGrows holds that renaming and merging take time in proportion to the record, in the record and in its strings.
func TestGrows(t *testing.T) {
	list := func(item string) func(n int) string {
		return func(n int) string { return "[" + strings.Repeat(item+",", n) + item + "]" }
	}
	quoted := func(value func(n int) string) func(n int) string {
		return func(n int) string { return string(jsontext.AppendString(nil, value(n))) }
	}
	same := list(`{"name":"OLD"},{"name":"KEEP"}`)
	others := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"name":"OLD_%d"},`, i)
		}
		return "[" + b.String() + `{"name":"KEEP"}]`
	}
	inner := list(`{"functionDeclarations":[{"name":"OLD"},{"name":"OLD"}]}`)
	for _, c := range []struct {
		reason, at string // the record has X where the value stands
		value      func(n int) string
	}{
		{"tools that become one", `{"request":{"tools":X}}`, same},
		{"tools in a string that become one", `{"request":{"tools":X}}`, quoted(same)},
		{"tools with a name each", `{"request":{"tools":X}}`, others},
		{"lists in a list", `{"request":{"tools":X}}`, inner},
		{"lists in a string", `{"request":{"tools":X}}`, quoted(inner)},
		{"calls", `{"response":{"toolCalls":X}}`, same},
		{"calls in a text", `{"response":{"text":X}}`, func(n int) string {
			return string(jsontext.AppendString(nil, strings.Repeat(`<tool_call>{"name":"OLD","arguments":{}}</tool_call>`, n)))
		}},
		{"parameters by the names of actions", `{"response":{"text":X}}`, func(n int) string {
			return string(jsontext.AppendString(nil, `{"actions":`+list(`"OLD"`)(n)+`,"params":{`+strings.Repeat(`"OLD":{},`, n)+`"A":1}}`))
		}},
		{"lists of tools in a text", `{"request":{"system":X}}`, func(n int) string {
			return string(jsontext.AppendString(nil, strings.Repeat("Available tools (JSON):\n[{\"name\":\"OLD\"}]\n<tools>[", n)))
		}},
		{"actions in tags", `{"response":{"text":X}}`, func(n int) string {
			return string(jsontext.AppendString(nil, "<response><actions>"+strings.Repeat("<action><name>OLD</name></action><action>", n)+"</actions></response>"))
		}},
		{"escapes that are longer than need be", `{"request":{"tools":X}}`, func(n int) string { return strings.ReplaceAll(same(n), "E", `\u0045`) }},
		{"actions with the names that they had", `{"actions":X}`, same},
		{"actions that are available", `{"request":{"system":X}}`, func(n int) string { return `"Available actions: OLD` + strings.Repeat(", OLD", n) + `"` }},
	} {
		before, behind, _ := strings.Cut(c.at, "X")
		t.Run(c.reason, func(t *testing.T) {
			sdktest.Grows(t, Plugin, `{"aliases":{"OLD":"NEW"},"file":"`+written(t, `{"prefixAliases":[{"from":"OLD_","to":"NEW_"}]}`)+`"}`,
				func(n int) []byte { return []byte(before + c.value(n) + behind) })
		})
	}
}

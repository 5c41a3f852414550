package canonical_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func contentOf(record string) canonical.Content {
	var row canonical.Row
	var c canonical.Content
	row.Read(jsontext.JSON(record))
	c.Read(&row)
	return c
}

// native is a row with that request and response, and nothing else.
func native(request, response string) string {
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":` + request + `,"response":` + response + `}`
}

// answered is a row in which a tool answered that, in a message with those members.
func answered(text, members string) string {
	return native(`{"messages":[`+asked+`,{"role":"assistant","tool_calls":[{"id":"x","name":"F"}]},{"role":"tool",`+members+`"tool_call_id":"x","content":"`+text+`"}]}`, `{"text":"a"}`)
}

// results is a row in which the call with the one id was answered with 1, and that with the other id with 2.
func results(first, second string) string {
	return native(`{"messages":[`+asked+`,`+twoCalls+`,{"role":"tool","tool_call_id":"`+first+`","content":"1"},{"role":"tool","tool_call_id":"`+second+`","content":"2"}]}`, `{"text":"a"}`)
}

const (
	asked    = `{"role":"user","content":"q"}`
	twoCalls = `{"role":"assistant","tool_calls":[{"id":"x","name":"F","arguments":"{\"n\":1}"},{"id":"y","name":"F","arguments":"{\"n\":2}"}]}`
)

// TestContentSame holds what does not make two rows differ, and TestContentDiffers what does: a row that counts as a copy is
// lost.
func TestContentSame(t *testing.T) {
	for _, c := range []struct{ reason, a, b string }{
		{"white space", native(`{"prompt":"q"}`, `{"text":"a"}`), native(` { "prompt" : "q" } `, `{ "text" : "a"}`)},
		{"order of members", native(`{"prompt":"q","tools":[{"name":"F","description":"d"}]}`, `{"text":"a"}`),
			native(`{"tools":[{"description":"d","name":"F"}],"prompt":"q"}`, `{"text":"a"}`)},
		{"order of the keys of a schema", native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object","required":["x"]}}]}`, `{"text":"a"}`),
			native(`{"prompt":"q","tools":[{"name":"F","parameters":{"required":["x"],"type":"object"}}]}`, `{"text":"a"}`)},
		{"escapes", native(`{"prompt":"é \/ 😀 <b>\n"}`, `{"text":"a"}`), native(`{"prompt":"\u00E9 / \ud83d\ude00 \u003cb\u003e\u000a"}`, `{"text":"a"}`)},
		{"escapes of a key", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"é":1}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"\u00e9":1}}]}`)},
		{"spelling of numbers", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[1.0,150,-0,0.25]}}]}`),
			native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[1,15e+1,0.0,25E-2]}}]}`)},
		{"arguments in a string", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"a":1,"b":[2]}}]}`),
			native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":"{\"b\": [2], \"a\": 1}"}]}`)},
		{"no arguments", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F"}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{}}]}`)},
		{"a system message in its place or in messages", native(`{"system":"s","messages":[`+asked+`]}`, `{"text":"a"}`),
			native(`{"messages":[{"role":"system","content":"s"},`+asked+`]}`, `{"text":"a"}`)},
		{"the word for a system message", native(`{"messages":[{"role":"developer","content":"s"},`+asked+`]}`, `{"text":"a"}`),
			native(`{"messages":[{"role":"system","content":"s"},`+asked+`]}`, `{"text":"a"}`)},
		{"ids of calls, and the form of a result",
			native(`{"messages":[`+asked+`,{"role":"assistant","tool_calls":[{"id":"x","name":"F","arguments":"{}"}]},{"role":"tool","tool_call_id":"x","content":"{\"r\": 1}"}]}`, `{"text":"a"}`),
			native(`{"messages":[`+asked+`,{"role":"assistant","content":[{"type":"tool-call","toolCallId":"y","toolName":"F","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"y","toolName":"F","output":{"type":"json","value":{"r":1.0}}}]}]}`, `{"text":"a"}`)},
		{"identity, times, usage and metadata", native(`{"prompt":"q"}`, `{"text":"a"}`),
			`{"format":"eliza_native_v1","trajectoryId":"t","timestamp":5,"metadata":{"split":"test"},"boundary":"vercel_ai_sdk.streamText","request":{"prompt":"q","settings":{"temperature":1}},"response":{"text":"a","usage":{"promptTokens":4}}}`},
		{"a thought between tags or beside the text", native(`{"prompt":"q"}`, `{"text":"<think>It is so</think>\n\nyes"}`), native(`{"prompt":"q"}`, `{"text":"yes","reasoning":"It is so"}`)},
		{"the same in the history", native(`{"messages":[`+asked+`,{"role":"assistant","content":"\u003cthink>t\u003c/think>b"},`+asked+`]}`, `{"text":"a"}`),
			native(`{"messages":[`+asked+`,{"role":"assistant","content":"b","reasoning_content":"t"},`+asked+`]}`, `{"text":"a"}`)},
		{"a planner's answer, alone or beside its calls", native(`{"prompt":"q"}`, `{"text":"{\"thought\":\"t\",\"toolCalls\":[{\"name\":\"F\",\"args\":{\"n\":1}}],\"messageToUser\":\"b\"}","toolCalls":[{"toolName":"F","input":{"n":1}}]}`),
			native(`{"prompt":"q"}`, `{"text":"b","reasoning":"t","toolCalls":[{"toolName":"F","input":{"n":1}}]}`)},
		{"a turn that says nothing", native(`{"messages":[`+asked+`,{"role":"assistant","content":"  "},`+asked+`]}`, `{"text":"a"}`), native(`{"messages":[`+asked+`,`+asked+`]}`, `{"text":"a"}`)},
		{"a late system message, which is shown as the user's", native(`{"messages":[`+asked+`,{"role":"system","content":"s"}]}`, `{"text":"a"}`),
			native(`{"messages":[`+asked+`,{"role":"user","content":"s"}]}`, `{"text":"a"}`)},
		{"a system message that is repeated", native(`{"system":"s","messages":[{"role":"system","content":"s"},`+asked+`,{"role":"developer","content":"s"}]}`, `{"text":"a"}`),
			native(`{"system":"s","messages":[`+asked+`]}`, `{"text":"a"}`)},
		{"the name of a result, which its call has", answered("1", `"name":"other",`), answered("1", "")},
		{"calls recorded together or one by one",
			native(`{"messages":[`+asked+`,{"role":"assistant","tool_calls":[{"id":"x","name":"F"},{"id":"y","name":"G"}]},{"role":"tool","tool_call_id":"x","content":"1"},{"role":"tool","tool_call_id":"y","content":"2"}]}`, `{"text":"a"}`),
			native(`{"messages":[`+asked+`,{"role":"assistant","tool_calls":[{"id":"x","name":"F"}]},{"role":"assistant","tool_calls":[{"id":"y","name":"G"}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"x","result":"1"},{"type":"tool-result","toolCallId":"y","result":"2"}]}]}`, `{"text":"a"}`)},
		{"a blank text beside calls recorded one by one",
			native(`{"messages":[`+asked+`,{"role":"assistant","tool_calls":[{"id":"x","name":"F"}]},{"role":"assistant","tool_calls":[{"id":"y","name":"G"}]},{"role":"tool","tool_call_id":"x","content":"1"},{"role":"tool","tool_call_id":"y","content":"2"}]}`, `{"text":"a"}`),
			native(`{"messages":[`+asked+`,{"role":"assistant","content":"","tool_calls":[{"id":"x","name":"F"}]},{"role":"assistant","content":"\n","tool_calls":[{"id":"y","name":"G"}]},{"role":"tool","tool_call_id":"x","content":"1"},{"role":"tool","tool_call_id":"y","content":"2"}]}`, `{"text":"a"}`)},
		{"the order of results that stand together", results("x", "y"), native(`{"messages":[`+asked+`,`+twoCalls+`,{"role":"tool","tool_call_id":"y","content":"2"},{"role":"tool","tool_call_id":"x","content":"1"}]}`, `{"text":"a"}`)},
		{"the same with a turn that says nothing between them", results("x", "y"),
			native(`{"messages":[`+asked+`,`+twoCalls+`,{"role":"tool","tool_call_id":"y","content":"2"},{"role":"assistant","content":" "},{"role":"tool","tool_call_id":"x","content":"1"}]}`, `{"text":"a"}`)},
		{"a tool without parameters", native(`{"prompt":"q","tools":[{"name":"F"}]}`, `{"text":"a"}`), native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object","properties":{}}}]}`, `{"text":"a"}`)},
		{"an object, which a schema of parameters is for without a type", native(`{"prompt":"q","tools":[{"name":"F","parameters":{"properties":{"x":{"type":"string"}}}}]}`, `{"text":"a"}`),
			native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]}`, `{"text":"a"}`)},
		{"null for no arguments, in a text or not", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":"null"}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":null}]}`)},
		{"the words for types in a schema", native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"OBJECT","properties":{"x":{"type":"STRING"}}}}]}`, `{"text":"a"}`),
			native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]}`, `{"text":"a"}`)},
		{"a record of another format, by its value", `{"messages":[{"role":"user","content":"q"}],"n":1.0}`, `{ "n": 1, "messages":[{"content":"\u0071","role":"user"}] }`},
	} {
		if a, b := contentOf(c.a).Whole, contentOf(c.b).Whole; a != b {
			t.Errorf("%s: want one digest, have two:\n%s\n%s", c.reason, c.a, c.b)
		}
	}
}

func TestContentDiffers(t *testing.T) {
	image := func(data string) string {
		return native(`{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"image","image":"`+data+`"}]}]}`, `{"text":"a"}`)
	}
	for _, c := range []struct{ reason, a, b string }{
		{"text", native(`{"prompt":"q"}`, `{"text":"a"}`), native(`{"prompt":"q"}`, `{"text":"a "}`)},
		{"whose text it is", native(`{"messages":[`+asked+`,{"role":"user","content":"x"}]}`, `{"text":"a"}`), native(`{"messages":[`+asked+`,{"role":"assistant","content":"x"}]}`, `{"text":"a"}`)},
		{"order of turns", native(`{"messages":[`+asked+`,{"role":"user","content":"x"}]}`, `{"text":"a"}`), native(`{"messages":[{"role":"user","content":"x"},`+asked+`]}`, `{"text":"a"}`)},
		{"where a turn ends", native(`{"messages":[{"role":"user","content":"ab"},{"role":"user","content":"c"}]}`, `{"text":"a"}`), native(`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"bc"}]}`, `{"text":"a"}`)},
		{"order of a list", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[1,2]}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[2,1]}}]}`)},
		{"which key has which value", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"a":1,"b":2}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"a":2,"b":1}}]}`)},
		{"numbers past what a float holds", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":9007199254740993}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":9007199254740992}}]}`)},
		{"a number and its text", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":1}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":"1"}}]}`)},
		{"nesting", native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[[1],2]}}]}`), native(`{"prompt":"q"}`, `{"toolCalls":[{"toolName":"F","input":{"n":[[1,2]]}}]}`)},
		{"an escape that is no escape", native(`{"prompt":"\\u0041"}`, `{"text":"a"}`), native(`{"prompt":"\u0041"}`, `{"text":"a"}`)},
		{"a thought in the middle of a text", native(`{"prompt":"q"}`, `{"text":"a <think>t</think>b"}`), native(`{"prompt":"q"}`, `{"text":"a b","reasoning":"t"}`)},
		{"a system message at the head or the user's", native(`{"messages":[{"role":"system","content":"s"},`+asked+`]}`, `{"text":"a"}`), native(`{"messages":[{"role":"user","content":"s"},`+asked+`]}`, `{"text":"a"}`)},
		{"what a tool answered", answered("2", ""), answered("1", "")},
		{"the parameters of a tool", native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object","required":["x"]}}]}`, `{"text":"a"}`), native(`{"prompt":"q","tools":[{"name":"F","parameters":{"type":"object"}}]}`, `{"text":"a"}`)},
		{"a thought", native(`{"prompt":"q"}`, `{"text":"a","reasoning":"x"}`), native(`{"prompt":"q"}`, `{"text":"a","reasoning":"y"}`)},
		{"tools", native(`{"prompt":"q","tools":[{"name":"F"}]}`, `{"text":"a"}`), native(`{"prompt":"q"}`, `{"text":"a"}`)},
		{"which call a result answers", results("x", "y"), results("y", "x")},
		{"data of an image", image("aGk="), image("aG8=")},
		{"a record of another format", `{"text":"a"}`, `{"text":"b"}`},
	} {
		if contentOf(c.a).Whole == contentOf(c.b).Whole {
			t.Errorf("%s: want two digests, have one:\n%s\n%s", c.reason, c.a, c.b)
		}
	}
}

// TestContentUntil holds that the whole of a row is found in one that goes on from it, whose history spells it otherwise.
func TestContentUntil(t *testing.T) {
	first := contentOf(native(`{"system":"s","messages":[`+asked+`]}`, `{"text":"look","reasoning":"hm","toolCalls":[{"toolCallId":"1","toolName":"F","input":{"n":1}}]}`))
	next := contentOf(native(`{"system":"s","messages":[`+asked+`,{"role":"assistant","content":"look","tool_calls":[{"id":"z","type":"function","function":{"name":"F","arguments":"{\"n\": 1}"}}]},{"role":"tool","tool_call_id":"z","content":"r"}]}`, `{"text":"a"}`))
	if len(first.Until) != 3 || len(next.Until) != 5 || first.Until[2] != next.Until[2] {
		t.Errorf("want the third of %d digests to be the third of %d", len(first.Until), len(next.Until))
	}
	if first.Until[2] == next.Until[4] {
		t.Error("want another digest for a longer conversation")
	}
}

// TestContentUntilResults holds that an answer is found in a longer row in which the results before it are in another order.
func TestContentUntilResults(t *testing.T) {
	first := contentOf(native(`{"messages":[`+asked+`,`+twoCalls+`,{"role":"tool","tool_call_id":"y","content":"2"},{"role":"tool","tool_call_id":"x","content":"1"}]}`, `{"text":"a"}`))
	next := contentOf(native(`{"messages":[`+asked+`,`+twoCalls+`,{"role":"tool","content":[{"type":"tool-result","toolCallId":"x","result":"1"},{"type":"tool-result","toolCallId":"y","result":"2"}]},{"role":"assistant","content":"a"},`+asked+`]}`, `{"text":"b"}`))
	if len(first.Until) != 5 || len(next.Until) != 6 || first.Until[4] != next.Until[3] {
		t.Errorf("want the last of %d digests to be the fourth of %d", len(first.Until), len(next.Until))
	}
	if first.Until[3] == first.Until[1] {
		t.Error("want another digest behind the results than before them")
	}
}

// TestContentGolden holds digests for good: a split by content must not change with a version or a machine.
func TestContentGolden(t *testing.T) {
	for record, want := range map[string]string{
		native(`{"system":"s","messages":[`+asked+`],"tools":[{"name":"F","description":"d","parameters":{"type":"object","required":["x"]}}]}`,
			`{"text":"a","toolCalls":[{"toolName":"F","input":{"x":1.5,"y":[true,null,"é"]}}]}`): "4ed8910b4afc94b8f76a128bb55bcde9",
		`{"text":"a"}`: "f347bbf6acba15f7faac59fb716fc998",
	} {
		d := contentOf(record).Whole
		if have := fmt.Sprintf("%016x%016x", d.Hi, d.Lo); have != want {
			t.Errorf("%s: want %s, have %s", record, want, have)
		}
	}
}

// TestContentGrows holds that a digest takes time in proportion to the row.
func TestContentGrows(t *testing.T) {
	for reason, piece := range map[string]string{
		"turns": asked, "escapes": `{"role":"user","content":"\u00e9\/\n"}`,
		"calls one by one":   `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"x","toolName":"F","input":{}},{"type":"text","text":"t"}]}`,
		"system messages":    `{"role":"system","content":[{"type":"text","text":"s"}]}`,
		"results in reverse": twoCalls + `,{"role":"tool","tool_call_id":"y","content":"2"},{"role":"tool","tool_call_id":"x","content":"1"}`,
		"results of nothing": `{"role":"tool","content":"1"},{"role":"assistant","content":""}`,
		"calls":              `{"role":"assistant","tool_calls":[{"id":"x","name":"F","arguments":"{\"a\":{\"b\":[1,2]}}"}]},{"role":"tool","tool_call_id":"x","content":"{}"}`,
	} {
		time := func(n int) float64 {
			record := native(`{"messages":[`+strings.Repeat(piece+",", n)+asked+`]}`, `{"text":"a"}`)
			return sdktest.Least(3, func() { contentOf(record) }).Seconds()
		}
		if small, large := time(1000), time(12000); large > 4*12*small {
			t.Errorf("%s: want time in proportion, have %.1f times for 12 times the row", reason, large/small)
		}
	}
}

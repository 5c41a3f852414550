package chatml_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func contentOf(record string) canonical.Digest {
	var row canonical.Row
	var c canonical.Content
	row.Read(jsontext.JSON(record))
	calls.ReadContent(&c, &row)
	return c.Whole
}

// Ways to say the same, and a few other things, in the history and in the response of a row. %d is the number of a call.
var (
	histories = []string{
		`{"role":"user","content":"u"}`, `{"role":"user","content":[{"type":"text","text":"u"}]}`, `{"role":"user","name":"ada","content":"u"}`,
		`{"role":"user","content":"  "}`, `{"role":"user","content":[{"type":"text","text":"u"},{"type":"text","text":"s"}]}`, `{"role":"user","content":"us"}`,
		`{"role":"system","content":"s"}`, `{"role":"developer","content":"s"}`, `{"role":"user","content":"s"}`, `{"role":"system","content":"s\n\ns2"}`, `{"role":"system","content":"s2"}`,
		`{"role":"assistant","content":"  "}`, `{"role":"assistant","content":[]}`,
		`{"role":"assistant","content":"b"}`, `{"role":"assistant","content":"b","weight":0}`,
		`{"role":"assistant","content":"<think>t</think>b"}`, `{"role":"assistant","content":"<think>\nt\n</think>\n\nb"}`,
		`{"role":"assistant","content":"\u003cthink\u003et\u003c\/think\u003eb","reasoning_content":"t"}`,
		`{"role":"assistant","content":"b","reasoning_content":"t"}`,
		`{"role":"assistant","content":[{"type":"reasoning","text":"t"},{"type":"reasoning","text":""},{"type":"text","text":"b"}]}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"k%d","name":"F","arguments":"{}"}]},{"role":"tool","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k%d","toolName":"F","input":{}},{"type":"source","url":"x"}]},{"role":"tool","name":"F","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":[{"type":"step-start"},{"type":"tool-call","toolCallId":"k%d","toolName":"F","input":""},{"type":"tool-result","toolCallId":"k%[1]d","toolName":"G","output":{"type":"json","value":5}}]}`,
		`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k%d","toolName":"F","input":" \n{}"}]},{"role":"user","content":[{"type":"tool-result","toolCallId":"k%[1]d","content":[{"type":"text","text":"5"}],"is_error":true},{"type":"text","text":" "}]}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"k%d","name":"F"},{"id":"l%[1]d","name":"G"}]},{"role":"tool","tool_call_id":"k%[1]d","content":"{\"r\":1}"},{"role":"tool","tool_call_id":"l%[1]d","content":"r"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"k%d","name":"F"}]},{"role":"assistant","content":"","tool_calls":[{"id":"l%[1]d","name":"G"}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k%[1]d","output":{"type":"json","value":{"r": 1}}},{"type":"tool-result","toolCallId":"l%[1]d","output":{"type":"error-text","value":"r"}}]}`,
		`{"role":"assistant","tool_calls":[{"id":"k%d","name":"F"}]},{"role":"assistant","content":[{"type":"text","text":""},{"type":"tool-call","toolCallId":"l%[1]d","toolName":"G"},{"type":"text","text":" "}]},{"role":"tool","tool_call_id":"k%[1]d","content":"{\"r\":1}"},{"role":"tool","tool_call_id":"l%[1]d","content":"r"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"k%d","name":"F"},{"id":"l%[1]d","name":"G"}]},{"role":"tool","tool_call_id":"l%[1]d","content":"r"},{"role":"assistant","content":" "},{"role":"tool","tool_call_id":"k%[1]d","content":"{\"r\":1}"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"k%d","name":"F"},{"id":"l%[1]d","name":"G"}]},{"role":"user","content":[{"type":"tool-result","toolCallId":"l%[1]d","result":"r"},{"type":"tool-result","toolCallId":"k%[1]d","result":{"r":1}}]}`,
		`{"role":"assistant","content":"{\"thought\":\"t\",\"toolCalls\":[{\"name\":\"F\",\"args\":{}}],\"messageToUser\":\"b\"}","tool_calls":[{"id":"k%d","name":"F"}]},{"role":"tool","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":"{\"thought\":\"t\",\"toolCalls\":[{\"id\":\"k%d\",\"name\":\"F\",\"args\":{}}],\"messageToUser\":\"b\"}"},{"role":"tool","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":"b","reasoning":"t","tool_calls":[{"id":"k%d","name":"F"}]},{"role":"tool","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":"b<tool_call>{\"name\":\"F\",\"arguments\":{}}</tool_call>"},{"role":"tool","content":"5"}`,
		`{"role":"assistant","content":"b","tool_calls":[{"id":"k%d","name":"F","arguments":"{}"}]},{"role":"tool","tool_call_id":"k%[1]d","content":"5"}`,
		`{"role":"assistant","content":"<think>t</think>b<tool_call>{\"name\":\"F\",\"arguments\":{}}</tool_call><|im_end|>"},{"role":"tool","content":"5"}`,
		`{"role":"assistant","content":"b<|im_end|>"}`,
	}
	responses = []string{
		`{"text":"a"}`, `{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"text","text":"<think>t</think>"},{"type":"text","text":"a"}]}`,
		`{"text":"<think>t</think>\n\na"}`, `{"text":"a","reasoning":"t"}`, `{"text":"<think>t</think>a","reasoning":"t"}`, `{"text":"a","sources":[{"url":"x"}]}`,
		`{"text":"a","toolCalls":[{"toolCallId":"z","toolName":"F","input":{}}]}`, `{"text":"a","reasoning":"t","toolCalls":[{"toolCallId":"z","toolName":"F"}]}`, `{"text":"a","toolCalls":[{"toolCallId":"z","toolName":"F","input":"null"}]}`,
		`{"text":"{\"thought\":\"t\",\"toolCalls\":[{\"name\":\"F\",\"args\":{}}],\"messageToUser\":\"a\"}","toolCalls":[{"toolCallId":"z","toolName":"F"}]}`,
		"{\"text\":\"```json\\n{\\\"thought\\\":\\\"t\\\",\\\"toolCalls\\\":[{\\\"id\\\":\\\"z\\\",\\\"name\\\":\\\"F\\\",\\\"args\\\":{}}],\\\"messageToUser\\\":\\\"a\\\"}\\n```\"}",
		`{"content":[{"type":"text","text":"a"},{"type":"tool-call","toolCallId":"z","toolName":"F","input":{}},{"type":"tool-result","toolCallId":"z","toolName":"F","output":{"type":"text","value":"r"}}]}`,
		`{"text":"a<tool_call>{\"name\":\"F\",\"arguments\":{}}</tool_call>"}`, `{"text":"a<|im_end|>"}`, `{"text":"t</think>\n\na"}`,
	}
	toolLists = []string{
		``, `,"tools":[]`, `,"tools":{}`, `,"tools":[{"name":"F"}]`, `,"tools":[{"name":"F","parameters":{}},{"name":"F","description":"second"}]`, `,"tools":{"F":{"inputSchema":{"type":"OBJECT"}}}`,
		`,"tools":[{"type":"function","function":{"name":"F","strict":true,"parameters":{"type":"object","properties":{}}}}]`, `,"tools":[{"name":"F","description":"d"}]`,
		`,"tools":[{"name":"F","parameters":{"type":"object","properties":{"x":{"type":"str"}},"required":null}}]`, `,"tools":[{"name":"F","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]`,
		`,"tools":[{"name":"F","parameters":{"properties":{"x":{"type":"string"}}}}]`, `,"tools":[{"name":"F","parameters":{"type":"any","properties":{"x":{"type":"string"}}}}]`,
		`,"tools":[{"name":"F","parameters":{"x":{"type":"str","default":1}}}]`, `,"tools":[{"name":"F","parameters":{"type":null,"properties":{"x":{"type":"string","enum":null},"y":null}}}]`,
		`,"tools":[{"name":"F","parameters":[{"name":"x","type":"string"}]}]`,
	}
)

// someRow draws a row of a few turns, so that many are rendered alike.
func someRow(r *rand.Rand) string {
	var messages []string
	for n := range r.IntN(4) {
		message := histories[r.IntN(len(histories))]
		if strings.Contains(message, "%") {
			message = fmt.Sprintf(message, n)
		}
		messages = append(messages, message)
	}
	request := []string{`"prompt":"u"`, `"system":"s","prompt":"u"`, `"prompt":"v"`, `"system":"s"`, `"instructions":[{"role":"system","content":"s"}]`, `"settings":{}`}[r.IntN(6)]
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{` + request + toolLists[max(0, r.IntN(2*len(toolLists))-len(toolLists))] +
		`,"messages":[` + strings.Join(messages, ",") + `]},"response":` + responses[r.IntN(len(responses))] + `}`
}

// TestOneContent holds that rows which are rendered alike have one content: as two they would be copies that dedup does not see,
// and that a split by content puts into train and test.
func TestOneContent(t *testing.T) {
	rows := 20_000
	if testing.Short() {
		rows /= 8
	}
	r := rand.New(rand.NewPCG(3, 5))
	records := make([]string, rows)
	for i := range records {
		records[i] = someRow(r)
	}
	results, _ := sdktest.Direct(t, chatml.Plugin, `{"tools":"list"}`, records...)
	first, alike := map[string]int{}, 0
	for i, result := range results {
		if result.Verdict != "emit" {
			continue
		}
		n, ok := first[result.Emitted[0]]
		if !ok {
			first[result.Emitted[0]] = i
			continue
		}
		if records[n] == records[i] {
			continue
		}
		if alike++; contentOf(records[n]) != contentOf(records[i]) {
			t.Fatalf("want one content of two rows that are rendered alike:\n%s\n%s\n%s", records[n], records[i], result.Emitted[0])
		}
	}
	if alike < rows/20 {
		t.Errorf("want a row in twenty rendered like another, so that the test says something, have %d of %d", alike, rows)
	}
}

package elizarecord

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestOffered holds that a call whose action is on offer is one of the tools, in the spelling of the tool, whatever the action is
// called and however the row offers it.
func TestOffered(t *testing.T) {
	names := []string{"BLOCK", "verify", "web_search", "Send-Mail", "REPLY", "reply", "IGNORE", "STOP", "RESPOND", "SHELL", "TASKS", "task_call", "refuse", "Engage"}
	r := rand.New(rand.NewPCG(3, 4))
	records := make([]string, 2000)
	for i := range records {
		offer := names[:1+r.IntN(len(names))]
		called := offer[r.IntN(len(offer))]
		spelled := []func(string) string{strings.ToLower, strings.ToUpper, strings.Clone}[r.IntN(3)](called)
		metadata := []string{`{}`, `{"decision_class":null}`, `{"decision_class":"refuse"}`, `{"toolSpecs":[{"name":"f"}]}`}[r.IntN(4)]
		answer := []string{
			fmt.Sprintf(`{"actions":[{"name":%q,"params":{"a":1}}],"text":"t"}`, spelled),
			fmt.Sprintf("<think>h</think>\n```json\n{\"actions\":%q,\"text\":\"t\"}\n```", spelled),
			fmt.Sprintf(`<tool_call>{"name":%q,"arguments":{}}</tool_call>`, called),
		}[r.IntN(3)]
		records[i] = fmt.Sprintf(`{"currentMessage":{"content":"hi"},"expectedResponse":%q,"availableActions":%s,"metadata":%s}`, answer, offers(offer, r.IntN(4)), metadata)
	}
	results, _ := sdktest.Run(t, Plugin, "", records...)
	for i, result := range results {
		if result.Verdict != "emit" {
			t.Fatalf("want a row, have %s %s from %s", result.Code, result.Message, records[i])
		}
		var row struct {
			Request struct {
				Tools []struct{ Function struct{ Name string } }
			}
			Response struct{ ToolCalls []struct{ ToolName string } }
		}
		if err := json.Unmarshal([]byte(result.Emitted[0]), &row); err != nil {
			t.Fatal(err)
		}
		var tools []string
		for _, tool := range row.Request.Tools {
			tools = append(tools, tool.Function.Name)
		}
		for _, call := range row.Response.ToolCalls {
			if !slices.Contains(tools, call.ToolName) {
				t.Fatalf("want a tool for the call of %s, have %v from %s", call.ToolName, tools, records[i])
			}
		}
	}
}

// offers returns actions on offer, in one of four forms.
func offers(names []string, form int) string {
	if form == 0 {
		return fmt.Sprintf("%q", strings.Join(names, ", "))
	}
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf([]string{`%q`, `{"name":%q}`, `{"type":"function","function":{"name":%q}}`}[form-1], name))
	}
	return "[" + strings.Join(list, ",") + "]"
}

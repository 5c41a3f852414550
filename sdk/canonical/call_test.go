package canonical

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestUnpaired holds which calls and results are said to have no other half.
func TestUnpaired(t *testing.T) {
	const (
		user   = `{"role":"user","content":"q"}`
		call   = `{"role":"assistant","tool_calls":[{"id":"x","name":"F"}]}`
		result = `{"role":"tool","tool_call_id":"x","content":"r"}`
	)
	for _, c := range []struct{ reason, messages, response, want string }{
		{"a call and its result", user + "," + call + "," + result, `{"text":"a"}`, ""},
		{"a call that the user goes on behind", call + "," + user, `{"text":"a"}`, "dangling_call request.messages.0"},
		{"a result of no call", user + "," + result, `{"text":"a"}`, "orphan_result request.messages.1"},
		{"a result before its call", result + "," + call + "," + user, `{"text":"a"}`, "orphan_result request.messages.0, dangling_call request.messages.1"},
		{"the calls of the response, which nothing answers yet", user, `{"toolCalls":[{"toolCallId":"x","toolName":"F"}]}`, ""},
	} {
		var r Row
		r.Read(jsontext.JSON(`{"format":"eliza_native_v1","request":{"messages":[` + c.messages + `]},"response":` + c.response + `}`))
		var found []string
		for _, turn := range append(slices.Clone(r.Turns), r.Response) {
			for i := turn.From; i < turn.To; i++ {
				if f := r.Unpaired(turn, i); f != nil {
					found = append(found, f.Code+" "+f.Path)
				}
			}
		}
		if have := strings.Join(found, ", "); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

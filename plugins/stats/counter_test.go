package stats

import "testing"

// Turns and calls outside the step are those that the step counts: of canonical rows with their answer, of ChatML rows as they
// stand, and none of anything else.
func TestCounter(t *testing.T) {
	var c Counter
	for _, x := range []struct {
		reason, row  string
		turns, calls int64
		ok           bool
	}{
		{"ChatML", `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[` +
			`{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]}]}`, 2, 1, true},
		{"canonical, with its answer", `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText",` +
			`"request":{"messages":[{"role":"user","content":"Hi"}]},"response":{"text":"Hello."}}`, 2, 0, true},
		{"neither", `{"other":1}`, 0, 0, false},
		{"no object", `[1]`, 0, 0, false},
		{"no JSON", `{"messages":`, 0, 0, false},
		{"the first again, as nothing is left of the others", `{"messages":[{"role":"user","content":"Hi"}]}`, 1, 0, true},
	} {
		if turns, calls, ok := c.Count([]byte(x.row)); turns != x.turns || calls != x.calls || ok != x.ok {
			t.Errorf("%s: want %d, %d, %v, have %d, %d, %v", x.reason, x.turns, x.calls, x.ok, turns, calls, ok)
		}
	}
}

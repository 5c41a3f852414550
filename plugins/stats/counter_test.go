package stats

import "testing"

// Turns and calls outside the step are those that the step counts: of canonical rows with their answer, of ChatML rows as they
// stand, and none of anything else.
func TestCounter(t *testing.T) {
	var c Counter
	for _, x := range []struct {
		reason, row string
		want        Counted
		ok          bool
	}{
		{"ChatML", `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[` +
			`{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]}]}`, Counted{2, 1, 6}, true},
		{"canonical, with its answer", `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText",` +
			`"request":{"messages":[{"role":"user","content":"Hi"}]},"response":{"text":"Hello."}}`, Counted{2, 0, 8}, true},
		{"neither", `{"other":1}`, Counted{}, false},
		{"no object", `[1]`, Counted{}, false},
		{"no JSON", `{"messages":`, Counted{}, false},
		{"the first again, as nothing is left of the others", `{"messages":[{"role":"user","content":"Hi"}]}`, Counted{1, 0, 2}, true},
	} {
		if have, ok := c.Count([]byte(x.row)); ok != x.ok || ok && have != x.want {
			t.Errorf("%s: want %+v, %v, have %+v, %v", x.reason, x.want, x.ok, have, ok)
		}
	}
}

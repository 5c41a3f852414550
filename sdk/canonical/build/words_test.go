package build

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestWords holds that no string of a record is taken for absent, however it is written: an adapter would decline its own.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		reason, record string
		want           bool
	}{
		{"a key", `{"a":{"contents":1}}`, true},
		{"a value", `[1,"contents"]`, true},
		{"an escaped key", `{"\u0063ontents":1}`, true},
		{"a key of escapes alone", `{"\u0063\u006f\u006e\u0074\u0065\u006e\u0074\u0073":1}`, true},
		{"a text that may be a rendered one", `"<|role|>user"`, true},
		{"other strings", `{"messages":[{"role":"user","content":"the contents"}]}`, false},
		{"a string in a string", `{"a":"{\"contents\":1}"}`, false},
		{"a number", `42`, true},
	} {
		var w words
		w.read(jsontext.JSON(c.record))
		if have := w.mayHave(needsOf([][]string{{"nothing like it", "contents"}})[0].bits); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

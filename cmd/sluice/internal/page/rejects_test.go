package page

import (
	"strings"
	"testing"
)

// TestExampleEncoded holds that a record which is no text is said to be encoded.
func TestExampleEncoded(t *testing.T) {
	for _, c := range []struct{ row, want, reason string }{
		{`{"code":"invalid_json","record":"//4=","encoding":"base64"}`, "in base64: //4=", "bytes that are no UTF-8"},
		{`{"code":"invalid_json","record":"{cut"}`, "{cut", "a text that is no JSON"},
	} {
		if have := exampleOf([]byte(c.row)).Record; have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestExampleMasked holds that a reject shows nothing that a part of it says is a secret, in whichever other part it is quoted.
func TestExampleMasked(t *testing.T) {
	e := exampleOf([]byte(`{"code":"bad","message":"want a word, have hunter2horse","path":"m.hunter2horse","step":"s.t","file":"in.jsonl","line":3,` +
		`"record":{"password":"hunter2horse","text":"hello"}}`))
	if e.File != "in.jsonl" || e.Line != 3 || !strings.HasPrefix(e.Message, "want a word, have <") || !strings.Contains(e.Record, "hello") ||
		strings.Contains(e.Message+e.Path+e.Record, "hunter2horse") {
		t.Errorf("want the secret masked and all else shown, have %+v", e)
	}
}

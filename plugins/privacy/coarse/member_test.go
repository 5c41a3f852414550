package coarse

import (
	"strings"
	"testing"
)

// TestMemberStart holds what of a record is about a number in it, which is at the dot.
func TestMemberStart(t *testing.T) {
	for _, c := range []struct{ reason, doc, want string }{
		{"another member", `{"format":"x","q":"ssn ·"}`, `q":"ssn `},
		{"a key", `{"format":"x","example":"·"}`, `example":"`},
		{"an element", `{"q":["for example","ssn ·"]}`, `ssn `},
		{"a number", `{"format":"x","q" : ·}`, `q" : `},
		{"a text with JSON", `{"format":"x","q":"Example: {\"a\":1,\"born\":\"·\"}"}`, `q":"Example: {\"a\":1,\"born\":\"`},
		{"JSON in a string", `{"q":"{\"format\":\"x\",\"born\":\"·\"}"}`, `born\":\"`},
		{"a number of JSON in a string", `{"q":"[{\"format\":\"x\",\"born\": ·}]"}`, `born\": `},
		{"JSON in JSON in a string", `{"q":"{\"format\":\"{\\\"format\\\":1,\\\"born\\\":\\\"·\\\"}\"}"}`, `born\\\":\\\"`},
		{"a part of a string", `born in the format ·`, `born in the format `},
	} {
		doc := strings.Replace(c.doc, "·", "", 1)
		at := strings.Index(c.doc, "·")
		if have := doc[memberStart(doc, 0, at):at]; have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

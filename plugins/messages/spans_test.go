package messages

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// FuzzSpans protects the rows made of attributes with dots, of the wire format and of events, whose JSON is put together here.
func FuzzSpans(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/spans.txtar")...)
}

// TestAnyValue holds what values of the wire format become.
func TestAnyValue(t *testing.T) {
	for _, c := range []struct{ reason, value, want string }{
		{"a string", `{"stringValue":"a"}`, `"a"`},
		{"an integer in a string, as 64 bits are", `{"intValue":"7"}`, `7`},
		{"an integer", `{"intValue":7}`, `7`},
		{"no integer", `{"intValue":"x"}`, `"x"`},
		{"a list", `{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":1.5}]}}`, `[true,1.5]`},
		{"an object", `{"kvlistValue":{"values":[{"key":"a","value":{"stringValue":"b"}}]}}`, `{"a":"b"}`},
		{"pairs with more than a key and a value stay whole", `{"kvlistValue":{"values":[{"key":"a","value":1,"n":2}]}}`, `{"kvlistValue":{"values":[{"key":"a","value":1,"n":2}]}}`},
		{"an object of another kind", `{"a":"b","c":1}`, `{"a":"b","c":1}`},
		{"plain JSON", `"a"`, `"a"`},
	} {
		if have := string(anyValue(jsontext.JSON(c.value), mostNested)); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

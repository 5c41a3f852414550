package python

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestStr(t *testing.T) {
	for _, tt := range []struct{ reason, in, want string }{
		{"a string is itself", `"it's"`, `it's`},
		{"literals", `[null,true,false,1,1.50,1e400]`, `[None, True, False, 1, 1.5, inf]`},
		{"quotes", `["it's","say \"x\"","both ' and \""]`, `["it's", 'say "x"', 'both \' and "']`},
		{"escapes", `["\\\n\r\t\u0001\u007f\u00a0\u200b\ud800"]`, `['\\\n\r\t\x01\x7f\xa0\u200b\ud800']`},
		{"printable text stays", `["é😀"]`, `['é😀']`},
		{"objects", `{"a":{"b":[]}}`, `{'a': {'b': []}}`},
	} {
		if have := Str(jsontext.JSON(tt.in)); have != tt.want {
			t.Errorf("%s: want %s, have %s", tt.reason, tt.want, have)
		}
	}
}

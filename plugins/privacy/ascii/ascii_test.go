package ascii

import "testing"

func TestBytes(t *testing.T) {
	for _, c := range []struct{ reason, set, want string }{
		{"nothing", "", ""},
		{"a range", "a-e", "abcde"},
		{"ranges and single bytes", "0-3_a-c.", "0123_abc."},
		{"a hyphen at the end", "a-c-", "abc-"},
	} {
		if have := Bytes(c.set); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

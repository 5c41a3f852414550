package nearest

import "testing"

func TestWord(t *testing.T) {
	known := []string{"path", "compression", "on", "step", "env"}
	for _, test := range []struct{ word, want, reason string }{
		{"pathh", "path", "a letter too many"},
		{"Path", "path", "case"},
		{"compresion", "compression", "a letter missing"},
		{"compr", "", "too far"},
		{"evn", "env", "two letters swapped in a word so short that two edits would be too many"},
		{"x", "", "half of a short word may differ, not all of it"},
		{"path", "", "known is not a mistake"},
		{"", "", "nothing is like nothing"},
	} {
		if have := Word(test.word, known); have != test.want {
			t.Errorf("%q (%s): want %q, have %q", test.word, test.reason, test.want, have)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b   string
		want   int
		reason string
	}{
		{"role", "role", 0, "the same"},
		{"role", "rol", 1, "a letter missing"},
		{"role", "rloe", 1, "two neighbours swapped"},
		{"roles", "rloe", 3, "swapped, and a letter missing: three letters differ"},
		{"ab", "ba", 1, "nothing but two letters swapped"},
		{"", "ab", 2, "nothing"},
	} {
		if have := Edits(test.a, test.b); have != test.want {
			t.Errorf("%s and %s (%s): want %d, have %d", test.a, test.b, test.reason, test.want, have)
		}
	}
}

package prefilter

import "testing"

// TestEscapes holds what a map says of escapes, where they are in a long text too.
func TestEscapes(t *testing.T) {
	x := NewIndex()
	blanks := make([]byte, windowBlocks*BlockSize)
	for i := range blanks {
		blanks[i] = ' '
	}
	for _, c := range []struct {
		reason, text string
		want         Escapes
	}{
		{"none", `"plain"`, 0},
		{"those that JSON requires", `"\"\\\n\u001b \\n \\\" \\users"`, 0},
		{"a letter", `"\u00e9"`, OwnEscapes},
		{"a slash", `"\/"`, OwnEscapes},
		{"one behind a backslash", `"\\\u00e9"`, OwnEscapes},
		{"one of JSON in a string", `"\\u00e9"`, InnerEscapes},
		{"both", `"\\u00e9 \/"`, InnerEscapes | OwnEscapes},
	} {
		for _, before := range []int{0, 1, 61, 62, 63, 64, len(blanks) - 4, len(blanks)} {
			var m Map
			if m.ReadJSON(x, string(blanks[:before])+c.text); m.Escapes() != c.want {
				t.Errorf("%s behind %d blanks: want %d, have %d", c.reason, before, c.want, m.Escapes())
			}
		}
	}
}

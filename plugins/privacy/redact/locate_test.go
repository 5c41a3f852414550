package redact

import "testing"

// TestLocate holds places in a text that was read as JSON, through escapes and JSON in strings.
func TestLocate(t *testing.T) {
	for _, c := range []struct {
		reason, text, path string
		inKey              bool
		start, end         int
		want               string // "" when it cannot be told
	}{
		{"plain text", "é call Ann", "", false, 7, 10, "Ann"},
		{"a string", `{"é":"call Ann"}`, "@fromstr.é", false, 5, 8, "Ann"},
		{"behind an escape", `{"a":"\"\u00e9\" Ann"}`, "@fromstr.a", false, 4, 7, "Ann"},
		{"a number", `{"a":[12345]}`, "@fromstr.a.0", false, 0, 5, "12345"},
		{"JSON in a string", `{"a":"{\"b\":\"call Ann\"}"}`, "@fromstr.a.@fromstr.b", false, 5, 8, "Ann"},
		{"a key", `{"Ann":1}`, "@fromstr.<key>", true, 0, 3, ""},
		{"below a key that is not told", `{"Ann":"Bob"}`, "@fromstr.<key>", false, 0, 3, ""},
	} {
		start, end, ok := Locate(c.text, c.path, c.inKey, c.start, c.end)
		have := ""
		if ok {
			have = string([]rune(c.text)[start:end])
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

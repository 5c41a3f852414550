package terminal

import "testing"

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		reason, line string
		width        int
		want         string
	}{
		{"fits", "took      1 s, 2 MB/s", 21, "took      1 s, 2 MB/s"},
		{"between words", "took      1 s, 2 MB/s", 20, "took      1 s, 2\n          MB/s"},
		{"gaps stay", "a         b  c", 30, "a         b  c"},
		{"no space at an end", "a         bbbbb  cc dd", 20, "a         bbbbb  cc\n          dd"},
		{"a word that is too wide", "output    /a/very/long/path/of/rows.jsonl 1 row", 24, "output   \n          /a/very/long/path/of/rows.jsonl\n          1 row"},
		{"colour has no width", "\x1b[31mdone\x1b[0m: 1 record read", 20, "\x1b[31mdone\x1b[0m: 1 record read"},
		{"wide letters", "took      日本語 日本語", 20, "took      日本語\n          日本語"},
		{"narrow", "took      1 s, 2 MB/s", 19, "took      1 s, 2\n  MB/s"},
	} {
		if have := wrapped(c.line, c.width, 10); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

package cli

import (
	"strings"
	"testing"
)

// TestPainter holds that colours come from the program alone, and what a record holds can give a terminal no orders.
func TestPainter(t *testing.T) {
	for _, c := range []struct {
		plain bool
		want  string
	}{
		{true, "  + a\\x1b[31m\\n  b\\u202e\n"},
		{false, "  \x1b[32m+\x1b[0m a\\x1b[31m\\n  \x1b[31mb\\u202e\x1b[0m\n"},
	} {
		var b strings.Builder
		p := &painter{&b, c.plain}
		p.line(1, "%s %s  %s", in(green, "+"), "a\x1b[31m\n", in(red, "b\u202e"))
		if b.String() != c.want {
			t.Errorf("want %q, have %q", c.want, b.String())
		}
	}
}

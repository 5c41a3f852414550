package cli

import (
	"bytes"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// TestPrintable holds that nothing which names of files or words of plugins hold is obeyed by a terminal or looks like a
// line of the program's own.
func TestPrintable(t *testing.T) {
	cases := []struct{ reason, text, want string }{
		{"plain text and other scripts stay", "Zoë 東京\n\tand on", "Zoë 東京\n\tand on"},
		{"colours, bells and carriage returns", "a\x1b[31mred\x07\rover", `a\x1b[31mred\a\rover`},
		{"marks that turn text around", "gpj\u202eexe", `gpj\u202eexe`},
		{"the C1 controls", "a\u009b2J", `a\u009b2J`},
	}
	for _, c := range cases {
		if have := format.Printable(c.text); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
	var out bytes.Buffer
	New(nil, &out, "").Log("a.b", "x\nsluice: forged")
	if have := out.String(); have != "a.b: x\\nsluice: forged\n" {
		t.Errorf("want one line for one line, have %q", have)
	}
}

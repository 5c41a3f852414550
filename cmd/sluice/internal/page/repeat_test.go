package page

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/veil"
	"github.com/sluicehq/sluice/host"
)

// TestCommand holds that the command which repeats a run does that run or none: what the receipt hides is asked of the reader.
func TestCommand(t *testing.T) {
	for _, c := range []struct{ reason, value, want string }{
		{"plain", "a/b.jsonl", "--var k-1=a/b.jsonl"},
		{"for a shell", "it's", `--var 'k-1=it'\''s'`},
		{"empty", "", "--var k-1="},
		{"sensitive", host.Sensitive, `--var k-1="${SLUICE_VAR_k_1:?}"`},
		{"masked", veil.Text("ann@corp-mail.io"), `--var k-1="${SLUICE_VAR_k_1:?}"`},
		{"too long", strings.Repeat("x", 5000), ""},
	} {
		m := maker{run: &host.Receipt{Variables: map[string]string{"k-1": c.value}}}
		m.run.Pipeline.Path = "p.hcl"
		want := c.want
		if want != "" {
			want = "sluice run p.hcl \\\n  " + want
		}
		if have := m.command(); have != want {
			t.Errorf("%s: want %q, have %q", c.reason, want, have)
		}
	}
}

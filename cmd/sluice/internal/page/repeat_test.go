package page

import (
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestCommand holds that the command which repeats a run does that run or none: what the receipt hides is asked of the reader.
func TestCommand(t *testing.T) {
	for _, c := range []struct{ reason, value, want string }{
		{"plain", "a/b.jsonl", "--var k-1=a/b.jsonl"},
		{"in a line of its own", strings.Repeat("x", 80), "\\\n  --var k-1=" + strings.Repeat("x", 80)},
		{"for a shell", "it's", `--var 'k-1=it'\''s'`},
		{"empty", "", "--var k-1="},
		{"sensitive", host.Sensitive, `--var k-1="${SLUICE_VAR_k_1:?}"`},
		{"masked", mask.Text("ann@corp-mail.io"), `--var k-1="${SLUICE_VAR_k_1:?}"`},
		{"too long", strings.Repeat("x", 5000), ""},
	} {
		m := maker{run: &receipt.Receipt{Variables: map[string]string{"k-1": c.value}}}
		m.run.Pipeline.Path = "p.hcl"
		want := c.want
		if want != "" {
			want = "sluice run p.hcl " + want
		}
		if have := m.command(); have != want {
			t.Errorf("%s: want %q, have %q", c.reason, want, have)
		}
	}
}

// TestCommandWithoutDefaults holds that the command names what somebody set.
func TestCommandWithoutDefaults(t *testing.T) {
	m := maker{run: &receipt.Receipt{Variables: map[string]string{"near": "0.8", "input": "a.jsonl", "seed": "s"}, Defaults: []string{"near", "seed"}}}
	m.run.Pipeline.Path = "p.hcl"
	if have, want := m.command(), "sluice run p.hcl --var input=a.jsonl"; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	if have := m.repeat().Defaults.Rows; len(have) != 2 || have[0] != (pair{"near", "0.8"}) {
		t.Errorf("want the defaults beside it, have %v", have)
	}
}

// TestOutputsListed holds that a file which no list shows is not read.
func TestOutputsListed(t *testing.T) {
	opened := 0
	m := maker{run: &receipt.Receipt{Outputs: make([]receipt.Output, mostListed+5)}, troubles: map[string]string{},
		files: func(string, filehash.Sum) (*os.File, error) { opened++; return nil, host.ErrNoFile }}
	if all := m.outputs(); opened != mostListed || all.More != 5 {
		t.Errorf("want %d files opened and 5 left out, have %d and %d", mostListed, opened, all.More)
	}
}

package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestPanicAtStart holds that a plugin which panics while it starts is a mistake of its step, and an error of the run when it starts again.
func TestPanicAtStart(t *testing.T) {
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "panic")
			r := Request{Plugin: "closing", Args: fmt.Appendf(nil, `{"how":"","file":%q}`, file), Restart: true}
			f := start(t, opts, r)
			st := f.Chains[0].Stages()[0]
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := send(t.Context(), st, records(t, f, `{"do":"panic"}`)); !isCrash(err) {
				t.Errorf("want a crash, have %v", err)
			}
			want := "plugin closing (" + f.Steps[0].Location.Path + "): the plugin ended: panic: as asked"
			if _, err := send(t.Context(), st, records(t, f, `{"n":1}`)); err == nil || !strings.HasPrefix(err.Error(), "step closing.x: "+want) {
				t.Errorf("want %q, have %v", want, err)
			}
			_, problems, err := tryStart(opts, r)
			if err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Message, want) {
				t.Errorf("want %q, have %v and %v", want, problems, err)
			}
		})
	}
}

// TestPanicText holds that of a panic in this process nothing is shown that is not shown of one in another.
func TestPanicText(t *testing.T) {
	for _, c := range []struct {
		reason  string
		private []bool // for each step
		at      wire.Spot
		value   any
		want    string
	}{
		{"as it is", []bool{false}, wire.Spot{}, "as asked", "panic: as asked"},
		{"an error", []bool{false}, wire.Spot{}, errors.New("as asked"), "panic: as asked"},
		{"one line", []bool{false}, wire.Spot{}, "as asked\nof the rest nothing", "panic: as asked"},
		{"no more than of a line", []bool{false}, wire.Spot{}, strings.Repeat("a", 2*maxLine), "panic: " + strings.Repeat("a", maxLine-len("panic: "))},
		{"no secret", []bool{false}, wire.Spot{}, "my key is s3cret", "panic: my key is (sensitive)"},
		{"a private step", []bool{true}, wire.Spot{}, "as asked", "panic"},
		{"the private step of a chain", []bool{false, true}, wire.Spot{Step: 1}, "as asked", "panic"},
		{"another step of it", []bool{false, true}, wire.Spot{}, "as asked", "panic: as asked"},
		{"nobody knows which", []bool{false, true}, wire.Spot{Record: -1}, "as asked", "panic"},
	} {
		chain := &Chain{}
		for i, private := range c.private {
			s := &Step{Info: wire.Info{Private: private}, opts: &Options{Hide: func(text string) string { return strings.ReplaceAll(text, "s3cret", "(sensitive)") }}}
			if i == 0 {
				chain.Step = s
			} else {
				chain.rest = append(chain.rest, s)
			}
		}
		l := &localWorker{chain: chain}
		l.note.Store(c.at.Note())
		err := l.guard(func() error { panic(c.value) })
		if have, ok := errors.AsType[*flow.Crash](err); !ok || have.How != c.want || have.At != c.at.Record || have.Step != c.at.Step {
			t.Errorf("%s: want %q at %v, have %v", c.reason, c.want, c.at, err)
		}
	}
}

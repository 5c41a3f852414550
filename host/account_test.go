package host

import (
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestAccountMustBalance holds that a run fails when its files hold something else than what it handed to them.
func TestAccountMustBalance(t *testing.T) {
	for _, c := range []struct {
		reason string
		extra  []wire.Record
		want   string
	}{
		{"as it was handed over", nil, ""},
		{"one record more", []wire.Record{{Data: []byte("{}")}},
			"the account of the run does not balance: sink jsonl.out: the run handed it 2 records, on disk are 3"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range map[string]string{
				"p.hcl":    "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\nsink \"jsonl\" \"out\" { path = \"out.jsonl\" }\n",
				"in.jsonl": "{}\n{}\n",
			} {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r := flowed(t)
			if err := r.plan.Sinks[0].Writer.Write(c.extra); err != nil {
				t.Fatal(err)
			}
			x, err := r.account()
			switch {
			case c.want == "" && (err != nil || !x.Balanced):
				t.Errorf("want an account that balances, have %v", err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}

// flowed is a run of p.hcl whose records have all arrived.
func flowed(t *testing.T) *run {
	t.Helper()
	p, err := Load("p.hcl", Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Pipeline: p, id: "test0000"}
	var diags Diagnostics
	r.plan, diags = p.plan(r.id)
	t.Cleanup(func() {
		if err := r.plan.Abort(); err != nil {
			t.Error(err)
		}
	})
	if err := r.plan.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.fleet, r.warnings, err = p.start(t.Context(), r.plan, diags, false); err != nil {
		t.Fatal(err)
	}
	if err := r.flow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.fleet.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

package rundiff

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/sdk/wire"
)

// No goroutine outlives a comparison.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a run has written: rows as FILE:LINE JSON, FILE:LINE/RECORD JSON when several records stand on the line, FILE:LINE+LINE JSON
// when a step made it of two, or - JSON when it was said after the last record.
type written map[string][]string // by output

// record makes a record of "a:3 {}".
func record(t *testing.T, text string) wire.Record {
	t.Helper()
	origin, row, _ := strings.Cut(text, " ")
	r := wire.Record{Data: []byte(row)}
	if file, at, ok := strings.Cut(origin, ":"); ok {
		r.File = file
		line, nth, several := strings.Cut(at, "/")
		line, second, joined := strings.Cut(line, "+")
		if joined {
			r.Origins = wire.OriginsOf([]wire.Pos{{File: file}, {File: file}})
			if _, err := fmt.Sscan(line+" "+second, &r.Origins.List[0].Line, &r.Origins.List[1].Line); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := fmt.Sscan(line, &r.Line); err != nil {
			t.Fatal(err)
		}
		if several {
			if _, err := fmt.Sscan(nth, &r.OfLine); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

// write writes the outputs of a run below a folder, and returns them as output files.
func write(t *testing.T, folder string, outputs written) map[string][]*outputFile {
	t.Helper()
	set := output.New(output.Options{Run: "TESTRUN1", Origins: true})
	defer func() {
		if err := set.Abort(); err != nil {
			t.Fatal(err)
		}
	}()
	sinks := map[string]*output.Sink{}
	for name := range outputs {
		sink, err := set.Sink("jsonl", output.Claim{What: name, Path: filepath.Join(folder, name)})
		if err != nil {
			t.Fatal(err)
		}
		sinks[name] = sink
	}
	if err := set.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, rows := range outputs {
		for _, text := range rows {
			if err := sinks[name].Write([]wire.Record{record(t, text)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := set.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Commit(); err != nil {
		t.Fatal(err)
	}
	all := map[string][]*outputFile{}
	for _, f := range files {
		all[f.Claim.What] = []*outputFile{{Path: f.Path, Whole: output.Summary{Rows: f.Records, Bytes: f.Bytes, Sum: f.Sum}, Origins: f.Origins.Sum}}
	}
	return all
}

// The outputs that tests know, in order. Rows may move between train and test.
var known = []outputPair{
	{Name: "canonical", stream: "canonical"}, {Name: "train", stream: "row"}, {Name: "test", stream: "row"}, {Name: "ledger"}, {Name: "rejects", Reject: true},
}

// pairsOf pairs the files of two runs by name.
func pairsOf(a, b map[string][]*outputFile) []outputPair {
	all := make([]outputPair, len(known))
	for i, p := range known {
		p.A, p.B = a[p.Name], b[p.Name]
		all[i] = p
	}
	return all
}

// resultText returns a result as text: a line for each group, then the counts of outputs whose rows are not all equal.
func resultText(r *Result) string {
	var b strings.Builder
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "%d %s", g.Rows, g.Kind)
		for _, part := range []string{g.Output, g.To, g.Path, g.A, g.B} {
			if part != "" {
				fmt.Fprintf(&b, " | %s", part)
			}
		}
		for _, e := range g.Examples {
			fmt.Fprintf(&b, " | %s:%d (%d %d)", e.File, e.Line, e.LineA, e.LineB)
			if e.Message != "" {
				b.WriteString(" " + e.Message)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d differ\n", r.Differ)
	return b.String()
}

// balance holds that every row is counted once.
func balance(t *testing.T, r *Result) {
	t.Helper()
	for _, c := range r.Outputs {
		both := c.Equal + c.Ignored + c.Spelling + c.Changed
		if a, b := both+c.MovedOut+c.Rejected+c.OnlyA, both+c.MovedIn+c.Accepted+c.OnlyB; a != c.A || b != c.B {
			t.Errorf("want the counts of %s to add up, have %+v", c.Name, c)
		}
	}
}

func wantTold(t *testing.T, reason, want string, r *Result) {
	t.Helper()
	if diff := cmp.Diff(want, resultText(r)); diff != "" {
		t.Errorf("%s (-want +have):\n%s", reason, diff)
	}
	balance(t, r)
}

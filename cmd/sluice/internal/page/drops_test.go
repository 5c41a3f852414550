package page

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestDrops holds that a reason is shown with its share of what was read, with what it means, and with two rows of the reason beside
// those that stayed, masked.
func TestDrops(t *testing.T) {
	r := ran(t, corpus())
	var pairs strings.Builder
	for i := range 3 {
		fmt.Fprintf(&pairs, `{"file":"corpus.jsonl","line":%d,"left_out":"duplicate","kind":"exact","similarity":1,"twin_file":"corpus.jsonl","twin_line":2,"asked":"Mail jane.roe@corp-mail.io","answered":"</pre><b>\u202e","twin_asked":"Mail %d"}`+"\n", 20+i, i)
	}
	if err := os.WriteFile("pairs", []byte(pairs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	m := maker{run: r, troubles: map[string]string{}, files: func(string, filehash.Sum) (*os.File, error) { return os.Open("pairs") }}
	v := m.drops()
	if len(v.Reasons.Rows) != 1 || v.Reasons.Rows[0].Share != "5.9%" || v.Reasons.Rows[0].Means == "" || len(v.Reasons.Rows[0].Twins) != mostExamples {
		t.Fatalf("want one reason of 1 of 17 records with two examples, have %+v", v.Reasons)
	}
	x := v.Reasons.Rows[0].Twins[1]
	if x.Left.Line != 21 || x.Kept.Line != 2 || x.Left.Asked != "Mail <EMAIL_ADDRESS>" || x.Kept.Asked != "Mail 1" || x.Alike != "100% alike" || strings.Contains(x.Left.Answered, "\u202e") {
		t.Errorf("want both texts, masked and without controls, have %+v", x)
	}
}

// TestDropsOfOthers holds that a reason of somebody's own plugin is shown with what that says of it, and those of candidates are not.
func TestDropsOfOthers(t *testing.T) {
	drop := func(name, plugin, reason string, candidate bool) receipt.StepAccount {
		return receipt.StepAccount{Name: name, Plugin: plugin, Candidate: candidate, Dropped: receipt.Breakdown{Total: 2, By: map[string]int64{reason: 2}}}
	}
	m := maker{run: &receipt.Receipt{Totals: receipt.Totals{Read: 8}, Steps: []receipt.StepAccount{
		drop("own.a", "own", "too odd", false), drop("own.b", "own", "not real", true), drop("mix.mix", "mix", "thinned", false), drop("quality.gates", "quality", "low_reward", false),
		drop("own.silent", "own", "nothing emitted", false),
	}}}
	m.run.Steps[0].Dropped.Means = map[string]string{"too odd": "nobody asked for it"}
	var have []string
	for _, d := range m.drops().Reasons.Rows {
		have = append(have, fmt.Sprintf("%s %s %s %t", d.Step, d.Reason, d.Share, d.Means != ""))
	}
	want := "mix.mix thinned 25.0% true, own.a too odd 25.0% true, own.silent nothing emitted 25.0% true, quality.gates low_reward 25.0% true"
	if strings.Join(have, ", ") != want {
		t.Errorf("want %s, have %s", want, strings.Join(have, ", "))
	}
}

// TestLinks holds where a page leads to: beside the receipt to files below it, and in the viewer to rows.
func TestLinks(t *testing.T) {
	r := ran(t, corpus())
	r.Timeline = &receipt.Sidecar{Path: "out/.sluice/receipt.json.timeline"}
	for path, want := range map[string]string{
		"out/train.jsonl": "./train.jsonl", "out/a b/<i>.jsonl": "./a%20b/%3Ci%3E.jsonl", "elsewhere/x.jsonl": "", "out/javascript:alert(1)": "./javascript:alert%281%29",
	} {
		if have := near(r).output(path); !strings.EqualFold(strings.NewReplacer("(", "%28", ")", "%29").Replace(have), want) {
			t.Errorf("%s: want %q, have %q", path, want, have)
		}
	}
	m := maker{run: r}
	if have := m.viewed(); have != "sluice view out" {
		t.Errorf("want the command that shows the rows, have %q", have)
	}
	links := Links{
		Output: func(path string) string { return "rows?" + path }, Record: func(file string, line int64) string { return fmt.Sprintf("row?%s-%d", file, line) },
		Code: func(outcome, code string) string { return "rows?" + outcome + "=" + code },
	}
	text, err := Make(r, onDisk, links)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="rows?out/train.jsonl"`, `href="row?corpus.jsonl-15"`, `href="rows?rejected=no_user_turn"`, `href="rows?noted=duplicate"`, `href="row?corpus.jsonl-13"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("want %s on a page with links", want)
		}
	}
	if strings.Contains(string(text), "sluice view out") {
		t.Error("want no command for rows that the page leads to")
	}
}

// TestDroppedRecords holds that examples are the lines of an input that is as the run has read it, masked, and that nothing is taken from
// another file.
func TestDroppedRecords(t *testing.T) {
	path := t.TempDir() + "/in.jsonl"
	text := `{"a":"jane.roe@corp-mail.io"}` + "\n\nno JSON of jane.roe@corp-mail.io\n{}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	good := receipt.Input{Name: path, Bytes: int64(len(text))}
	for _, c := range []struct {
		reason string
		change func(*receipt.Input, *receipt.Receipt)
		want   bool
	}{
		{"as it was", func(*receipt.Input, *receipt.Receipt) {}, true},
		{"another size", func(in *receipt.Input, _ *receipt.Receipt) { in.Bytes++ }, false},
		{"written since", func(_ *receipt.Input, r *receipt.Receipt) { r.Finished = time.Now().Add(-time.Hour) }, false},
		{"changed while it was read", func(in *receipt.Input, _ *receipt.Receipt) { in.Changed = true }, false},
		{"a share", func(in *receipt.Input, _ *receipt.Receipt) { in.Share = &receipt.Share{} }, false},
		{"no input", func(in *receipt.Input, _ *receipt.Receipt) { in.Name = "-" }, false},
	} {
		in := good
		r := &receipt.Receipt{Finished: time.Now().Add(time.Hour)}
		c.change(&in, r)
		r.Inputs = []receipt.Input{in}
		r.Steps = []receipt.StepAccount{{Name: "own.own", Plugin: "own", Dropped: receipt.Sum(map[string]int64{"odd": 5}),
			Drops: map[string][]receipt.Position{"odd": {{File: path, Line: 1}, {File: path, Line: 3}}}}}
		m := maker{run: r}
		var have []string
		for _, e := range m.drops().Reasons.Rows[0].Examples {
			have = append(have, e.Record)
		}
		want := []string{"", ""}
		if c.want {
			want = []string{`{"a":"<EMAIL_ADDRESS>"}`, "no JSON of <EMAIL_ADDRESS>"}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: want %q, have %q", c.reason, want, have)
		}
	}
}

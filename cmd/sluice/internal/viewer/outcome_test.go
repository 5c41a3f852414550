package viewer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestOutcome holds what the files of a run are said to be, and which of them people look at first: where each record is once.
func TestOutcome(t *testing.T) {
	sink := func(name string) receipt.Node { return receipt.Node{Kind: "sink", Name: name} }
	s := &Subject{Receipt: &receipt.Receipt{Graph: &receipt.Graph{Body: []receipt.Node{
		{Kind: "step", Name: "privacy.redact", Edges: []receipt.Edge{{Kind: "output", Nodes: []receipt.Node{sink("jsonl.ledger")}}}},
		{Kind: "tee", Name: "copy", Edges: []receipt.Edge{{Kind: "tee", Nodes: []receipt.Node{sink("jsonl.canonical")}}}},
		{Kind: "route", Name: "split", Edges: []receipt.Edge{{Kind: "case", Nodes: []receipt.Node{
			{Kind: "tee", Name: "inner", Edges: []receipt.Edge{{Kind: "tee", Nodes: []receipt.Node{sink("jsonl.inner")}}}}, sink("jsonl.train")}}}},
	}}}}
	for _, c := range []struct {
		out  receipt.Output
		want string
	}{
		{receipt.Output{Sink: "jsonl.train"}, rows.Kept},
		{receipt.Output{Sink: "jsonl.canonical"}, rows.Copied},
		{receipt.Output{Sink: "jsonl.inner"}, rows.Copied},
		{receipt.Output{Sink: "jsonl.ledger", Side: "privacy.redact/ledger"}, rows.Noted},
		{receipt.Output{Sink: "jsonl.rejects", Side: receipt.DeadLetter}, rows.Rejected},
	} {
		if have := s.outcome(c.out); have != c.want {
			t.Errorf("%s: want %s, have %s", c.out.Sink, c.want, have)
		}
	}
	for _, c := range []struct {
		reason         string
		kept, rejected int64
		want           string
	}{
		{"rows", 3, 1, rows.Kept}, {"all rejected", 0, 4, rows.Rejected}, {"nothing", 0, 0, ""},
	} {
		s.Receipt.Outputs = []receipt.Output{
			{Sink: "jsonl.canonical", Records: 7}, {Sink: "jsonl.train", Records: c.kept}, {Sink: "jsonl.rejects", Side: receipt.DeadLetter, Records: c.rejected},
		}
		if have := s.main(); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestFoldIdle holds that steps behind each other that declined, or changed nothing, are one stop, unless they are few or did anything.
func TestFoldIdle(t *testing.T) {
	step := func(name, verdict string, depth int) stepLayout {
		return stepLayout{Name: name, Verdict: verdict, Depth: depth}
	}
	noted := step("noted", "declined", 1)
	noted.Counts = []string{"odd 1"}
	stops := []stepLayout{
		step("a", "declined", 1), step("b", "declined", 1), step("c", "declined", 1), step("d", "emitted", 1), step("e", "declined", 1), step("f", "declined", 1), noted, step("g", "declined", 2),
		step("h", "unchanged", 0), step("i", "unchanged", 0), step("j", "unchanged", 0), step("k", "unchanged", 0), step("l", "declined", 0), step("m", "unchanged", 0),
	}
	var have []string
	for _, x := range foldIdle(stops) {
		have = append(have, x.Name)
	}
	if strings.Join(have, " ") != "3 steps d e f noted g 4 steps l m" {
		t.Errorf("want the first three together, have %q", have)
	}
}

// TestOverviewOfRun holds that the page of a run says in words what its files are, names the steps that nothing reached once, and leads from a
// reason to the rows that say so, where there are any.
func TestOverviewOfRun(t *testing.T) {
	dir := t.TempDir()
	note := `{"left_out":"duplicate","step":"dedup.near","kind":"exact","file":"in","line":1}` + "\n"
	for name, text := range map[string]string{"val.jsonl": "{}\n", "train.jsonl": "{}\n{}\n", "pairs.jsonl": note} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	node := func(kind, name string, c receipt.Counts, edges ...receipt.Edge) receipt.Node {
		return receipt.Node{Kind: kind, Name: name, Counts: &c, Edges: edges}
	}
	sink := func(name string, n int64) receipt.Node { return node("sink", name, receipt.Counts{In: n, Out: n}) }
	r := &receipt.Receipt{
		Run: "r", Graph: &receipt.Graph{Body: []receipt.Node{
			node("source", "jsonl.in", receipt.Counts{In: 5, Out: 5}), node("step", "dedup.near", receipt.Counts{In: 5, Out: 3, Dropped: 2}),
			node("tee", "copy", receipt.Counts{In: 3, Out: 3}, receipt.Edge{Kind: "tee", Records: 3, Nodes: []receipt.Node{node("step", "strict.s", receipt.Counts{In: 3, Rejected: 3})}}),
			sink("jsonl.val", 1), sink("jsonl.train", 2),
		}},
		Outputs: []receipt.Output{
			{Path: "val.jsonl", Sink: "jsonl.val", Records: 1}, {Path: "pairs.jsonl", Sink: "jsonl.pairs", Side: "dedup.near/pairs", Records: 1},
			{Path: "train.jsonl", Sink: "jsonl.train", Records: 2},
		},
		Totals: receipt.Totals{Read: 5, Rejected: receipt.Breakdown{Total: 3}, Dropped: receipt.Breakdown{Total: 2, By: map[string]int64{"duplicate": 1, "old": 1}}},
		Steps:  []receipt.StepAccount{{Name: "dedup.near", In: 5, Out: 3}, {Name: "gemini.gemini"}, {Name: "atif.atif"}},
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "receipt.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	subject, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if name := subject.Files[0].Name; name != "train.jsonl" {
		t.Errorf("want the file with the most kept rows first, have %s", name)
	}
	_, body := get(t, serveSubject(t, subject, nil), "")
	for _, want := range []string{
		"records that were kept", "pairs, by step dedup.near", "No record reached 2 more steps: <bdi>gemini.gemini</bdi>, <bdi>atif.atif</bdi>.",
		`<a href="rows?in.code=duplicate&amp;in.outcome=noted">`, `<th scope="row"><bdi>old</bdi>`,
		"<p>5 records read, 3 kept (60.0%)</p>", `<dt>Kept</dt><dd class="value"><a href="rows?in.outcome=kept">3</a></dd><dd class="note">60.0%</dd>`,
		`<dt>Rejected</dt><dd class="value">0</dd>`, // the rejects are of copies
		`<dt>Dropped</dt><dd class="value">2</dd><dd class="note">40.0%</dd>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %q, have\n%s", want, body)
		}
	}
}

package viewer

import (
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

// TestFoldDeclined holds that steps behind each other that declined are one stop, unless they are few or did anything.
func TestFoldDeclined(t *testing.T) {
	step := func(name, verdict string, depth int) stepLayout {
		return stepLayout{Name: name, Verdict: verdict, Depth: depth}
	}
	noted := step("noted", "declined", 1)
	noted.Counts = []string{"odd 1"}
	stops := []stepLayout{
		step("a", "declined", 1), step("b", "declined", 1), step("c", "declined", 1), step("d", "emitted", 1), step("e", "declined", 1), step("f", "declined", 1), noted, step("g", "declined", 2),
	}
	var have []string
	for _, x := range foldDeclined(stops) {
		have = append(have, x.Name)
	}
	if strings.Join(have, " ") != "3 steps d e f noted g" {
		t.Errorf("want the first three together, have %q", have)
	}
}

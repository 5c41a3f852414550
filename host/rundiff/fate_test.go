package rundiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestFates holds what is said of a record in either run: a row of the stream keeps it, whatever else there is, a copy does not, and the step
// that dropped it is named where that is known.
func TestFates(t *testing.T) {
	declinedBy := func(step string) string {
		return strings.NewReplacer("bad_call", "declined", "chatml.row", step).Replace(badCall)
	}
	a := write(t, t.TempDir(), written{
		"train": {`a:1 {}`, `a:2 {}`, `a:3 {}`}, "canonical": {`a:4 {}`, `a:5 {}`}, "ledger": {`a:4 {}`}, "rejects": {"a:6 " + badCall, "a:7 " + declinedBy("pair.pair")},
	})
	b := write(t, t.TempDir(), written{"train": {`a:1 {}`, `a:6 {}`, `b:1 {}`}, "canonical": nil, "ledger": {`a:2 {}`}, "rejects": {"a:2 " + badCall, "a:3 " + badCall, "a:7 " + declinedBy("messages.m")}})
	pairs := pairsOf(a, b)
	for i := range pairs {
		pairs[i].sinks = [2]string{pairs[i].Name, pairs[i].Name}
	}
	pairs[3].side = "dedup.near"
	keeps := &receipt.Graph{Body: []receipt.Node{{Kind: "tee", Edges: []receipt.Edge{{Nodes: []receipt.Node{{Kind: "sink", Name: "canonical"}}}}}, {Kind: "sink", Name: "train"}}}
	drops := func(steps ...string) (r *receipt.Receipt) {
		r = &receipt.Receipt{Graph: keeps}
		for _, s := range steps {
			r.Steps = append(r.Steps, receipt.StepAccount{Name: s, Dropped: receipt.Breakdown{Total: 1}})
		}
		return r
	}
	var have []string
	_, err := compareRuns(t.Context(), pairs, settings{
		FilesA: []string{"a"}, FilesB: []string{"a", "b"},
		Fate: [2]fates{newFates(0, drops("dedup.near", "cap.c"), []string{"a"}), newFates(1, drops("cap.c"), []string{"a", "b"})},
		Fates: func(of Origin, a, b Fate) error {
			have = append(have, fmt.Sprintf("%s:%d %v, %v", of.File, of.Line, a, b))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a:1 kept, kept",
		"a:2 kept, rejected by chatml.row: bad_call",
		"a:3 kept, rejected by chatml.row: bad_call",
		"a:4 dropped by dedup.near, dropped by cap.c", // a copy in canonical, and a pair of dedup
		"a:5 dropped, dropped by cap.c",               // either step of A may have
		"a:6 rejected by chatml.row: bad_call, kept",
		"a:7 rejected: declined, rejected: declined", // whichever step came nearest
		"b:1 not read, kept",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

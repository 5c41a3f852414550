package output

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestUnfitLabels protects folders and people from names that a record's label makes: files elsewhere, and names that look like others.
func TestUnfitLabels(t *testing.T) {
	p, err := parsePattern("out/{split}.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, value, bad string }{
		{"a plain word", "train", ""},
		{"blanks inside", "a b", ""},
		{"another script", "обучение", ""},
		{"a joiner, which Persian and emoji need", "می\u200cخواهم", ""},
		{"nothing", "", "an empty value"},
		{"another folder", "../x", "a leading '.'"},
		{"a bell", "a\x07b", "a control character"},
		{"a change of direction", "a\u202eb", "does not show"},
		{"a blank of no width", "a\u200bb", "does not show"},
		{"an end of line of Unicode", "a\u2028b", "does not show"},
		{"blanks only", "  ", "white space"},
		{"a blank that is no ASCII", "\u00a0a", "white space"},
		{"a blank at the end", "a ", "white space"},
	} {
		_, fault := p.appendTo(nil, &wire.Record{Labels: []wire.Label{{Name: "split", Value: c.value}}})
		switch {
		case c.bad == "" && fault != nil:
			t.Errorf("%s: want it in a path, have %s", c.reason, fault.Message)
		case c.bad != "" && (fault == nil || fault.Code != BadLabel || !strings.Contains(fault.Message, c.bad)):
			t.Errorf("%s: want %s, have %+v", c.reason, c.bad, fault)
		}
	}
}

// What one label costs does not grow with how many there are, numbered names included.
func TestLabelsCostTheSame(t *testing.T) {
	inFolder(t, nil, nil)
	cost := func(n int) uint64 {
		set := New(Options{Run: testRun, Origins: true})
		sink, err := set.Sink("jsonl", Claim{What: "sink", Path: "out/{split}.jsonl", Rotate: Rotate{Rows: 10}})
		must(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			if _, _, fault := sink.claimName(fmt.Sprintf("out/v%d.jsonl", i)); fault != nil {
				t.Fatal(fault)
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(1000), cost(4000); many > 6*few {
		t.Errorf("want about four times the memory of 1,000 labels for 4,000, have %d bytes for %d", many, few)
	}
}

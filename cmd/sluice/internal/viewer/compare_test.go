package viewer

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/rundiff"
)

// TestGroupOf holds that only values that changed stand as removed and added; a reason stands beside the rows that it is about.
func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		kind      string
		a, b      string
		why, from string
	}{
		{rundiff.Changed, "1", "2", "", "1"},
		{rundiff.OnlyA, "its file was not read by the other", "", "its file was not read by the other", ""},
		{rundiff.Rejected, "", "bad_role", "bad_role", ""},
	} {
		have := groupOf(&state{}, &rundiff.Group{Difference: rundiff.Difference{Kind: c.kind, Output: "train", A: c.a, B: c.b}, Rows: 1})
		if have.Why != c.why || have.A != c.from {
			t.Errorf("%s: want %q as the reason and %q as removed, have %q and %q", c.kind, c.why, c.from, have.Why, have.A)
		}
	}
}

// TestWithPath holds that values of rows which are of no record, such as statistics, are told once for each output, and that such a row is no place.
func TestWithPath(t *testing.T) {
	var all []sums
	for _, at := range [][2]string{{"stats.jsonl", "all.rows"}, {"stats.jsonl", "all.turns.user"}, {"sums.jsonl", "n"}} {
		of := rundiff.Group{Difference: rundiff.Difference{Kind: rundiff.Changed, Output: at[0], Path: at[1]}, Rows: 1, Examples: []rundiff.Example{{LineA: 1, LineB: 1}}}
		y := groupOf(&state{}, &of)
		if len(y.Examples) > 0 {
			t.Errorf("want no place, have %v", y.Examples)
		}
		all = withPath(all, y)
	}
	if len(all) != 2 || len(all[0].Paths) != 2 || all[1].Output != "sums.jsonl" || all[1].Paths[0] != "n" {
		t.Errorf("want two outputs, have %v", all)
	}
}

// TestWeighty holds that rows which one run alone has are the first of a page that may not have all.
func TestWeighty(t *testing.T) {
	row := func(name string) *rows.Row { return &rows.Row{Name: name} }
	have := weighty([][2]*rows.Row{{row("ledger"), row("ledger")}, {row("pairs"), nil}, {nil, row("train")}})
	if have[0][0] == nil || have[0][0].Name != "pairs" || have[1][1].Name != "train" || have[2][0].Name != "ledger" {
		t.Errorf("want what differs first, have %v", have)
	}
}

// TestCutValue holds that a value which is cut within something personal shows no half of that.
func TestCutValue(t *testing.T) {
	for before := mostValue/4 - 8; before < mostValue/4; before++ {
		value := strings.Repeat("x ", before) + "ann@corp-mail.io" + strings.Repeat(" y", mostValue)
		if have := cutValue(value, false); strings.Contains(have, "ann") {
			t.Errorf("want no half of an address, have %s", have)
		}
	}
}

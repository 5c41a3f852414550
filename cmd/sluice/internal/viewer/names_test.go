package viewer

import (
	"slices"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// TestApart holds that two runs whose folders have one name are told apart, by no more of their paths than that takes.
func TestApart(t *testing.T) {
	for _, c := range []struct{ reason, a, b, nameA, nameB string }{
		{"other names", "/data/now", "/data/before", "now", "before"},
		{"one name in two folders", "/data/now/out", "/data/before/out", "now/out", "before/out"},
		{"one path ends as the other", "/out", "/data/out", "/out", "data/out"},
		{"one folder", "/data/out", "/data/out", "A", "B"},
	} {
		a, b := apart(&Subject{Title: "A", dir: c.a}, &Subject{Title: "B", dir: c.b})
		if a != c.nameA || b != c.nameB {
			t.Errorf("%s: want %q and %q, have %q and %q", c.reason, c.nameA, c.nameB, a, b)
		}
	}
}

// TestNumbered holds that no two files have one name, and that a number is put behind a name only when it is taken.
func TestNumbered(t *testing.T) {
	for _, c := range []struct {
		reason      string
		names, want []string
	}{
		{"other names", []string{"a", "b"}, []string{"a", "b"}},
		{"one name three times", []string{"a", "b", "a", "a"}, []string{"a", "b", "a (2)", "a (3)"}},
		{"a file has the name with the number", []string{"a", "a (2)", "a", "a"}, []string{"a", "a (2)", "a (3)", "a (4)"}},
		{"a file gets its name after another got it", []string{"a", "a", "a (2)", "a"}, []string{"a", "a (2)", "a (2) (2)", "a (3)"}},
	} {
		s := &Subject{numbers: map[string]int{}}
		var have []string
		for _, name := range c.names {
			have = append(have, s.add(name, rows.File{}))
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestParted holds where a line may end in a name: behind what joins words, and nowhere else.
func TestParted(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"", nil},
		{"word", []string{"word"}},
		{"canonical/repair_eval.jsonl", []string{"canonical/", "repair_", "eval.", "jsonl"}},
		{"a:1-", []string{"a:", "1-"}},
		{"名前/行.x", []string{"名前/", "行.", "x"}},
	} {
		if have := format.Parts(c.name); !slices.Equal(have, c.want) {
			t.Errorf("%q: want %q, have %q", c.name, c.want, have)
		}
	}
}

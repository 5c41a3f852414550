package plan

import (
	"maps"
	"testing"
)

// TestCrossed holds which paths are taken for exchanged: those that are so by the words in them, and no others, since a test of a
// pipeline fails over them.
func TestCrossed(t *testing.T) {
	for _, tt := range []struct {
		reason string
		sinks  []Named
		want   map[int]int
	}{
		{"two exchanged", []Named{{"train", "out/val.jsonl"}, {"val", "out/train.jsonl"}}, map[int]int{0: 1, 1: 0}},
		{"each its own", []Named{{"train", "out/train.jsonl"}, {"val", "out/val.jsonl"}}, nil},
		{"a folder of that name says nothing", []Named{{"train", "val/train.jsonl"}, {"val", "val/val.jsonl"}}, nil},
		{"exchanged below such a folder", []Named{{"train", "val/val.jsonl"}, {"val", "val/train.jsonl"}}, map[int]int{0: 1, 1: 0}},
		{"three in a circle", []Named{{"a", "b.jsonl"}, {"b", "c.jsonl"}, {"c", "a.jsonl"}}, map[int]int{0: 1, 1: 2, 2: 0}},
		{"words of several", []Named{{"canonical_train", "chatml/train.jsonl"}, {"chatml_train", "canonical/train.jsonl"}}, map[int]int{0: 1, 1: 0}},
		{"names that say nothing", []Named{{"a", "x.jsonl"}, {"b", "y.jsonl"}}, nil},
		{"one that has another's name alone", []Named{{"rows", "all.jsonl"}, {"rest", "rows.jsonl"}}, nil},
		{"a longer name of the same words", []Named{{"train", "out/train.jsonl"}, {"train_ledger", "out/ledger.jsonl"}}, nil},
	} {
		if have := Crossed(tt.sinks); !maps.Equal(have, tt.want) {
			t.Errorf("%s: want %v, have %v", tt.reason, tt.want, have)
		}
	}
}

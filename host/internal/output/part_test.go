package output

import (
	"strings"
	"testing"
)

// TestLeftoversOfParts holds that a part removes what a dead run of it has left, and nothing of other parts, which may go on.
func TestLeftoversOfParts(t *testing.T) {
	s := &Set{opts: Options{Part: "00000-of-00002", Run: "01234567"}}
	long := strings.Repeat("x", 300) + "-00000-of-00002.jsonl"
	for _, c := range []struct {
		why, name string
		want      bool
	}{
		{"its own", ".train-00000-of-00002.jsonl.01234567-0.sluice", true},
		{"another part's", ".train-00001-of-00002.jsonl.01234567-0.sluice", false},
		{"another part's of a file that is named like this part", ".train-00000-of-00002-00001-of-00002.jsonl.01234567-0.sluice", false},
		{"its own of a file that is named like another part", ".train-00001-of-00002-00000-of-00002.jsonl.01234567-0.sluice", true},
		{"a whole run's", ".train.jsonl.01234567-0.sluice", false},
		{"its own, whose name is cut", s.temporary(long, 3), true},
	} {
		if have := s.ours(c.name); have != c.want || len(c.name) > maxName || !isTemporary(c.name) {
			t.Errorf("%s: want %v, have %v of %s", c.why, c.want, have, c.name)
		}
	}
}

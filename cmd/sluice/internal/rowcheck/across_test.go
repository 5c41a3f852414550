package rowcheck

import (
	"testing"

	"github.com/sluicehq/sluice/host/survey"
)

// TestIDs holds that an id is found again, of the same shape and whatever file it is in, and that memory has a bound.
func TestIDs(t *testing.T) {
	x := newIDs(3)
	for i, c := range []struct {
		reason, shape, id, file string
		want                    string
		left                    int64
	}{
		{"the first", "trajectory", "a", "one", "", 0},
		{"another", "trajectory", "b", "one", "", 0},
		{"the first again, in another file", "trajectory", "a", "two", "one:1", 0},
		{"the same of another shape", "canonical", "a", "two", "", 0},
		{"more than are remembered", "canonical", "c", "two", "", 1},
		{"which is not found", "canonical", "c", "two", "", 2},
		{"one that is remembered", "canonical", "a", "two", "two:4", 2},
	} {
		if have := x.add(c.shape, c.id, survey.Row{File: c.file, Line: int64(i + 1)}); have != c.want || x.left != c.left {
			t.Errorf("%s: want %q and %d left, have %q and %d", c.reason, c.want, c.left, have, x.left)
		}
	}
}

// TestSplitOfFile holds which names of files say a split.
func TestSplitOfFile(t *testing.T) {
	for name, want := range map[string]string{
		"out/train.jsonl": "train", "val.jsonl.gz": "val", "s3://b/validation.jsonl": "val", `c:\rows\Test.jsonl`: "test", "repair_eval.jsonl": "repair_eval",
		"corpus.jsonl": "", "train-00001.jsonl": "", "-": "", "": "",
	} {
		if have := splitOfFile(name); have != want {
			t.Errorf("%s: want %q, have %q", name, want, have)
		}
	}
}

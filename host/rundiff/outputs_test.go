package rundiff

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestPairOutputs holds which outputs of two runs are for the same rows, and among which a row may move.
func TestPairOutputs(t *testing.T) {
	row := []string{"native.x", "chatml.y"}
	stream := func(sink, path string, after []string) receipt.Output {
		return receipt.Output{Sink: sink, Path: path, After: after}
	}
	rejects := receipt.Output{Sink: "rejects", Path: "out/rejects.jsonl", Side: receipt.DeadLetter}
	for _, c := range []struct {
		reason string
		a, b   []receipt.Output
		want   [][4]string // name, A, B, way
	}{
		{"the same paths",
			[]receipt.Output{stream("jsonl.canonical", "out/canonical/train.jsonl", row[:1]), stream("jsonl.row", "out/train.jsonl", row), rejects},
			[]receipt.Output{stream("jsonl.canonical", "out/canonical/train.jsonl", row[:1]), stream("jsonl.row", "out/train.jsonl", row), rejects},
			[][4]string{
				{"canonical/train.jsonl", "out/canonical/train.jsonl", "out/canonical/train.jsonl", "stream native.x"},
				{"train.jsonl", "out/train.jsonl", "out/train.jsonl", "stream native.x chatml.y"},
				{"rejects.jsonl", "out/rejects.jsonl", "out/rejects.jsonl", ""},
			}},
		{"the one file of a sink, whatever it is called",
			[]receipt.Output{stream("jsonl.row", "out/train.jsonl", row), rejects}, []receipt.Output{stream("jsonl.row", "out/rows.jsonl.gz", row), rejects},
			[][4]string{
				{"train.jsonl and rows.jsonl.gz", "out/train.jsonl", "out/rows.jsonl.gz", "stream native.x chatml.y"},
				{"rejects.jsonl", "out/rejects.jsonl", "out/rejects.jsonl", ""},
			}},
		{"files of labels by their names, also those that one run has, behind other steps too",
			[]receipt.Output{stream("jsonl.row", "out/test.jsonl", row), stream("jsonl.row", "out/train.jsonl", row)},
			[]receipt.Output{stream("jsonl.row", "out/train.jsonl", row[1:]), stream("jsonl.row", "out/val.jsonl", row[1:])},
			[][4]string{
				{"test.jsonl", "out/test.jsonl", "", "stream native.x chatml.y"},
				{"train.jsonl", "out/train.jsonl", "out/train.jsonl", "stream native.x chatml.y"},
				{"val.jsonl", "", "out/val.jsonl", "stream native.x chatml.y"},
			}},
		{"another sink at one place", []receipt.Output{stream("jsonl.row", "out/train.jsonl", row), rejects}, []receipt.Output{stream("jsonl.new", "out/train.jsonl", row), rejects},
			[][4]string{
				{"train.jsonl", "out/train.jsonl", "out/train.jsonl", "stream native.x chatml.y"},
				{"rejects.jsonl", "out/rejects.jsonl", "out/rejects.jsonl", ""},
			}},
	} {
		t.Chdir(t.TempDir())
		for _, o := range append(c.a[:len(c.a):len(c.a)], c.b...) {
			if err := os.MkdirAll(filepath.Dir(o.Path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(o.Path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		places, left, err := pairOutputs(&subject{dir: ".", receipt: &receipt.Receipt{Outputs: c.a}}, &subject{dir: ".", receipt: &receipt.Receipt{Outputs: c.b}})
		if err != nil || left != nil {
			t.Fatal(err, left)
		}
		var have [][4]string
		for _, p := range places {
			found := [4]string{p.Name, "", "", p.stream}
			if p.A != nil {
				found[1] = filepath.ToSlash(p.A.Path)
			}
			if p.B != nil {
				found[2] = filepath.ToSlash(p.B.Path)
			}
			have = append(have, found)
			if p.Reject != (p.Name == "rejects.jsonl") {
				t.Errorf("%s: want the dead letter known as such, have %+v", c.reason, p)
			}
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

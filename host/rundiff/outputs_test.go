package rundiff

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestMayBe holds which names a file of a sink may have.
func TestMayBe(t *testing.T) {
	for _, c := range []struct {
		name, path string
		want       bool
		reason     string
	}{
		{"train.jsonl.gz", "/data/out/train.jsonl.gz", true, "the path itself, in another folder"},
		{"sub/train.jsonl", "out/{split}.jsonl", true, "a label"},
		{"corpus-train.jsonl", "out/corpus-{split}.jsonl", true, "a label behind a dash"},
		{"day.jsonl", "out/day-{n}.jsonl", false, "without its label"},
		{"day.jsonl", "", true, "a path that is not known"},
	} {
		if have := mayBe(c.name, c.path); have != c.want {
			t.Errorf("%s: want %t, have %t", c.reason, c.want, have)
		}
	}
}

// TestPairOutputs holds which outputs of two runs are for the same rows, and among which a row may move.
func TestPairOutputs(t *testing.T) {
	row := []string{"native.x", "chatml.y"}
	stream := func(sink, path string, after []string) receipt.Output {
		return receipt.Output{Sink: sink, Path: path, After: after}
	}
	part := func(o receipt.Output, path string) receipt.Output {
		o.Path = path
		return o
	}
	subjectOf := func(all []receipt.Output) *subject {
		r := &receipt.Receipt{Outputs: all}
		if _, _, ok := receipt.PartOf(all[0].Path); ok {
			r.Merged = make([]receipt.MergedPart, 2)
		}
		return &subject{dir: ".", receipt: r}
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
		{"the parts of a merged run, one behind the other, by the names of the whole",
			[]receipt.Output{stream("jsonl.row", "out/test.jsonl", row), stream("jsonl.row", "out/train.jsonl", row), rejects},
			[]receipt.Output{
				stream("jsonl.row", "out/train-00000-of-00002.jsonl", row), part(rejects, "out/rejects-00000-of-00002.jsonl"),
				stream("jsonl.row", "out/test-00001-of-00002.jsonl", row), stream("jsonl.row", "out/train-00001-of-00002.jsonl", row), part(rejects, "out/rejects-00001-of-00002.jsonl"),
			},
			[][4]string{
				{"test.jsonl", "out/test.jsonl", "out/test-00001-of-00002.jsonl", "stream native.x chatml.y"},
				{"train.jsonl", "out/train.jsonl", "out/train-00000-of-00002.jsonl out/train-00001-of-00002.jsonl", "stream native.x chatml.y"},
				{"rejects.jsonl", "out/rejects.jsonl", "out/rejects-00000-of-00002.jsonl out/rejects-00001-of-00002.jsonl", ""},
			}},
		{"a sink that rotates, whole and in parts",
			[]receipt.Output{stream("jsonl.row", "out/train-00001.jsonl", row), stream("jsonl.row", "out/train-00002.jsonl", row)},
			[]receipt.Output{
				stream("jsonl.row", "out/train-00000-of-00002-00001.jsonl", row), stream("jsonl.row", "out/train-00000-of-00002-00002.jsonl", row),
				stream("jsonl.row", "out/train-00001-of-00002-00001.jsonl", row),
			},
			[][4]string{{"train.jsonl", "out/train-00001.jsonl out/train-00002.jsonl",
				"out/train-00000-of-00002-00001.jsonl out/train-00000-of-00002-00002.jsonl out/train-00001-of-00002-00001.jsonl", "stream native.x chatml.y"}}},
		{"numbers that are labels",
			[]receipt.Output{stream("jsonl.row", "out/day-00004.jsonl", row), stream("jsonl.row", "out/day-00005.jsonl", row)},
			[]receipt.Output{stream("jsonl.row", "out/day-00005.jsonl", row)},
			[][4]string{{"day-00004.jsonl", "out/day-00004.jsonl", "", "stream native.x chatml.y"}, {"day-00005.jsonl", "out/day-00005.jsonl", "out/day-00005.jsonl", "stream native.x chatml.y"}}},
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
		places, left, err := pairOutputs(subjectOf(c.a), subjectOf(c.b))
		if err != nil || left != nil {
			t.Fatal(err, left)
		}
		var have [][4]string
		for _, p := range places {
			found := [4]string{p.Name, "", "", p.stream}
			for i, files := range [][]*outputFile{p.A, p.B} {
				var paths []string
				for _, f := range files {
					paths = append(paths, filepath.ToSlash(f.Path))
				}
				found[1+i] = strings.Join(paths, " ")
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

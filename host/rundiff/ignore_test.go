package rundiff

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/ignore"
)

// TestIgnored holds that rows which differ at ignored paths alone are counted apart, those of a dead letter by the record in them, and
// what the rows compared are.
func TestIgnored(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir+"/a", written{
		"train":   {`a:1 {"x":{"by":"p"}}`, `a:2 {"x":{"by":"p"},"y":1}`, `a:3 {}`, `a:5 {"x":1}`},
		"rejects": {`a:4 {"step":"s","code":"c","record":{"x":{"by":"p"}}}`},
	})
	b := write(t, dir+"/b", written{
		"train":   {`a:1 {"x":{"by":"q"}}`, `a:2 {"x":{"by":"q"},"y":2}`, `a:3 {}`},
		"test":    {`a:5 {"x":2}`},
		"rejects": {`a:4 {"step":"s","code":"c","record":{"x":{"by":"q"}}}`},
	})
	except, err := ignore.Parse([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := compareRuns(t.Context(), pairsOf(a, b), settings{Ignore: except})
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, "ignored", "1 changed | train | y | a number | another number | a:2 (2 2)\n1 moved | train | test | a:5 (4 1)\n2 differ\n", r)
	if diff := cmp.Diff([]int64{5, 2, 2}, []int64{r.Compared, r.Differ, r.Ignored}); diff != "" {
		t.Errorf("compared, differ, ignored (-want +have):\n%s", diff)
	}
	if r.Outputs[1].Ignored != 1 || r.Outputs[4].Ignored != 1 {
		t.Errorf("want one row of train and one reject ignored, have %+v", r.Outputs)
	}
}

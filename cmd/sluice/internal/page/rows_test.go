package page

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestBinsOf holds that no key of a receipt makes a bin that there is not, and that those of older versions are twice as long as their half.
func TestBinsOf(t *testing.T) {
	bins := binsOf(map[string]int64{"-1": 5, "x": 5, "4": 2, "287": 3, "512": 1, "9": 0})
	if have := fmt.Sprint(bins); have != "[{4 4 2} {256 287 3} {257 512 1}]" {
		t.Errorf("want rows of 4, of 256 to 287 and of 257 to 512, have %s", have)
	}
}

// TestSummed holds that what a step has counted comes first, each split beside the others on one axis, with the rows over the limit.
func TestSummed(t *testing.T) {
	const row = `{"tokens_from":"o200k_base","limits":{"tokens":100},"all":{"rows":9,"tokens":{"rows":8,"min":3,"p50":40,"p95":150,"p99":200,"max":210,"over":2,"bins":{"3":1,"43":5,"215":2}},"characters":{"rows":9,"max":7}},
		"by":{"split":{"val":{"rows":2,"tokens":{"rows":2,"min":3,"p50":3,"p95":43,"p99":43,"max":43,"bins":{"3":1,"43":1}}},"train":{"rows":7,"tokens":{"rows":6,"p50":43,"max":210}},"other":{"rows":0},"odd":null}}}`
	path := t.TempDir() + "/stats.jsonl"
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(row, "\n", " ")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := maker{troubles: map[string]string{}, files: func(path string, _ filehash.Sum) (*os.File, error) { return os.Open(path) }, run: &receipt.Receipt{
		Steps:   []receipt.StepAccount{{Name: "stats.stats", Plugin: "stats"}},
		Outputs: []receipt.Output{{Path: path, Side: "stats.stats/stats", Records: 1}},
	}}
	all := m.rows()
	if len(all) != 1 || all[0].Title != "Tokens" || !strings.Contains(all[0].Note, "o200k_base") || len(all[0].Of) != 3 {
		t.Fatalf("want the tokens of all rows and of two splits, have %+v", all)
	}
	var have []string
	for _, l := range all[0].Of {
		have = append(have, fmt.Sprintf("%s %d/%s %v %d-%d", l.Name, l.Rows, l.Basis, l.Figures, l.Chart.From, l.Chart.To))
	}
	want := "all rows 9/known of 8 [{min 3} {median 40} {p95 150} {p99 200} {max 210}] 3-215"
	if have[0] != want || !strings.HasPrefix(have[1], "train 7/known of 6") || !strings.HasSuffix(have[2], "{max 43}] 3-215") {
		t.Errorf("want %s first, then train and val on the same axis, have %q", want, have)
	}
	if over := all[0].Of[0].Over; over != "2 rows (25.0%) over 100" {
		t.Errorf("want the rows over the limit, have %q", over)
	}
}

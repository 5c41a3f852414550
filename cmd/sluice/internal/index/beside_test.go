package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBesideOfMany protects an index of many rejects and findings in any order: it takes no time for each pair of them, of
// which there are here more than can be looked at.
func TestBesideOfMany(t *testing.T) {
	const rows = 60_000
	random := rand.New(rand.NewPCG(1, 2))
	have := [2]map[record]bool{{}, {}} // by file
	var of [2][]record
	var lines [2][]string
	for i := range rows {
		for file, form := range []string{
			`{"code":"c","step":"s.s","plugin":"s","record":"{}","file":%q,"line":%d}`,
			`{"entity":"EMAIL","step":"p.p","place":"value","file":%q,"line":%d}`,
		} {
			r := record{file: uint32(random.IntN(3)), line: int64(1 + random.IntN(2*rows))}
			switch {
			case i < rows/4:
				r = record{line: 7} // all about one record
			case i < rows/2:
				r = record{file: uint32(3 + i), line: 1} // each of another file
			}
			have[file][r] = true
			of[file] = append(of[file], r)
			lines[file] = append(lines[file], fmt.Sprintf(form, fmt.Sprint("in", r.file), r.line))
		}
	}
	dir := t.TempDir()
	x := open(t, t.TempDir(), writeFile(t, dir, "rejects.jsonl", lines[0]...), writeFile(t, dir, "ledger.jsonl", lines[1]...))
	for file, other := range []string{findingShape, Reject} {
		var want []int64
		for i, r := range of[file] {
			if have[1-file][r] {
				want = append(want, int64(i+1))
			}
		}
		name := []string{"rejects.jsonl", "ledger.jsonl"}[file]
		found, err := x.Find(Query{In: []In{{besideColumn, []string{other}}, {fileColumn, []string{name}}}})
		if err != nil || !found.Done {
			t.Fatalf("want everything found, have %+v, %v", found.Progress, err)
		}
		var lines []int64
		for _, r := range found.Page(0, found.Len()) {
			lines = append(lines, r.Line)
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: want %d rows with a %s, have %d", name, len(want), other, len(lines))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	views, _ := x.views()
	for _, c := range besideOf(ctx, views) {
		if len(c.Small) > 0 {
			t.Error("want nothing more found when the context has ended")
		}
	}
}

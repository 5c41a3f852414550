package rows

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/host"
)

var long = flag.Bool("long", false, "index as many rows as a corpus has, and not a tenth of them")

// TestBesideOfMany protects an index of many rejects and findings in any order: it takes no time for each pair of them, of
// which there are here more than can be looked at.
func TestBesideOfMany(t *testing.T) {
	rows := 6_000
	if *long {
		rows = 60_000
	}
	random := rand.New(rand.NewPCG(1, 2))
	type record struct{ file, line int }
	have := [2]map[record]bool{{}, {}} // by file
	var of [2][]record
	var lines [2][]string
	for i := range rows {
		for file, form := range []string{
			`{"code":"c","step":"s.s","plugin":"s","record":"{}","file":%q,"line":%d}`,
			`{"entity":"EMAIL","step":"p.p","place":"value","file":%q,"line":%d}`,
		} {
			r := record{file: random.IntN(3), line: 1 + random.IntN(2*rows)}
			switch {
			case i < rows/4:
				r = record{line: 7} // all about one record
			case i < rows/2:
				r = record{file: 3 + i, line: 1} // each of another file
			}
			have[file][r] = true
			of[file] = append(of[file], r)
			lines[file] = append(lines[file], fmt.Sprintf(form, fmt.Sprint("in", r.file), r.line))
		}
	}
	dir := t.TempDir()
	x := open(t, t.TempDir(), writeFile(t, dir, "rejects.jsonl", lines[0]...), writeFile(t, dir, "ledger.jsonl", lines[1]...))
	for file, other := range []string{FindingShape, RejectShape} {
		var want []int64
		for i, r := range of[file] {
			if have[1-file][r] {
				want = append(want, int64(i+1))
			}
		}
		name := []string{"rejects.jsonl", "ledger.jsonl"}[file]
		found, err := x.Find(Query{In: []In{{"beside", []string{other}}, {"file", []string{name}}}})
		if err != nil || !found.Done {
			t.Fatalf("want everything found, have %+v, %v", found.Progress, err)
		}
		var lines []int64
		all, err := found.Page(0, found.Len())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			lines = append(lines, r.Line)
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: want %d rows with a %s, have %d", name, len(want), other, len(lines))
		}
	}
}

// TestShared protects rows from being told as of one record when two inputs have one name: their records cannot be told apart.
func TestShared(t *testing.T) {
	const reject = `{"code":"c","step":"s.s","plugin":"s","record":"{}","file":"in","line":1}`
	for why, o := range map[string]struct {
		inputs []string
		shared []string
		want   bool
	}{
		"two inputs":                   {inputs: []string{"in", "in"}, want: true},
		"three inputs":                 {inputs: []string{"in", "in", "in"}, want: true},
		"an input, and one not here":   {inputs: []string{"in"}, shared: []string{"in"}, want: true},
		"inputs of two names":          {inputs: []string{"in", "other"}},
		"of no run":                    {inputs: []string{"in", "", ""}},
		"another name that two share":  {inputs: []string{"in", "other", "other"}, shared: []string{"other"}},
		"two inputs that are not here": {shared: []string{"in"}, want: true},
	} {
		dir := t.TempDir()
		files := []File{writeFile(t, dir, "a.jsonl", reject), writeFile(t, dir, "b.jsonl", reject)}
		for i, name := range o.inputs {
			f := writeFile(t, dir, fmt.Sprint("input", i), "{}")
			f.Input = name
			files = append(files, f)
		}
		x, err := Open(t.Context(), files, Options{Cache: t.TempDir(), Shared: o.shared})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := x.Row(ID{})
		if err != nil || r.Origin == nil || r.Shared != o.want {
			t.Errorf("%s: want shared: %t, have %+v, %v", why, o.want, r, err)
		}
		kin, err := x.ByOrigin(host.Origin{File: "in", Line: 1})
		if err != nil {
			t.Fatal(err)
		}
		if beside := r.Words("beside"); (len(kin) == 0) != o.want || (len(beside) == 0) != o.want {
			t.Errorf("%s: want kin: %t, have %v and %v", why, !o.want, kin, beside)
		}
	}
}

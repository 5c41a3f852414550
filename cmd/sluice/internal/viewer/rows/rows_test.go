package rows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestOrigins protects the way from a row to what else became of its record: as a run has noted it, and as rows say it.
func TestOrigins(t *testing.T) {
	for _, noted := range []bool{true, false} {
		dir := t.TempDir()
		rejects := writeFile(t, dir, "rejects.jsonl",
			`{"code":"c","step":"s.s","plugin":"s","file":"in.jsonl","line":3,"record":"{}"}`)
		ledger := writeFile(t, dir, "ledger.jsonl",
			`{"file":"in.jsonl","line":1,"step":"p.p","place":"value","entity":"EMAIL"}`,
			`{"file":"in.jsonl","line":1,"step":"p.p","place":"value","entity":"PHONE"}`,
			`{"file":"other.jsonl","line":2,"step":"p.p","place":"value","entity":"PHONE"}`)
		train := writeFile(t, dir, "train.jsonl", `{"messages":[]}`, "", `{"messages":[1]}`, `{"messages":[2]}`)
		input := writeFile(t, dir, "read.jsonl", `{"a":1}`, `{"a":2}`, `{"a":3}`)
		input.Input = "in.jsonl"
		writeFile(t, dir, ".sluice/train.jsonl.origins", `{"schema":"sluice.origins.v1"}`, `"in.jsonl"`, `[1,2]`, `"other.jsonl"`, `[2,1]`, `{"rows":3,"bytes":1,"sha256":""}`)
		if noted {
			writeFile(t, dir, ".sluice/ledger.jsonl.origins", `{"schema":"sluice.origins.v1"}`, `"in.jsonl"`, `[1,1]`, `[1,1,0,1]`, `"other.jsonl"`, `[2,1]`, `{"rows":3,"bytes":1,"sha256":""}`)
		}
		x := open(t, t.TempDir(), train, ledger, rejects, input)
		for line, want := range map[int64][]string{
			1: {"train.jsonl:1", "ledger.jsonl:1", "ledger.jsonl:2", "read.jsonl:1"}, 2: {"train.jsonl:3", "read.jsonl:2"},
			3: {"rejects.jsonl:1", "read.jsonl:3"}, 4: nil,
		} {
			var have []string
			all, err := x.ByOrigin(host.Origin{File: "in.jsonl", Line: line})
			for _, r := range all {
				if err != nil || r.Origin == nil || r.Origin.Line != line {
					t.Errorf("want a row of line %d, have %+v, %v", line, r, err)
				}
				have = append(have, host.Origin{File: r.Name, Line: r.Line}.String())
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("noted %t, line %d: %s", noted, line, diff)
			}
		}
		for _, word := range []string{FindingShape, RejectShape, ""} {
			found, err := x.Find(Query{In: []In{{"beside", []string{word}}}})
			want := map[string]int{FindingShape: 3, RejectShape: 1, "": 6}[word]
			if err != nil || found.Len() != want {
				t.Errorf("noted %t: want %d rows with %q beside them, have %d, %v", noted, want, word, found.Len(), err)
			}
		}
	}
}

// TestOriginsOfOther protects rows from origins that are of another file.
func TestOriginsOfOther(t *testing.T) {
	dir := t.TempDir()
	f := writeFile(t, dir, "a.jsonl", `{}`)
	writeFile(t, dir, ".sluice/a.jsonl.origins", `{"schema":"sluice.origins.v1"}`, `"in.jsonl"`, `[1,2]`, `{"rows":2,"bytes":1,"sha256":""}`)
	x := open(t, t.TempDir(), f)
	s := x.States()[0]
	if row, err := x.At(t.Context(), f.Name, 1); err != nil || row.Origin != nil {
		t.Errorf("want a row of unknown origin, have %+v, %v", row, err)
	}
	if s.Rows != 1 || s.Err == nil || !strings.Contains(s.Err.Error(), "want the origins of 1 row, have those of 2") {
		t.Errorf("want it told, have %+v", s)
	}
}

// TestRuns holds the ways from row to record and back to each other, for runs in order, in none, and of one line's records.
func TestRuns(t *testing.T) {
	for why, noted := range map[string][]string{
		"in order":               {`"a"`, `[1,3]`, `[3,1,0,1]`, `[3,2,0,2]`, `[9,1]`, `"b"`, `[1,2]`},
		"many records of a line": {`"a"`, `[1,1]`, `[1,1,1]`, `[1,1,2]`, `[1,3,2,1]`, `[3,1,1]`},
		"in no order":            {`"a"`, `[5,3]`, `[1,9]`, `"b"`, `[1,1]`, `"a"`, `[6,1]`},
	} {
		dir := t.TempDir()
		var want []host.Origin
		for _, line := range noted {
			if line[0] == '"' {
				want = append(want, host.Origin{File: line[1 : len(line)-1]})
				continue
			}
			n := append(gjson.Parse(line).Array(), make([]gjson.Result, 2)...)
			file := want[len(want)-1].File
			if want[len(want)-1].Line == 0 {
				want = want[:len(want)-1]
			}
			for i := range n[1].Int() {
				of := host.Origin{File: file, Line: n[0].Int() + i}
				if i == 0 {
					of.OfLine, of.Row = uint32(n[2].Int()), uint32(n[3].Int())
				}
				want = append(want, of)
			}
		}
		f := writeFile(t, dir, "a.jsonl", slices.Repeat([]string{"{}"}, len(want))...)
		lines := append([]string{`{"schema":"sluice.origins.v1"}`}, noted...)
		writeFile(t, dir, ".sluice/a.jsonl.origins", append(lines, fmt.Sprintf(`{"rows":%d,"bytes":1,"sha256":""}`, len(want)))...)
		x := open(t, t.TempDir(), f)
		rows := map[host.Origin][]uint32{}
		for i, of := range want {
			r, err := x.Row(ID{Row: uint32(i)})
			if err != nil || r.Origin == nil || *r.Origin != of {
				t.Errorf("%s: row %d: want %+v, have %+v, %v", why, i, of, r.Origin, err)
			}
			of.Row = 0
			rows[of] = append(rows[of], uint32(i))
		}
		rows[host.Origin{File: "a", Line: 99}], rows[host.Origin{File: "c", Line: 1}] = nil, nil
		for of, want := range rows {
			all, err := x.ByOrigin(of)
			var have []uint32
			for _, r := range all {
				have = append(have, r.ID.Row)
			}
			if err != nil || !slices.Equal(have, want) {
				t.Errorf("%s: %+v: want rows %v, have %v, %v", why, of, want, have, err)
			}
		}
	}
}

// TestTrouble protects what is told of files that cannot be read whole: the rows before it are there.
func TestTrouble(t *testing.T) {
	dir := t.TempDir()
	row := `{"text":"` + strings.Repeat("x", 200) + `"}`
	packed := pack(t, []byte(strings.Repeat(row+"\n", 3<<20/len(row))), "gzip")
	writeBytes := func(name string, data []byte) File {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return File{Name: name, Path: path}
	}
	files := []File{
		{Name: "missing", Path: filepath.Join(dir, "missing")}, {Name: "folder", Path: dir},
		writeBytes("broken.gz", packed[:len(packed)/2]), writeBytes("empty.gz", packed[:0]), writeBytes("head.gz", packed[:5]),
		writeBytes("whole.gz", packed),
	}
	x, err := Open(t.Context(), files, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		rows bool
		err  string
	}{
		{false, "no such file"}, {false, "want a file"}, {true, "the rest of the gzip data"}, {false, "want gzip data, as the name says"}, {false, "the rest of the gzip data"}, {true, ""},
	} {
		s := x.States()[i]
		if s.Rows > 0 != want.rows || (s.Err == nil) != (want.err == "") || s.Err != nil && !strings.Contains(s.Err.Error(), want.err) {
			t.Errorf("%s: want rows: %t, error %q, have %+v", s.Name, want.rows, want.err, s)
		}
		if want.rows {
			if data, err := x.Read(t.Context(), ID{uint32(i), uint32(s.Rows - 1)}); err != nil || string(data) != row {
				t.Errorf("%s: want its last row, have %q, %v", s.Name, data, err)
			}
		}
	}
	if _, err := Open(t.Context(), []File{files[0], files[0]}, Options{Cache: dir}); err == nil {
		t.Error("want a name that stands twice told")
	}
	if _, err := x.Read(t.Context(), ID{99, 0}); !errors.Is(err, ErrUnknown) {
		t.Errorf("want %v, have %v", ErrUnknown, err)
	}
}

// TestAtWaits protects who asks for a row before its file is indexed from the answer that there is none.
func TestAtWaits(t *testing.T) {
	x := open(t, t.TempDir(), writeFile(t, t.TempDir(), "a.jsonl", `{}`, `{}`))
	f := x.files[0]
	x.change(func() { f.Done, f.Rows = false, 0 })
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := x.At(ended, f.Name, 3); !errors.Is(err, ErrNotYet) {
		t.Errorf("want %v, have %v", ErrNotYet, err)
	}
	for _, c := range []struct {
		line int64
		want error
		by   func()
	}{{2, nil, func() { f.Rows = 2 }}, {3, ErrUnknown, func() { f.Done = true }}} {
		var group sync.WaitGroup
		group.Go(func() {
			if row, err := x.At(t.Context(), f.Name, c.line); !errors.Is(err, c.want) || c.want == nil && row.Line != c.line {
				t.Errorf("line %d: want %v, have %+v, %v", c.line, c.want, row, err)
			}
		})
		x.change(c.by)
		group.Wait()
	}
}

// TestQueriesThatAreWrong protects what is said of them.
func TestQueriesThatAreWrong(t *testing.T) {
	x := open(t, t.TempDir())
	for want, q := range map[string]Query{
		`want a column (file, outcome, shape, split, source, task, tag, quality, model, adapter, finish, action, code, step, entity, beside), have "size"`: {In: []In{{"size", nil}}},
		`want a column (size, turns, calls, score), have "split"`: {Between: []Between{{"split", 0, 1}}},
		`want a path, have an empty one`:                          {Paths: []PathIs{{}}},
		`want an order by a column or by a path, have size and x`: {Order: Order{Column: "size", Path: "x"}},
	} {
		if _, err := x.Find(q); err == nil || err.Error() != want {
			t.Errorf("want %s, have %v", want, err)
		}
	}
	if found, err := x.FindAll(t.Context(), Query{Text: "x", Order: Order{Path: "y"}}); err != nil || !found.Done || found.Len() != 0 {
		t.Errorf("want nothing in no file, have %+v, %v", found, err)
	}
}

// TestLongRow protects rows of many blocks: they are found, read and searched like others.
func TestLongRow(t *testing.T) {
	big := `{"messages":[{"role":"user","content":"` + strings.Repeat("lorem 東京 ", 6<<20/13) + `the Needle"}]}`
	f := writeFile(t, t.TempDir(), "a.jsonl", `{"text":"before"}`, big, `{"text":"behind"}`)
	x := open(t, t.TempDir(), f)
	found, err := x.FindAll(t.Context(), Query{Text: "THE NEEDLE", In: []In{{"shape", []string{chatmlShape}}}})
	if err != nil || found.Len() != 1 {
		t.Fatalf("want the long row, have %d, %v", found.Len(), err)
	}
	page, err := found.Page(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := page[0]
	if data, err := x.Read(t.Context(), r.ID); err != nil || string(data) != big || r.Turns != 1 {
		t.Errorf("want the row as it is, have %d bytes, %v, %d turns", len(data), err, r.Turns)
	}
}

// TestWhileIndexing protects the index from being asked, stopped and closed while it reads.
func TestWhileIndexing(t *testing.T) {
	row := `{"messages":[{"role":"user","content":"` + strings.Repeat("lorem ", 50) + `"}]}`
	lines := make([]string, 4_000)
	for i := range lines {
		lines[i] = row[:len(row)-1] + fmt.Sprintf(`,"task":"t%d"}`, i/100)
	}
	dir := t.TempDir()
	files := []File{writeFile(t, dir, "a.jsonl", lines...), writeFile(t, dir, "b.jsonl", lines...)}
	x, err := Open(t.Context(), files, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for rows := 0; rows < 2*len(lines); {
				found, err := x.Find(Query{Text: "LOREM", Order: Order{Path: "n"}, Between: []Between{{"size", float64(i), 1000}}})
				if err != nil || found.Len() < rows || found.Done && found.Len() != 2*len(lines) {
					t.Errorf("want at least %d rows, have %d, %+v, %v", rows, found.Len(), found.Progress, err)
					return
				}
				rows = found.Len()
				page, err := found.Page(rows-1, 1)
				if err != nil {
					t.Error(err)
				}
				for _, r := range page {
					if data, err := x.Read(t.Context(), r.ID); err != nil || !strings.HasPrefix(string(data), row[:len(row)-1]) || len(r.Words("task")) != 1 {
						t.Errorf("%v: %v", r.ID, err)
					}
				}
			}
		})
	}
	group.Wait()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	x, err = Open(ctx, files, Options{Cache: "/dev/null/none"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // more than are kept
		if _, err := x.Find(Query{Text: "none" + strings.Repeat("x", i)}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if s := x.States()[0]; !s.Done || s.Err != nil && !errors.Is(s.Err, context.Canceled) {
		t.Errorf("want it ended, have %+v", s)
	}
}

// TestNothingLeft protects that unpacked copies are gone when the index is closed.
func TestNothingLeft(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.gz")
	if err := os.WriteFile(path, pack(t, []byte(strings.Repeat(`{"text":"x"}`+"\n", 9999)), "gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), []File{{Name: "a", Path: path}}, Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := x.FindAll(t.Context(), Query{Text: "X"}); err != nil || found.Len() != 9999 {
		t.Errorf("want all rows, have %d, %v", found.Len(), err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	err = filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("want nothing left, have %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestByOriginOfJoined holds that a row made of several records is found by each of them, once, and by none when what a run has noted
// is not about the file.
func TestByOriginOfJoined(t *testing.T) {
	for _, c := range []struct {
		rows string
		want map[int64][]int64
	}{
		{"3", map[int64][]int64{1: {1, 2}, 2: {2}, 3: {2}, 4: {2}, 5: {3}}},
		{"4", map[int64][]int64{1: nil, 2: nil, 3: nil}},
	} {
		dir := t.TempDir()
		train := writeFile(t, dir, "train.jsonl", `{"a":1}`, `{"a":2}`, `{"a":3}`)
		writeFile(t, dir, ".sluice/train.jsonl.origins", `{"schema":"sluice.origins.v1"}`, `"in.jsonl"`, `[1,1]`,
			`{"of":["in.jsonl",2,1,3,4]}`, `[2,1]`, `[5,1]`, `{"rows":`+c.rows+`,"bytes":1,"sha256":""}`)
		x := open(t, t.TempDir(), train)
		for line, want := range c.want {
			all, err := x.ByOrigin(host.Origin{File: "in.jsonl", Line: line})
			var have []int64
			for _, r := range all {
				have = append(have, r.Line)
			}
			if diff := cmp.Diff(want, have); diff != "" || err != nil {
				t.Errorf("%s rows noted, line %d: %v (-want +have):\n%s", c.rows, line, err, diff)
			}
		}
		for line, want := range map[int64][]receipt.Position{1: nil, 2: {{File: "in.jsonl", Line: 2}, {File: "in.jsonl", Line: 1}, {File: "in.jsonl", Line: 3}, {File: "in.jsonl", Line: 4}}} {
			if c.rows == "4" {
				want = nil
			}
			row, err := x.At(t.Context(), "train.jsonl", line)
			if err != nil {
				t.Fatal(err)
			}
			have, err := x.MadeOf(row.ID)
			if diff := cmp.Diff(want, have); diff != "" || err != nil {
				t.Errorf("%s rows noted, row %d: %v (-want +have):\n%s", c.rows, line, err, diff)
			}
		}
	}
}

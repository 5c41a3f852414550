package rundiff

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/output"
)

const badCall = `{"code":"bad_call","message":"want a name","path":"messages.3.name","step":"chatml.row","record":{"code":"x"}}`

// TestRuns holds what counts as a difference between two runs, and how it is reported.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		reason string
		a, b   written
		want   string
	}{
		{"the same", written{"train": {`a:1 {"x":1}`, `a:2 {}`}}, written{"train": {`a:1 {"x":1}`, `a:2 {}`}}, "0 differ\n"},
		{"another value", written{"train": {`a:1 {"x":[1]}`}}, written{"train": {`a:1 {"x":[2]}`}},
			"1 changed | train | x.# | a number | another number | a:1 (1 1)\n1 differ\n"},
		{"rows are aligned by their records, not by where they stand",
			written{"train": {`a:1 {}`, `a:3 {"x":1}`, `a:4 {"y":1}`}}, written{"train": {`a:3 {"x":1}`, `a:4 {"y":2}`}},
			"1 changed | train | y | a number | another number | a:4 (3 2)\n1 only_a | train | a:1 (1 0)\n2 differ\n"},
		{"spelling is reported, and no difference", written{"train": {`a:1 {"x":1.0,"y":"é"}`}}, written{"train": {`a:1 {"y":"\u00e9","x":1}`}},
			"1 spelling | train | a:1 (1 1)\n0 differ\n"},
		{"a row that is in another output", written{"train": {`a:1 {}`, `a:2 {}`}, "test": nil}, written{"train": {`a:2 {}`}, "test": {`a:1 {}`}},
			"1 moved | train | test | a:1 (1 1)\n1 differ\n"},
		{"and is another one there", written{"train": {`a:1 {"x":1}`}, "test": nil}, written{"train": nil, "test": {`a:1 {"x":2}`}},
			"1 changed | train | x | a number | another number | a:1 (1 1)\n1 moved | train | test | a:1 (1 1)\n1 differ\n"},
		{"no row moves from one way to another", written{"canonical": {`a:1 {}`}, "train": nil}, written{"canonical": nil, "train": {`a:1 {}`}},
			"1 only_a | canonical | a:1 (1 0)\n1 only_b | train | a:1 (0 1)\n2 differ\n"},
		{"written by one, rejected by the other", written{"train": {`a:1 {}`, `a:2 {}`}, "rejects": nil}, written{"train": {`a:2 {}`}, "rejects": {"a:1 " + badCall}},
			"1 rejected | messages.#.name | written | chatml.row bad_call | a:1 (1 1) want a name\n1 differ\n"},
		{"where a record was rejected says nothing of what is in it", written{"train": {`a:1 {}`}, "rejects": nil},
			written{"train": nil, "rejects": {`a:1 {"code":"x","path":"tools.0.ann@example\\.org","step":"s.t"}`}},
			"1 rejected | tools.#.* | written | s.t x | a:1 (1 1)\n1 differ\n"},
		{"and the other way", written{"train": nil, "rejects": {"a:1 " + badCall}}, written{"train": {`a:1 {}`}, "rejects": nil},
			"1 accepted | messages.#.name | chatml.row bad_call | written | a:1 (1 1) want a name\n1 differ\n"},
		{"a record that was written to two outputs is rejected once",
			written{"canonical": {`a:1 {}`}, "train": {`a:1 {}`}, "rejects": nil}, written{"canonical": nil, "train": nil, "rejects": {"a:1 " + badCall}},
			"1 rejected | messages.#.name | written | chatml.row bad_call | a:1 (1 1) want a name\n2 differ\n"},
		{"a row beside the stream is not rejected", written{"ledger": {`a:1 {}`}, "rejects": nil}, written{"ledger": nil, "rejects": {"a:1 " + badCall}},
			"1 only_a | ledger | a:1 (1 0)\n1 only_b | rejects | a:1 (0 1)\n2 differ\n"},
		{"rejected for another reason", written{"rejects": {`a:1 {"code":"x","step":"s.t","message":"m"}`}}, written{"rejects": {"a:1 " + badCall}},
			"1 changed | rejects | messages.#.name | rejected s.t x | rejected chatml.row bad_call | a:1 (1 1) want a name\n1 differ\n"},
		{"rejected for the same reason, but another record", written{"rejects": {`a:1 {"code":"x","step":"s.t","record":1}`}}, written{"rejects": {`a:1 {"code":"x","step":"s.t","record":2}`}},
			"1 changed | rejects | record | a number | another number | a:1 (1 1)\n1 differ\n"},
		{"of several rejects of a record those of one step belong together",
			written{"rejects": {`a:1 {"code":"x","step":"s.t"}`}}, written{"rejects": {"a:1 " + badCall, `a:1 {"code":"x","step":"s.t"}`}},
			"1 only_b | rejects | a:1 (0 1)\n1 differ\n"},
		{"several rows of a record", written{"train": {`a:1 {"n":0}`, `a:1 {"n":1}`, `a:2 {}`}}, written{"train": {`a:1 {"n":0}`, `a:2 {}`}},
			"1 only_a | train | a:1 (2 0)\n1 differ\n"},
		{"several records on a line", written{"train": {`a:1/0 {"n":0}`, `a:1/1 {"n":1}`, `a:1/2 {"n":2}`}}, written{"train": {`a:1/1 {"n":1}`, `a:1/2 {"n":2}`}},
			"1 only_a | train | a:1 (1 0)\n1 differ\n"},
		{"files that only one has read", written{"train": {`a:9 {}`, `b:1 {}`}}, written{"train": {`b:1 {}`, `c:1 {}`}},
			"1 only_a | train | a:9 (1 0)\n1 only_b | train | c:1 (0 2)\n2 differ\n"},
		{"an output that only one has", written{"train": {`a:1 {}`}, "ledger": {`a:1 {}`}}, written{"train": {`a:1 {}`}},
			"1 only_a | ledger | a:1 (1 0)\n1 differ\n"},
		{"what was said after the last record", written{"ledger": {`a:1 {}`, `- {"sum":1}`, `- {"n":1}`}}, written{"ledger": {`a:1 {}`, `- {"sum":2}`, `- {"n":1}`}},
			"1 changed | ledger | sum | a number | another number | :0 (2 2)\n1 differ\n"},
		{"rows made of several records are in any order", written{"train": {`a:4+5 {"x":1}`, `a:1+9 {}`, `a:2 {}`, `a:3+3 {}`}}, written{"train": {`a:1+3 {}`, `a:2 {}`, `a:4+5 {"x":2}`}},
			"1 changed | train | x | a number | another number | a:4 (1 3)\n1 only_a | train | a:3 (4 0)\n2 differ\n"},
		{"several rows that begin with one record, in a file of another folder", written{"train": {`a/x:2+3 1`, `a/x:2+4 2`, `a/x:1 1`}}, written{"train": {`b/x:2+3 1`, `b/x:2+4 3`, `b/x:1 1`}},
			"1 changed | train | a number | another number | a/x:2 (2 2)\n1 differ\n"},
		{"two files that are shown under one name", written{"train": {`-:1 {}`, `-:2 {}`, `-:1 {"second":1}`}}, written{"train": {`-:2 {}`, `-:1 {"second":2}`}},
			"1 changed | train | second | a number | another number | -:1 (3 2)\n1 only_a | train | -:1 (1 0)\n2 differ\n"},
		{"a file that lies in another folder", written{"train": {`a/x:1 1`}}, written{"train": {`b/x:1 1`}}, "0 differ\n"},
		{"two files that lie in other folders", written{"train": {`a/x:1 1`, `b/x:1 2`}}, written{"train": {`c/x:1 1`}},
			"2 only_a | train | a/x:1 (1 0) | b/x:1 (2 0)\n1 only_b | train | c/x:1 (0 1)\n3 differ\n"},
		{"four rows have three examples", written{"train": {`a:1 1`, `a:2 1`, `a:3 1`, `a:4 1`}}, written{"train": {`a:1 null`, `a:2 null`, `a:3 null`, `a:4 null`}},
			"4 changed | train | a number | null | a:1 (1 1) | a:2 (2 2) | a:3 (3 3)\n4 differ\n"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel() // they wait for the disk
			dir := t.TempDir()
			r, err := compareRuns(t.Context(), pairsOf(write(t, dir+"/a", c.a), write(t, dir+"/b", c.b)), settings{})
			if err != nil {
				t.Fatal(err)
			}
			wantTold(t, c.reason, c.want, r)
		})
	}
}

// TestCompressed holds that outputs are compared as they read, not as they lie on disk.
func TestCompressed(t *testing.T) {
	dir := t.TempDir()
	plain := write(t, dir+"/a", written{"rows.jsonl": {`a:1 {"x":1}`, `a:2 "` + strings.Repeat("long", 300_000) + `"`, `a:3 []`}})
	packed := write(t, dir+"/b", written{"rows.jsonl.zst": {`a:1 {"x":1}`, `a:2 "` + strings.Repeat("long", 300_000) + `"`, `a:3 []`}})
	zipped := write(t, dir+"/c", written{"rows.jsonl.gz": {`a:1 {"x":1}`, `a:2 "` + strings.Repeat("long", 299_999) + `?"`, `a:3 []`}})
	for _, c := range []struct {
		reason string
		a, b   []*outputFile
		want   string
	}{
		{"plain and zstd", plain["rows.jsonl"], packed["rows.jsonl.zst"], "0 differ\n"},
		{"zstd and gzip", packed["rows.jsonl.zst"], zipped["rows.jsonl.gz"], "1 changed | rows | a string | another string | a:2 (2 2)\n1 differ\n"},
	} {
		r, err := compareRuns(t.Context(), []outputPair{{Name: "rows", A: c.a, B: c.b}}, settings{})
		if err != nil {
			t.Fatal(err)
		}
		wantTold(t, c.reason, c.want, r)
	}
}

// TestRunsFiles holds how the files of two runs are put into one order, whatever they are called.
func TestRunsFiles(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir+"/a", written{"train": {`x:1 1`, `y:1 2`}})
	b := write(t, dir+"/b", written{"train": {`z:1 1`, `y:1 3`}})
	r, err := compareRuns(t.Context(), pairsOf(a, b), settings{FilesA: []string{"x", "y"}, FilesB: []string{"x", "y"}, RenamedB: map[string]string{"z": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, "a file that has another name in B", "1 changed | train | a number | another number | y:1 (2 2)\n1 differ\n", r)
	a, b = write(t, dir+"/c", written{"rejects": {`x:1 {"file":"x"}`}}), write(t, dir+"/d", written{"rejects": {`z:1 {"file":"z"}`}})
	r, err = compareRuns(t.Context(), pairsOf(a, b), settings{FilesA: []string{"x"}, FilesB: []string{"x"}, RenamedB: map[string]string{"z": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, "a row that says the name", "0 differ\n", r)
	a, b = write(t, dir+"/a", written{"train": {`x:1 1`, `y:1 2`}}), write(t, dir+"/b", written{"train": {`z:1 1`, `y:1 3`}})
	r, err = compareRuns(t.Context(), pairsOf(a, b), settings{FilesA: []string{"x", "y"}, FilesB: []string{"z", "y"}})
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, "a file that the other has not read", "1 changed | train | a number | another number | y:1 (2 2)\n"+
		"1 only_a | train | its file was not read by the other | x:1 (1 0)\n1 only_b | train | its file was not read by the other | z:1 (0 1)\n3 differ\n", r)
	if _, err := compareRuns(t.Context(), pairsOf(a, b), settings{FilesA: []string{"x", "y"}, FilesB: []string{"y", "x"}}); err == nil || !strings.Contains(err.Error(), "want two runs that read their files in one order") {
		t.Errorf("want an error about orders that do not agree, have %v", err)
	}
	if _, err := compareRuns(t.Context(), pairsOf(a, b), settings{FilesA: []string{"y"}, FilesB: []string{"y"}}); err == nil || !strings.Contains(err.Error(), "want rows in the order of the input") {
		t.Errorf("want an error about a row of a file that was not read, have %v", err)
	}
}

// TestRunsChanged holds that rows that are not those of their run are not compared.
func TestRunsChanged(t *testing.T) {
	for _, c := range []struct {
		reason string
		spoil  func(path string) error
		want   string
	}{
		{"another row", func(path string) error { return os.WriteFile(path, []byte("{\"x\":1}\n[1]\n"), 0o666) }, "want the file that the run wrote"},
		{"a row less", func(path string) error { return os.WriteFile(path, []byte("{}\n"), 0o666) }, "want the file that the run wrote"},
		{"a row more", func(path string) error { return os.WriteFile(path, []byte("{}\n[1]\n[]\n"), 0o666) }, "want the file that the run wrote"},
		{"no origins", func(path string) error { return os.Remove(output.OriginsPath(path)) }, "want the origins of its rows"},
		{"no file", os.Remove, "no such file"},
		{"the origins of another run", func(path string) error {
			text, err := os.ReadFile(output.OriginsPath(path))
			if err != nil {
				return err
			}
			return os.WriteFile(output.OriginsPath(path), []byte(strings.Replace(string(text), `"a"`, `"b"`, 1)), 0o666)
		}, "want the origins that the run wrote"},
	} {
		dir := t.TempDir()
		rows := written{"train": {`a:1 {}`, `a:2 [1]`}}
		a, b := write(t, dir+"/a", rows), write(t, dir+"/b", rows)
		if err := c.spoil(filepath.Join(dir, "b", "train")); err != nil {
			t.Fatal(err)
		}
		if _, err := compareRuns(t.Context(), pairsOf(a, b), settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

// TestRows holds what is written of rows that differ.
func TestRows(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir+"/a", written{"train": {`a:1 {"x":1}`, `a:2 []`, `a:3 none`, `a:4 1`}})
	b := write(t, dir+"/b", written{"train": {`a:1 {"x":2}`, `a:3 neither`, `a:4 1.0`}})
	var have strings.Builder
	_, err := compareRuns(t.Context(), pairsOf(a, b), settings{Rows: func(row []byte) error {
		have.Write(append(row, '\n'))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"changed","file":"a","line":1,"a":{"output":"train","line":1,"row":{"x":1}},"b":{"output":"train","line":1,"row":{"x":2}}}
{"kind":"only_a","file":"a","line":2,"a":{"output":"train","line":2,"row":[]},"b":null}
{"kind":"changed","file":"a","line":3,"a":{"output":"train","line":3,"row":"none"},"b":{"output":"train","line":2,"row":"neither"}}
{"kind":"spelling","file":"a","line":4,"a":{"output":"train","line":4,"row":1},"b":{"output":"train","line":3,"row":1.0}}
`
	if have.String() != want {
		t.Errorf("want\n%s, have\n%s", want, have.String())
	}
}

// TestSequences holds that files one behind the other are compared as one, wherever they are cut.
func TestSequences(t *testing.T) {
	a := write(t, t.TempDir(), written{"all": {`a:1 1`, `a:1 2`, `a:1 3`, `a:2 4`, `a:1+2 5`, `a:1 6`}})
	for _, c := range []struct {
		reason string
		files  written // first to third
		apart  bool
		want   string
	}{
		{"between the rows of one record", written{"first": {`a:1 1`}, "second": {`a:1 2`}, "third": {`a:1 3`, `a:2 4`, `a:1+2 5`, `a:1 6`}}, false, "0 differ\n"},
		{"with a file without rows", written{"first": {`a:1 1`, `a:1 2`, `a:1 3`}, "second": nil, "third": {`a:2 4`, `a:1+2 5`, `a:1 6`}}, false, "0 differ\n"},
		{"between files of the input whose names are masked alike", written{"first": {`a:1 1`, `a:1 2`, `a:1 3`, `a:2 4`, `a:1+2 5`}, "second": nil, "third": {`a:1 6`}}, true, "0 differ\n"},
		{"with another row, by its line in all of them", written{"first": {`a:1 1`, `a:1 2`, `a:1 3`}, "second": {`a:2 "4"`}, "third": {`a:1+2 "5"`, `a:1 6`}}, false,
			"2 changed | rows | a number | a string | a:1 (5 5) | a:2 (4 4)\n2 differ\n"},
		{"without one row", written{"first": {`a:1 1`, `a:1 2`}, "second": {`a:1 3`}, "third": {`a:2 4`, `a:1 6`}}, false, "1 only_a | rows | a:1 (5 0)\n1 differ\n"},
	} {
		b := write(t, t.TempDir(), c.files)
		b["third"][0].apart = c.apart
		pairs := []outputPair{{Name: "rows", A: a["all"], B: slices.Concat(b["first"], b["second"], b["third"])}}
		r, err := compareRuns(t.Context(), pairs, settings{FilesA: []string{"a", "a"}, FilesB: []string{"a", "a"}})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		wantTold(t, c.reason, c.want, r)
	}
}

package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/wire"
)

// noted is a set that notes origins.
func noted(t *testing.T) *Set {
	t.Helper()
	s := newSet(t)
	s.opts.Origins = true
	return s
}

func rowOf(o Origin) wire.Record {
	return wire.Record{Data: []byte("{}"), File: o.File, Line: o.Line, OfLine: o.OfLine, Origins: o.Of}
}

func of(more int64, places ...wire.Pos) *wire.Origins { return &wire.Origins{List: places, More: more} }

// readOrigins gives the origins of an output's rows.
func readOrigins(t *testing.T, path string) (all []Origin, end Summary) {
	t.Helper()
	r, err := OpenOrigins(path)
	must(t, err)
	defer r.Close()
	for {
		o, err := r.Next()
		if err == io.EOF {
			end, _ = r.Summary()
			return all, end
		}
		must(t, err)
		all = append(all, o)
	}
}

// TestOrigins holds what lies beside an output, and that reading gives what was noted.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		reason string
		rows   []Origin
		want   string // but for the last line
	}{
		{"no rows", nil, ""},
		{"rows in step are one run", []Origin{{"a", 1, 0, 0, nil}, {"a", 2, 0, 0, nil}, {"a", 3, 0, 0, nil}}, "\"a\"\n[1,3]\n"},
		{"a gap ends a run", []Origin{{"a", 1, 0, 0, nil}, {"a", 3, 0, 0, nil}}, "\"a\"\n[1,1]\n[3,1]\n"},
		{"another file has its name told", []Origin{{"a", 7, 0, 0, nil}, {"b\n", 8, 0, 0, nil}}, "\"a\"\n[7,1]\n\"b\\n\"\n[8,1]\n"},
		{"several rows of one record", []Origin{{"a", 1, 0, 0, nil}, {"a", 1, 0, 1, nil}, {"a", 2, 0, 0, nil}}, "\"a\"\n[1,1]\n[1,2,0,1]\n"},
		{"records on one line", []Origin{{"a", 1, 2, 0, nil}, {"a", 1, 3, 0, nil}, {"a", 1, 3, 1, nil}}, "\"a\"\n[1,1,2]\n[1,1,3]\n[1,1,3,1]\n"},
		{"rows made of several records, between others", []Origin{
			{"a", 1, 0, 0, nil}, {"a", 2, 0, 0, of(0, wire.Pos{File: "a", Line: 2}, wire.Pos{File: "a", Line: 9})}, {"a", 3, 0, 0, nil}, {"a", 4, 0, 0, nil},
		}, "\"a\"\n[1,1]\n{\"of\":[\"a\",2,9]}\n[2,1]\n[3,2]\n"},
		{"of records in several files, and of one", []Origin{
			{"b", 7, 0, 0, of(5, wire.Pos{File: "b", Line: 7}, wire.Pos{File: "a\n", Line: 1}, wire.Pos{File: "b", Line: 8})}, {"b", 2, 0, 0, of(0, wire.Pos{File: "b", Line: 2})},
		}, "\"b\"\n{\"of\":[\"b\",7,\"a\\n\",1,\"b\",8],\"more\":5}\n[7,1]\n{\"of\":[\"b\",2]}\n[2,1]\n"},
		{"several that begin with one record", []Origin{
			{"a", 2, 0, 0, of(0, wire.Pos{File: "a", Line: 2}, wire.Pos{File: "a", Line: 3})}, {"a", 2, 0, 1, of(0, wire.Pos{File: "a", Line: 2}, wire.Pos{File: "a", Line: 4})}, {"a", 2, 0, 0, nil},
		}, "\"a\"\n{\"of\":[\"a\",2,3]}\n[2,1]\n{\"of\":[\"a\",2,4]}\n[2,1,0,1]\n[2,1]\n"},
		{"what was said after the last record", []Origin{{"a", 9, 0, 0, nil}, {"", 0, 0, 0, nil}, {"", 0, 0, 1, nil}}, "\"a\"\n[9,1]\n\"\"\n[0,1]\n[0,1,0,1]\n"},
	} {
		inFolder(t, nil, nil)
		s := noted(t)
		sink := addSink(t, s, "sink", "out/rows.jsonl.gz")
		prepare(t, s)
		for _, o := range c.rows {
			must(t, sink.Write([]wire.Record{rowOf(o)}))
		}
		file := finish(t, s)[0]
		must(t, s.Commit())
		want := "{\"schema\":\"sluice.origins.v1\",\"hash\":\"blake3\"}\n" + c.want +
			fmt.Sprintf("{\"rows\":%d,\"bytes\":%d,\"blake3\":%q}\n", len(c.rows), file.Bytes, file.BLAKE3)
		have, err := os.ReadFile("out/.sluice/rows.jsonl.gz.origins")
		must(t, err)
		if diff := cmp.Diff(want, string(have)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if sum := sumOf(have); file.Origins.Sum != sum || file.Origins.Path != filepath.FromSlash("out/.sluice/rows.jsonl.gz.origins") {
			t.Errorf("%s: want path and sum %s told, have %v", c.reason, sum, file.Origins)
		}
		rows, end := readOrigins(t, "out/rows.jsonl.gz")
		if diff := cmp.Diff(c.rows, rows); diff != "" || end != (Summary{file.Records, file.Bytes, file.Sum}) {
			t.Errorf("%s: have %v, read (-want +have):\n%s", c.reason, end, diff)
		}
	}
}

// TestOriginsOfManyRows holds that origins that do not fit into memory are written on the way.
func TestOriginsOfManyRows(t *testing.T) {
	inFolder(t, nil, nil)
	s := noted(t)
	sink := addSink(t, s, "sink", "rows.jsonl")
	prepare(t, s)
	const n = 20_000
	for i := range int64(n) {
		must(t, sink.Write([]wire.Record{rowOf(Origin{"a", 2*i + 1, 0, 0, nil})}))
	}
	if have := len(sink.only.current().origins.text); have > 2*originsBuffer {
		t.Errorf("want little held back, have %d bytes", have)
	}
	finish(t, s)
	must(t, s.Commit())
	if rows, _ := readOrigins(t, "rows.jsonl"); len(rows) != n || rows[n-1] != (Origin{"a", 2*n - 1, 0, 0, nil}) {
		t.Errorf("want %d rows, have %d", n, len(rows))
	}
}

// TestOriginsOfLabels holds that each file of a labelled sink has its own, and that a run that is not committed leaves none.
func TestOriginsOfLabels(t *testing.T) {
	for _, commit := range []bool{true, false} {
		inFolder(t, nil, nil)
		s := noted(t)
		sink := addSink(t, s, "sink", "{split}.jsonl")
		prepare(t, s)
		must(t, sink.Write([]wire.Record{split("x", "1"), split("y", "2")}))
		finish(t, s)
		if !commit {
			must(t, s.Abort())
			wantTree(t, map[string]string{})
			continue
		}
		must(t, s.Commit())
		if rows, _ := readOrigins(t, "y.jsonl"); len(rows) != 1 || rows[0] != (Origin{"in", 3, 0, 0, nil}) {
			t.Errorf("have %v", rows)
		}
	}
}

// TestOriginsClaim holds that nobody else reads where origins go, and that nothing is noted of a pipe or of a name
// that is too long.
func TestOriginsClaim(t *testing.T) {
	inFolder(t, map[string]string{"file/.sluice": "no folder", "out/.sluice/b.jsonl.origins": "an input"}, nil)
	s := noted(t)
	addSink(t, s, "a", "out/a.jsonl")
	must(t, s.Reads(Claim{What: "input", Path: "out/.sluice/a.jsonl.origins"}))
	must(t, s.Reads(Claim{What: "input", Path: "out/.sluice/b.jsonl.origins"}))
	addSink(t, s, "c", "out/b.jsonl")
	if have := len(s.Conflicts()); have != 2 {
		t.Errorf("want 2 conflicts, have %v", s.Conflicts())
	}
	if _, err := s.Sink("jsonl", Claim{What: "d", Path: "file/d.jsonl"}); err == nil || !strings.Contains(err.Error(), ".sluice") {
		t.Errorf("want no folder where a file is, have %v", err)
	}
	for _, path := range []string{"-", os.DevNull, strings.Repeat("x", 250)} {
		if t2, err := s.originsTarget(&target{path: path, real: map[bool]string{true: path}[len(path) > 100]}); t2 != nil || err != nil {
			t.Errorf("%.10s: want no origins, have %v, %v", path, t2, err)
		}
	}
}

// TestOriginsName holds that origins are read by the algorithm that they name, and those of older runs, which name none, by SHA-256.
func TestOriginsName(t *testing.T) {
	for algorithm, head := range map[string]string{
		filehash.SHA256: "{\"schema\":\"sluice.origins.v1\"}\n",
		filehash.XXH3:   "{\"schema\":\"sluice.origins.v1\",\"hash\":\"xxh3\"}\n",
	} {
		text := head + "\"in\"\n[1,2]\n{\"rows\":2,\"bytes\":1,\"" + algorithm + "\":\"00ff\"}\n"
		inFolder(t, map[string]string{".sluice/a.origins": text}, nil)
		r, err := OpenOrigins("a")
		must(t, err)
		for err == nil {
			_, err = r.Next()
		}
		whole := filehash.New(algorithm)
		whole.Write([]byte(text))
		if end, own := r.Summary(); err != io.EOF || end.Sum != filehash.Of(algorithm, "00ff") || own != whole.Result() || r.Algorithm() != algorithm {
			t.Errorf("%s: have %s of the rows and %s of the origins (%v), want 00ff and %s", algorithm, end.Named(), own.Named(), err, whole.Result().Named())
		}
		must(t, r.Close())
	}
}

// TestOriginsRefused holds that what no run has left is told with its line.
func TestOriginsRefused(t *testing.T) {
	const head = "{\"schema\":\"sluice.origins.v1\"}\n"
	for _, c := range []struct{ reason, text, want string }{
		{"not there", "", "want the origins of its rows"},
		{"another schema", "{}\n", ":1: want schema sluice.origins.v1"},
		{"another hash", "{\"schema\":\"sluice.origins.v1\",\"hash\":\"md5\"}\n", ":1: want a hash of blake3, sha256, xxh3"},
		{"no JSON", head + "x\n", ":2: want a line of JSON"},
		{"an end that is missing", head + "[1,1]\n", ":3: want a line of JSON"},
		{"no figures", head + "[1,\"2\"]\n", ":2: want a run of rows"},
		{"too many figures", head + "[1,2,3,4,5]\n", ":2: want a run of rows"},
		{"a run of none", head + "[1,0]\n", ":2: want a run of at least one row"},
		{"origins that are no places", head + "{\"of\":[]}\n", ":2: want the places of records"},
		{"a wrong count", head + "[1,2]\n{\"rows\":3,\"bytes\":1,\"sha256\":\"\"}\n", ":3: want 3 rows"},
		{"more behind the end", head + "{\"rows\":0,\"bytes\":1,\"sha256\":\"\"}\n[1,1]\n", ":2: want the end of the file"},
	} {
		files := map[string]string{".sluice/a.origins": c.text}
		if c.text == "" {
			files = nil
		}
		inFolder(t, files, nil)
		r, err := OpenOrigins("a")
		if err == nil {
			for err == nil {
				_, err = r.Next()
			}
			must(t, r.Close())
		}
		if !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNoOrigins) != (c.text == "") {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

// FuzzOrigins holds that what is read of any rows is what was noted: each two bytes are a row, of the same or another record
// than the last.
func FuzzOrigins(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x01\x01\x02\x03\x07"))
	f.Add([]byte("\x00\x00\x00\x00\x02\x00\xff\xff"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, steps []byte) {
		path := filepath.Join(dir, "rows")
		must(t, os.MkdirAll(filepath.Join(dir, sidecarFolder), 0o777))
		to, err := os.Create(OriginsPath(path))
		must(t, err)
		o := origins{file: &file{to: to, file: to, target: &target{path: path, real: path}, notDurable: true, digest: newDigest("sha256")}}
		o.text = []byte("{\"schema\":\"" + originsSchema + "\"}\n")
		var want []Origin
		at := Origin{File: "a"}
		for i := 0; i+1 < len(steps); i += 2 {
			if steps[i]%4 == 3 {
				at = Origin{File: string(rune('a' + steps[i+1]%3)), Line: int64(steps[i+1])}
			} else {
				at = Origin{File: at.File, Line: at.Line + int64(steps[i]%4), OfLine: uint32(steps[i+1] % 3)}
			}
			if last := len(want) - 1; last >= 0 && at == (Origin{want[last].File, want[last].Line, want[last].OfLine, 0, nil}) {
				at.Row = want[last].Row + 1
			}
			want = append(want, at)
			r := rowOf(at)
			o.note(&r)
		}
		_, err = o.finish(&theDisk, &File{Records: int64(len(want))})
		must(t, err)
		have, _ := readOrigins(t, path)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	})
}

// FuzzOriginReader holds that no text makes the reader panic or go on without end.
func FuzzOriginReader(f *testing.F) {
	f.Add("\"a\"\n[1,9223372036854775807]\n[2,2,3,4]\n{\"rows\":1}\n")
	f.Add("\"a\"\n{\"of\":[\"a\",1,\"b\",{}],\"more\":2}\n[1,2]\n{\"rows\":2}\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "rows")
		must(t, os.MkdirAll(filepath.Join(dir, sidecarFolder), 0o777))
		must(t, os.WriteFile(OriginsPath(path), []byte("{\"schema\":\""+originsSchema+"\"}\n"+text), 0o666))
		r, err := OpenOrigins(path)
		must(t, err)
		defer r.Close()
		for n := 0; err == nil; n++ {
			if _, _, err = r.NextRun(); n > len(text) {
				t.Fatal("want an end")
			}
		}
	})
}

func BenchmarkOrigins(b *testing.B) {
	for _, c := range []struct {
		name string
		step int64
	}{{"in step", 1}, {"each apart", 2}} {
		b.Run(c.name, func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "origins"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			o := origins{file: &file{to: f, target: &target{real: "x"}}}
			r := wire.Record{File: "a"}
			for b.Loop() {
				r.Line += c.step
				o.note(&r)
			}
		})
	}
}

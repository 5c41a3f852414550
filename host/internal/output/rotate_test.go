package output

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// rotating makes a sink whose files hold so much, prepared.
func rotating(t *testing.T, path string, most Rotate) (*Set, *Sink) {
	t.Helper()
	s := New(Options{Run: testRun, Origins: true})
	t.Cleanup(func() { must(t, s.Abort()) })
	sink, err := s.Sink("jsonl", Claim{What: "a", Path: path, Rotate: most})
	must(t, err)
	prepare(t, s)
	return s, sink
}

// outputs lists the files of the folder but for what is in hidden folders, decompressed.
func outputs(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name := range tree(t) {
		if !strings.Contains(name, ".sluice/") {
			found[name] = unzip(t, name)
		}
	}
	return found
}

// A file holds no more than it may, in rows or in bytes before compression, except for one large row. Which rows it holds
// depends neither on batches nor on the compression.
func TestRotate(t *testing.T) {
	for _, tt := range []struct {
		reason string
		most   Rotate
		lines  []string
		want   []string
	}{
		{"no rows", Rotate{Rows: 2}, nil, []string{""}},
		{"fewer rows than one file holds", Rotate{Rows: 2}, []string{"1"}, []string{"1\n"}},
		{"as many rows as one file holds", Rotate{Rows: 2}, []string{"1", "2"}, []string{"1\n2\n"}},
		{"one row more", Rotate{Rows: 2}, []string{"1", "2", "3"}, []string{"1\n2\n", "3\n"}},
		{"a row a file", Rotate{Rows: 1}, []string{"1", "2", "3"}, []string{"1\n", "2\n", "3\n"}},
		{"as many bytes as one file holds", Rotate{Bytes: 4}, []string{"1", "2"}, []string{"1\n2\n"}},
		{"bytes up to the bound", Rotate{Bytes: 5}, []string{"1", "2", "3"}, []string{"1\n2\n", "3\n"}},
		{"a row larger than the bound is never split", Rotate{Bytes: 4}, []string{"1", "22222", "3", "4"}, []string{"1\n", "22222\n", "3\n4\n"}},
		{"bytes are those that are written", Rotate{Bytes: 4}, []string{"[\n\n1]", "2"}, []string{"[1]\n", "2\n"}},
	} {
		for _, ext := range []string{".jsonl", ".jsonl.gz", ".jsonl.zst"} {
			for _, step := range []int{1, 2, 10} {
				t.Chdir(t.TempDir())
				s, sink := rotating(t, "out"+ext, tt.most)
				for from := 0; from < len(tt.lines); from += step {
					must(t, sink.Write(records(tt.lines[from:min(from+step, len(tt.lines))]...)))
				}
				files := finish(t, s)
				must(t, s.Commit())
				want := map[string]string{}
				for i, text := range tt.want {
					name := fmt.Sprintf("out-%05d%s", i+1, ext)
					want[name] = text
					if f := files[i]; f.Path != name || f.Records != int64(strings.Count(text, "\n")) || f.Origins == nil {
						t.Errorf("%s: have %+v, want %s", tt.reason, f, name)
					}
				}
				if diff := cmp.Diff(want, outputs(t)); diff != "" || len(files) != len(tt.want) {
					t.Errorf("%s, batches of %d: %d files, %s", tt.reason, step, len(files), diff)
				}
			}
		}
	}
}

// Each value of a label has files and numbers of its own, and more files than a sink may have open.
func TestRotateLabels(t *testing.T) {
	inFolder(t, nil, nil)
	s, sink := rotating(t, "out/{split}.jsonl", Rotate{Rows: 1})
	s.disk.sync = func(*os.File) error { return nil } // a thousand times would take seconds
	for range maxOpen {
		must(t, sink.Write([]wire.Record{split("train", "1")}))
	}
	must(t, sink.Write([]wire.Record{split("test", "3"), split("train", "2"), split("test", "4")}))
	files := finish(t, s)
	must(t, s.Commit())
	if n := maxOpen + 3; len(files) != n {
		t.Fatalf("want %d files, have %d", n, len(files))
	}
	for i, want := range map[int]string{0: "out/test-00001.jsonl", 1: "out/test-00002.jsonl", maxOpen + 2: "out/train-00513.jsonl"} {
		if data, err := os.ReadFile(want); files[i].Path != want || err != nil || files[i].Sum != sumOf(data) {
			t.Errorf("file %d: want %s, have %+v, %v", i, want, files[i], err)
		}
	}
}

// The origins of each file are those of its rows.
func TestRotateOrigins(t *testing.T) {
	inFolder(t, nil, nil)
	s, sink := rotating(t, "out.jsonl", Rotate{Rows: 2})
	for line := range 3 {
		must(t, sink.Write([]wire.Record{{Data: []byte("1"), File: "in", Line: int64(line + 1)}}))
	}
	finish(t, s)
	must(t, s.Commit())
	r, err := OpenOrigins("out-00002.jsonl")
	must(t, err)
	defer r.Close()
	if at, err := r.Next(); err != nil || at.String() != "in:3" {
		t.Errorf("have %v, %v", at, err)
	}
}

// A run that ends early leaves nothing, also of files that were whole.
func TestRotateAbort(t *testing.T) {
	inFolder(t, nil, nil)
	s, sink := rotating(t, "out/a.jsonl.zst", Rotate{Rows: 1})
	must(t, sink.Write(records("1", "2", "3")))
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}

// Names with numbers that two could write, or that one reads, are found before anything runs where the paths are known, and
// by the record otherwise.
func TestRotateConflicts(t *testing.T) {
	rows := Rotate{Rows: 1}
	for _, tt := range []struct {
		reason string
		claims []Claim // a Rotate below 0: it is read
		want   string
	}{
		{"one path", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "./a.jsonl", Rotate: rows}}, `want a path of its own, have "./a-00001.jsonl", which 0 writes as "a-00001.jsonl"`},
		{"one path without numbers", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "a.jsonl"}}, ""},
		{"another ending", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "a.jsonl.gz", Rotate: rows}}, ""},
		{"a name with a number", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "a-00007.jsonl"}}, `want a path of its own, have "a-00007.jsonl", which 0 writes as "a-NNNNN.jsonl"`},
		{"and the other way", []Claim{{Path: "a-00007.jsonl"}, {Path: "a.jsonl", Rotate: rows}}, `want a path of its own, have "a-NNNNN.jsonl", which 0 writes as "a-00007.jsonl"`},
		{"a name with another number", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "a-007.jsonl"}, {Path: "a-000007.jsonl"}, {Path: "a-00000.jsonl"}}, ""},
		{"an input", []Claim{{Path: "a-00002.jsonl", Rotate: Rotate{Rows: -1}}, {Path: "a.jsonl", Rotate: rows}}, `want a path of its own, have "a-NNNNN.jsonl", which 0 reads as "a-00002.jsonl"`},
		{"an input that comes later", []Claim{{Path: "a.jsonl", Rotate: rows}, {Path: "a-00002.jsonl", Rotate: Rotate{Rows: -1}}}, `want a path of its own, have "a-NNNNN.jsonl", which 1 reads as "a-00002.jsonl"`},
		{"one pattern", []Claim{{Path: "{k}.jsonl", Rotate: rows}, {Path: "{k}.jsonl", Rotate: rows}}, `want a path of its own, have "{k}.jsonl", which 0 writes`},
		{"one pattern, one without numbers", []Claim{{Path: "{k}.jsonl", Rotate: rows}, {Path: "{k}.jsonl"}}, ""},
	} {
		inFolder(t, nil, nil)
		s := newSet(t)
		for i, c := range tt.claims {
			c.What, c.Tag = fmt.Sprint(i), i
			if c.Rotate.Rows < 0 {
				must(t, s.Reads(c))
				continue
			}
			_, err := s.Sink("jsonl", c)
			must(t, err)
		}
		have := ""
		for _, c := range s.Conflicts() {
			have = c.Message
		}
		if have != tt.want || len(s.Conflicts()) > 1 {
			t.Errorf("%s: want %q, have %q of %d", tt.reason, tt.want, have, len(s.Conflicts()))
		}
	}

	inFolder(t, nil, nil)
	s := newSet(t)
	_, err := s.Sink("jsonl", Claim{What: "fixed", Path: "a.jsonl", Rotate: rows})
	must(t, err)
	_ = addSink(t, s, "one", "b-00003.jsonl")
	plain := addSink(t, s, "plain", "{split}.jsonl")
	numbered, err := s.Sink("jsonl", Claim{What: "numbered", Path: "{split}.jsonl", Rotate: rows})
	must(t, err)
	prepare(t, s)
	for _, tt := range []struct {
		sink       *Sink
		value, own string
	}{
		{plain, "a-00002", "one that fixed writes"}, {plain, "c", ""},
		{numbered, "a", "one that fixed writes"}, {numbered, "b", "one that one writes"}, {numbered, "b", "one that one writes"}, {numbered, "c", ""},
	} {
		r := split(tt.value, "1")
		have := ""
		if fault := tt.sink.Accepts(&r); fault != nil {
			have = fault.Message
		}
		want := ""
		if tt.own != "" {
			want = "want labels that lead to a file of the sink's own, have " + tt.own
		}
		if have != want {
			t.Errorf("%s: want %q, have %q", tt.value, want, have)
		}
	}
}

// What is written as one file does not rotate.
func TestRotateRefused(t *testing.T) {
	inFolder(t, nil, nil)
	for _, c := range []Claim{{Path: "-"}, {Path: os.DevNull}, {Path: "a.jsonl", KeepFailed: true}} {
		c.Rotate = Rotate{Rows: 1}
		if _, err := newSet(t).Sink("jsonl", c); err == nil || !strings.Contains(err.Error(), "without rotation") {
			t.Errorf("%s: have %v", c.Path, err)
		}
	}
}

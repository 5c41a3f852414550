package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/sdk/wire"
)

// run writes records into one sink and commits.
func run(t *testing.T, path string, batches ...[]wire.Record) []File {
	t.Helper()
	s := newSet(t)
	sink := addSink(t, s, "a", path)
	prepare(t, s)
	for _, batch := range batches {
		must(t, sink.Write(batch))
	}
	files := finish(t, s)
	must(t, s.Commit())
	return files
}

func unzip(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	var r io.Reader = bytes.NewReader(data)
	switch {
	case strings.HasSuffix(name, ".gz"):
		r, err = gzip.NewReader(r)
	case strings.HasSuffix(name, ".zst"):
		var z *zstd.Decoder
		z, err = zstd.NewReader(r)
		must(t, err)
		defer z.Close()
		r = z
	}
	must(t, err)
	data, err = io.ReadAll(r)
	must(t, err)
	return string(data)
}

// A sink without records leaves a file that can be read.
func TestEmptyOutput(t *testing.T) {
	for _, name := range []string{"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"} {
		t.Chdir(t.TempDir())
		if files := run(t, name); len(files) != 1 || files[0].Records != 0 {
			t.Errorf("%s: have %+v", name, files)
		}
		if have := unzip(t, name); have != "" {
			t.Errorf("%s: have %q", name, have)
		}
	}
}

// The same records give the same bytes, however they come in batches.
func TestCompressedOutput(t *testing.T) {
	var all []wire.Record
	var want strings.Builder
	for i := range 3000 {
		line := fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("word ", i%300))
		all = append(all, wire.Record{Data: []byte(line)})
		want.WriteString(line + "\n")
	}
	for _, name := range []string{"out.jsonl.gz", "out.jsonl.zst"} {
		var first []File
		for _, step := range []int{1, 7, 4000} {
			t.Chdir(t.TempDir())
			var batches [][]wire.Record
			for from := 0; from < len(all); from += step {
				batches = append(batches, all[from:min(from+step, len(all))])
			}
			files := run(t, name, batches...)
			if first == nil {
				first = files
			}
			if diff := cmp.Diff(first, files); diff != "" {
				t.Errorf("batches of %d: %s", step, diff)
			}
			if unzip(t, name) != want.String() {
				t.Errorf("%s: other records come back", name)
			}
			data, err := os.ReadFile(name)
			must(t, err)
			if files[0].Sum != sumOf(data) || files[0].Records != 3000 {
				t.Errorf("have %+v", files[0])
			}
		}
	}
}

func TestLabels(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "a", "out/{a}/{split}.jsonl")
	if diff := cmp.Diff([]string{"a", "split"}, sink.Labels()); diff != "" {
		t.Error(diff)
	}
	prepare(t, s)
	must(t, sink.Write([]wire.Record{split("train", "1"), split("test", "2"), split("train", "3")}))
	finish(t, s)
	must(t, s.Commit())
	wantTree(t, map[string]string{"out/x/test.jsonl": "2\n", "out/x/train.jsonl": "1\n3\n"})
}

func TestWritingFailures(t *testing.T) {
	t.Run("a full disk", func(t *testing.T) {
		const full = "/dev/full"
		if _, err := os.Stat(full); err != nil {
			return // only where the system has the device
		}
		s := newSet(t)
		sink := addSink(t, s, "a", full)
		prepare(t, s)
		if err := sink.Write(records(strings.Repeat("1", 1<<20))); err == nil || err.Error() != full+": no space left on device" {
			t.Errorf("have %v", err)
		}
		if err := sink.Write(records("1")); err == nil {
			t.Error("it goes on writing")
		}
		if _, err := s.Finish(); err == nil {
			t.Error("it finishes all the same")
		}
	})
	t.Run("a record without the label", func(t *testing.T) {
		inFolder(t, nil, nil)
		s := newSet(t)
		sink := addSink(t, s, "a", "{b}")
		prepare(t, s)
		err := sink.Write([]wire.Record{split("x", "1")})
		if want := `in:3: want label "b", which the sink's path names, have a record without it`; err == nil || err.Error() != want {
			t.Errorf("have %v", err)
		}
	})
	t.Run("the folder is gone", func(t *testing.T) {
		inFolder(t, nil, nil)
		s := newSet(t)
		sink := addSink(t, s, "sink a", "out/{split}")
		prepare(t, s)
		must(t, os.RemoveAll("out"))
		if err := sink.Write([]wire.Record{split("x", "1")}); err == nil || err.Error() != "out/x: no such file or directory" {
			t.Errorf("have %v", err)
		}
		must(t, s.Abort())
	})
}

// Somebody may be waiting at the other end of standard output.
func TestStdout(t *testing.T) {
	var out bytes.Buffer
	s := New(Options{Run: testRun, Stdout: &out})
	sink := addSink(t, s, "a", "-")
	prepare(t, s)
	must(t, sink.Write(records("1", "2")))
	if out.String() != "1\n2\n" {
		t.Errorf("have %q before the end", out.String())
	}
	want := []File{{Claim{What: "a", Path: "-"}, "-", 2, 4, sumOf([]byte("1\n2\n")), map[int64]int64{1: 2}, nil, nil, nil}}
	if diff := cmp.Diff(want, finish(t, s)); diff != "" {
		t.Error(diff)
	}
	must(t, s.Commit())
	must(t, s.Abort())
}

func BenchmarkSink(b *testing.B) {
	b.Chdir(b.TempDir())
	line := []byte(`{"text":"` + strings.Repeat("word ", 1700) + `"}`)
	rs := make([]wire.Record, 4000)
	for i := range rs {
		rs[i].Data = line
	}
	b.SetBytes(int64(len(rs) * (len(line) + 1)))
	for b.Loop() {
		s := New(Options{Run: testRun})
		sink, err := s.Sink("jsonl", Claim{Path: "out.jsonl"})
		if err == nil {
			err = s.Prepare(b.Context())
		}
		if err == nil {
			err = sink.Write(rs)
		}
		if err == nil {
			_, err = s.Finish()
		}
		if err := s.Abort(); err != nil {
			b.Fatal(err)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

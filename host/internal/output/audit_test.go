package output

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/wire"
)

func sumOf(data []byte) filehash.Sum {
	hash := filehash.New("")
	hash.Write(data)
	return hash.Result()
}

// What the account says of a file is what lies on disk. Each case changes the staged file behind the sink's back.
func TestFinishComparesWithTheDisk(t *testing.T) {
	edit := func(change func(*os.File) error) func(*testing.T, string) {
		return func(t *testing.T, temp string) {
			f, err := os.OpenFile(temp, os.O_RDWR, 0)
			must(t, err)
			must(t, change(f))
			must(t, f.Close())
		}
	}
	tests := []struct {
		reason, path string
		change       func(t *testing.T, temp string)
		want         string
	}{
		{"nothing is changed", "a.jsonl", func(*testing.T, string) {}, ""},
		{"a line gets lost", "a.jsonl", edit(func(f *os.File) error { return f.Truncate(2) }),
			"sink a: a.jsonl: want 6 bytes on disk, as they were written, have 2"},
		{"somebody appends", "a.jsonl", edit(func(f *os.File) error { _, err := f.WriteAt([]byte("4\n"), 6); return err }),
			"sink a: a.jsonl: want 6 bytes on disk, as they were written, have 8"},
		{"two lines become one", "a.jsonl", edit(func(f *os.File) error { _, err := f.WriteAt([]byte{' '}, 1); return err }),
			"sink a: a.jsonl: want 3 lines on disk, one for each record, have 2"},
		{"a compressed file gets lost", "a.jsonl.gz", edit(func(f *os.File) error { return f.Truncate(0) }), "have 0"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, nil, nil)
			s := newSet(t)
			sink := addSink(t, s, "sink a", tt.path)
			prepare(t, s)
			must(t, sink.Write(records("1", "2", "3")))
			must(t, sink.only.current().close(sink)) // so that all is on disk
			tt.change(t, s.files[0].temp)
			_, err := s.Finish()
			if (err == nil) != (tt.want == "") || err != nil && !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("have %v, want %q", err, tt.want)
			}
		})
	}
}

// A file that is not durable is not finished.
func TestFinishSyncs(t *testing.T) {
	broken := errors.New("broken")
	inFolder(t, nil, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "a.jsonl")
	receipt := addReceipt(t, s, "receipt.json")
	prepare(t, s)
	s.disk.sync = func(*os.File) error { return broken }
	if _, err := s.Finish(); !errors.Is(err, broken) || err.Error() != "sink a: a.jsonl: broken" {
		t.Errorf("have %v", err)
	}
	if err := receipt.Write([]byte("1")); !errors.Is(err, broken) {
		t.Errorf("have %v for the receipt", err)
	}
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}

// The auditor reads while sinks write, several files at a time, and what it has not read is read at the end.
func TestAuditorFollows(t *testing.T) {
	inFolder(t, nil, nil)
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Run: testRun})
		sink, err := s.Sink("jsonl", Claim{Path: "{split}.jsonl"})
		must(t, err)
		must(t, s.Prepare(t.Context()))
		line := `"` + strings.Repeat("x", 100_000) + `"`
		for range 20 {
			must(t, sink.Write([]wire.Record{split("a", line), split("b", line)}))
		}
		synctest.Wait()
		for name, series := range sink.series {
			f := series.current()
			if have, wrote := f.file.digest.bytes, f.file.written.Load(); have < wrote-2*auditStep {
				t.Errorf("%s: %d of %d bytes are read back", name, have, wrote)
			}
		}
		for range 3 {
			must(t, sink.Write([]wire.Record{split("a", line)}))
		}
		files, err := s.Finish()
		must(t, err)
		must(t, s.Commit())
		for _, f := range files {
			data, err := os.ReadFile(f.Path)
			must(t, err)
			if f.Sum != sumOf(data) || f.Bytes != int64(len(data)) || int(f.Bytes) != int(f.Records)*len(line+"\n") {
				t.Errorf("have %+v for %d bytes of %s", f, len(data), sumOf(data))
			}
		}
	})
}

// A run may end while the auditor is far behind.
func TestAbortWhileBehind(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "a", "a.jsonl")
	prepare(t, s)
	must(t, sink.Write(records(strings.Repeat("1", 8<<20))))
	must(t, s.Abort())
	must(t, s.Abort())
	wantTree(t, map[string]string{})
}

package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sluicehq/sluice/sdk/wire"
)

func TestRecordLargerThanChunk(t *testing.T) {
	big := "\"" + strings.Repeat("x", 64<<20-2) + "\""
	dir := write(t, map[string]string{"a": "1\n" + big + "\n2\n"})
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "a")}}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, wire.NewArena(make([]byte, 64<<20+2), 1<<20, nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || rows[1] != "a:2 "+big || rows[2] != "a:3 2" {
		t.Errorf("%d records, or not the ones in the file", len(rows))
	}
}

func TestRecordLargerThanArena(t *testing.T) {
	dir := write(t, map[string]string{"a": "\"" + strings.Repeat("x", 100) + "\"\n2\n"})
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "a")}}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(64))
	want := []string{"a:1  too_large want at most 62 bytes, have 102 from byte 0 of the text", "a:2 2"}
	if err != nil || !slices.Equal(rows, want) {
		t.Errorf("have %q, %v", rows, err)
	}
}

// A budget of one chunk is enough even when what comes next needs all of it: Next waits for memory with empty hands.
func TestNextWaitsWithoutARegion(t *testing.T) {
	dir := write(t, map[string]string{"a": strings.Repeat("[1,2,3]\n", 100)})
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "a")}, Batch: 60}))
	if err != nil {
		t.Fatal(err)
	}
	mem := newArena(64)
	chunk, err := s.Next(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx, mem); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v with the budget out, want it to wait until cancelled", err)
	}
	wire.ReleaseAll(chunk.Records)
}

func TestSmallFilesShareAChunk(t *testing.T) {
	dir := write(t, map[string]string{"a": "1\n2", "b": "", "c": "3"})
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "*")}}))
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := s.Next(t.Context(), newArena(1<<20))
	if err != nil || len(chunk.Records) != 3 {
		t.Fatalf("%d records, %v", len(chunk.Records), err)
	}
	if r := chunk.Records[2]; filepath.Base(r.File) != "c" || r.Line != 1 || string(r.Data) != "3" {
		t.Errorf("have %+v", r)
	}
}

func TestStdinHandsOverWhatHasCome(t *testing.T) {
	r, w := io.Pipe()
	s, err := open(t, "jsonl", options(Options{Paths: []string{"-"}, Stdin: r}))
	if err != nil {
		t.Fatal(err)
	}
	mem := newArena(1 << 20)
	for i := range 3 {
		go fmt.Fprintf(w, "%d\n", i) // the pipe stays open, so only a source that does not wait for more returns
		chunk, err := s.Next(t.Context(), mem)
		if err != nil || len(chunk.Records) != 1 {
			t.Fatalf("%d records, %v", len(chunk.Records), err)
		}
		wire.ReleaseAll(chunk.Records)
	}
	if _, total := s.Progress(); total != 0 {
		t.Errorf("total %d, want 0 for what cannot be known", total)
	}
	w.Close()
	if _, err := s.Next(t.Context(), mem); err != io.EOF {
		t.Errorf("have %v, want the end", err)
	}
	if in := s.Inputs(); len(in) != 1 || in[0].Records != 3 || in[0].Name != "-" {
		t.Errorf("have %+v", in)
	}
}

func TestWaitingForStdinEndsWithTheContext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	s, err := open(t, "jsonl", options(Options{Paths: []string{"-"}, Stdin: r}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := s.Next(ctx, newArena(1<<20)); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestFailingReader(t *testing.T) {
	s, err := open(t, "jsonl", options(Options{Paths: []string{"-"}, Stdin: io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(errors.New("cable cut")))}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<20))
	if want := "-:2: read 1 record, 3 bytes: cable cut"; err == nil || err.Error() != want || len(rows) != 1 {
		t.Errorf("have %q, %v, want %q", rows, err, want)
	}
}

// A stuckSplitter classifies no bytes, whatever it takes them for.
type stuckSplitter struct {
	lineSplitter
	is stretch
}

func (s *stuckSplitter) split([]byte) (int, stretch) { return 0, s.is }

// TestStuckSplitter holds that a kind which does not get on ends the run, and says so, instead of reading for ever.
func TestStuckSplitter(t *testing.T) {
	for reason, is := range map[string]stretch{"between records": gap, "in a record": inside, "at an end": ended} {
		in, err := openInputs(options(Options{Paths: []string{"-"}, Stdin: strings.NewReader("1\n")}), kind{})
		if err != nil {
			t.Fatal(err)
		}
		stuck := func(entry, Options) (splitter, error) { return &stuckSplitter{lineSplitter{at: 1}, is}, nil }
		s := &Source{inputs: in, opts: options(Options{}), splitter: stuck}
		_, err = drain(t, timed{s, t, 0}, newArena(1<<10))
		if want := "-:1: want the next byte classified by *source.stuckSplitter, have it left three times"; err == nil || err.Error() != want {
			t.Errorf("%s: have %v, want %s", reason, err, want)
		}
	}
}

// What was read goes on its way before standard input is waited for, also when it is the next file.
func TestWhatHasComeDoesNotWaitForTheNextFile(t *testing.T) {
	for _, kind := range textKinds() {
		r, w := io.Pipe()
		name := filepath.Join(write(t, map[string]string{"a": sampleOf(t, kind).text}), "a")
		s, err := open(t, kind, options(Options{Paths: []string{name, "-"}, Stdin: r}))
		if err != nil {
			t.Fatal(err)
		}
		mem := newArena(1 << 20)
		if rows, err := next(t, t.Context(), s, mem); err != nil || len(rows) != len(sampleOf(t, kind).want)/2 {
			t.Errorf("%s: have %q, %v", kind, rows, err)
		}
		if _, total := s.Progress(); total != 0 {
			t.Errorf("%s: have a total of %d, want 0 when one file's size cannot be known", kind, total)
		}
		w.Close()
		if _, err := drain(t, s, mem); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

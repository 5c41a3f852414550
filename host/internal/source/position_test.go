package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

func asIs(name string) string { return name }

// openAt opens a source that goes on from a position, as it was written down; empty: from the beginning.
func openAt(t *testing.T, kind string, opts Options, position []byte) *Source {
	t.Helper()
	s, err := Open(kind, opts)
	if err != nil {
		t.Fatal(err)
	}
	if position == nil {
		return s
	}
	var p Position
	if err := json.Unmarshal(position, &p); err != nil {
		t.Fatal(err)
	}
	if changes := s.GoOn(p, asIs); len(changes) > 0 {
		t.Fatalf("want no change, have %q", changes)
	}
	return s
}

// Every kind of source goes on from after each of its chunks: the rest of the records, and the account of whole files.
func TestGoesOnFromAnyPosition(t *testing.T) {
	lines := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form+"\n", i)
		}
		return b.String()
	}
	session := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"sessionId":"s%d","n":%d}`+"\n", i/3, i)
		}
		return b.String()
	}
	list := func(n int) string {
		return strings.ReplaceAll(strings.TrimSpace(lines(n, `{"x":%d}`)), "\n", ",")
	}
	files := map[string]string{
		"a.jsonl": lines(40, `{"n":%d}`) + "broken\n", "b.jsonl.gz": gzipped(lines(30, `{"g":%d}`), lines(30, `{"h":%d}`)), "c.jsonl": "", "d.jsonl": lines(25, `["%d"]`),
		"e.csv": "n,m\n" + lines(50, "%d,x"), "f.json": "[" + list(90) + "]", "g.txt": lines(30, "text %d"),
		"g2.txt": "more", "g3.txt": strings.Repeat("and more ", 30), "docs/d.json": `{"data":[` + list(3) + `],"n":[1],"records":[` + list(80) + `],"rows":[` + list(9) + `]}`, "talks/h.jsonl": session(30), "talks/i.jsonl": session(60),
	}
	dir := write(t, files)
	for _, c := range []struct{ reason, kind, pattern string }{
		{"lines, compressed ones too, and an empty file", "jsonl", "*.jsonl*"},
		{"rows that are converted", "csv", "*.csv"},
		{"elements of a document", "json", "*.json"},
		{"lines of text", "text", "*.txt"},
		{"sessions of many lines", "sessions", "talks/*.jsonl"},
		{"kinds after each other", "auto", "*"},
		{"lists of a document", "auto", "docs/*.json"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			opts := Defaults()
			opts.Paths, opts.Batch = []string{filepath.Join(dir, c.pattern)}, 100
			read := func(s *Source, most int) (all []string, positions [][]byte, counts []int, done []receipt.Input) {
				defer s.Close()
				mem := wire.NewArena(make([]byte, 1<<16), 1<<14, nil)
				for {
					rows, err := next(t, t.Context(), timed{s, t, most}, mem)
					if errors.Is(err, io.EOF) {
						return all, positions, counts, s.Inputs()
					}
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, rows...)
					text, err := json.Marshal(s.Position())
					if err != nil {
						t.Fatal(err)
					}
					positions, counts = append(positions, text), append(counts, len(all))
				}
			}
			want, positions, counts, inputs := read(openAt(t, c.kind, opts, nil), 0)
			if len(positions) < 2 {
				t.Fatalf("want several chunks, have %d", len(positions))
			}
			opts.Batch = 1000 // so that chunks are cut, and some within a file that others end before
			again, cut, after, _ := read(openAt(t, c.kind, opts, nil), 3)
			if diff := cmp.Diff(want, again); diff != "" {
				t.Fatalf("%s: other records in chunks of three (-want +have):\n%s", c.reason, diff)
			}
			positions, counts = append(positions, cut...), append(counts, after...)
			for i, p := range positions {
				have, _, _, done := read(openAt(t, c.kind, opts, p), i%5)
				if diff := cmp.Diff(want[counts[i]:], have); diff != "" && len(want[counts[i]:])+len(have) > 0 {
					t.Fatalf("%s: other records after %s (-want +have):\n%s", c.reason, p, diff)
				}
				if diff := cmp.Diff(inputs, done); diff != "" {
					t.Fatalf("%s: other accounts of the files after %s (-want +have):\n%s", c.reason, p, diff)
				}
			}
		})
	}
}

// A source goes on only when its files are as they were.
func TestSaysWhichInputsChanged(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		reason string
		change func(dir string) error
		want   []string
	}{
		{"nothing changed", func(string) error { return nil }, nil},
		{"one was written to", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte("{}\n{}\n"), 0o666) },
			[]string{"input a.jsonl: want 3 bytes of 2026-01-02T03:04:05Z, have 6 bytes of 2026-01-02T03:04:05Z"}},
		{"one went, one came", func(dir string) error { return os.Rename(filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "c.jsonl")) },
			[]string{"input a.jsonl: want it to be read, have no such input", "input c.jsonl: want no further input, have this one"}},
	} {
		dir := write(t, map[string]string{"a.jsonl": "{}\n", "b.jsonl": "[]\n"})
		opts := Defaults()
		opts.Paths = []string{filepath.Join(dir, "*.jsonl")}
		stamped := func() *Source {
			for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
				if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			return openAt(t, "jsonl", opts, nil)
		}
		p := stamped().Position()
		for i := range p.Files {
			p.Files[i].Name = filepath.Base(p.Files[i].Name)
		}
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, stamped().GoOn(p, filepath.Base)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// A file that shrank without a sign of it ends the source, so that no record is passed over unseen.
func TestPassesOverRecordsThatAreThere(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": "{}\n"})
	opts := Defaults()
	opts.Paths = []string{filepath.Join(dir, "a.jsonl")}
	s := openAt(t, "jsonl", opts, nil)
	defer s.Close()
	p := s.Position()
	p.Taken = 3
	if changes := s.GoOn(p, asIs); len(changes) > 0 {
		t.Fatal(changes)
	}
	mem := wire.NewArena(make([]byte, 1<<16), 1<<14, nil)
	want := "want more than 1 record, since an earlier run has read 3 of them: the file changed"
	if _, err := s.Next(t.Context(), mem, 0); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("want %s, have %v", want, err)
	}
}

package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTexts(t *testing.T) {
	dir := write(t, map[string]string{
		"a.md":     "\uFEFFsay \"hi\" \\\r\n\t\x01 東京\n",
		"b":        "",
		"c":        "caf\xe9",
		"d.txt":    strings.Repeat("x", 81),
		"e.txt.gz": gzipped("packed"),
		"f":        strings.Repeat("\x01", 20),
	})
	want := []string{
		`a.md:1 {"name":"a.md","text":"say \"hi\" \\\r\n\t\u0001 東京\n"}`,
		`b:1 {"name":"b","text":""}`,
		"c:1 caf\xe9 invalid_utf8 want UTF-8, have an invalid sequence at byte 3",
		"d.txt:1  too_large want at most 80 bytes, have 81 from byte 0 of the text",
		`e.txt.gz:1 {"name":"e.txt.gz","text":"packed"}`,
		"f:1  too_large want at most 80 bytes, have 142 from byte 0 of the text",
	}
	for _, chunk := range []int{1, 100, 1 << 10} {
		s, err := open(t, "text", options(Options{Paths: []string{filepath.Join(dir, "*")}, Limit: 80, Batch: chunk}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := drain(t, s, newArena(1<<10))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("chunk %d: %s", chunk, diff)
		}
		if in := s.Inputs(); len(in) != 6 || in[4].Records != 1 || in[4].Bytes != int64(len(gzipped("packed"))) {
			t.Errorf("have %+v", in)
		}
	}
}

func TestBrokenText(t *testing.T) {
	dir := write(t, map[string]string{"a.gz": gzipped(strings.Repeat("x", 1000))[:20]})
	s, err := open(t, "text", options(Options{Paths: []string{filepath.Join(dir, "a.gz")}}))
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := drain(t, s, newArena(1<<20)); err == nil || !strings.Contains(err.Error(), "a.gz:1: read 0 records, 20 bytes: want the rest of the gzip data, have the end of the file") || rows != nil {
		t.Errorf("have %q, %v", rows, err)
	}
}

package source

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

func TestFind(t *testing.T) {
	t.Chdir(write(t, map[string]string{
		"b.jsonl": "1", "a.jsonl": "22", "c.json": "", "d[1].jsonl": "", ".hidden.jsonl": "", "._a.jsonl": "",
		"in/x.jsonl": "", "in/deep/y.jsonl": "", "in/.git/z.jsonl": "", "in/empty/readme": "", "packed/a.xz": "",
	}))
	if err := os.Symlink("a.jsonl", "link.jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", "in/empty/dangling.jsonl"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason, patterns string // patterns are apart by blanks
		want, err        string
	}{
		{"a file", "b.jsonl", "b.jsonl", ""},
		{"in the order given", "b.jsonl a.jsonl", "b.jsonl a.jsonl", ""},
		{"a pattern sorts, hides, and reads a link's file once", "*.jsonl", "a.jsonl b.jsonl d[1].jsonl", ""},
		{"named twice, read once", "a.jsonl ./a.jsonl in/../a.jsonl *.jsonl", "a.jsonl b.jsonl d[1].jsonl", ""},
		{"a name that looks like a pattern", "d[1].jsonl", "d[1].jsonl", ""},
		{"hidden only by name", ".hidden.jsonl", ".hidden.jsonl", ""},
		{"any number of folders", "in/**/*.jsonl", "", "in/empty/dangling.jsonl: no such file or directory"},
		{"any number, none included", "**/[xy].jsonl", "in/deep/y.jsonl in/x.jsonl", ""},
		{"everything below", "in/deep/**", "in/deep/y.jsonl", ""},
		{"a wildcard for a folder", "i*/x.jsonl", "in/x.jsonl", ""},
		{"standard input among files", "- a.jsonl -", "- a.jsonl", ""},
		{"no file", "nope.jsonl", "", `want a file, have nothing at "nope.jsonl"`},
		{"nothing matches", "nope*.jsonl", "", `want files, have 0 that match "nope*.jsonl"`},
		{"a pattern for folders only", "i*", "", `want files, have 0 that match "i*"`},
		{"no such folder", "nope/*.jsonl", "", `want files, have 0 that match "nope/*.jsonl"`},
		{"a file taken for a folder", "a.jsonl/*", "", `want files, have 0 that match "a.jsonl/*"`},
		{"a folder", "in", "", `want a file, have the folder "in": name the files in it, such as "in/*.jsonl"`},
		{"a pattern that is none", "[a", "", `want a pattern whose [ have their ], and [[] for a [ in a name, have "[a"`},
		{"packed in a way that is not read", "packed/*", "", "packed/a.xz: want plain text, gzip or zstd, have xz"},
		{"no path", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			names, err := Find(strings.Fields(tt.patterns), false)
			message := ""
			if err != nil {
				message = err.Error()
			}
			have := filepath.ToSlash(strings.Join(names, " ")) + "|" + message
			if diff := cmp.Diff(tt.want+"|"+tt.err, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFindOptional holds what an optional source forgives: that there is nothing to name, and not that a name is wrong.
func TestFindOptional(t *testing.T) {
	t.Chdir(write(t, map[string]string{"a.jsonl": "22"}))
	for _, tt := range []struct{ reason, paths, want, err string }{
		{"no path", "", "", ""},
		{"nothing matches", "nope*.jsonl", "", ""},
		{"one of two matches", "nope*.jsonl *.jsonl", "a.jsonl", ""},
		{"a file is named", "nope.jsonl", "", `want a file, have nothing at "nope.jsonl"`},
		{"a pattern that is none", "[a", "", `want a pattern whose [ have their ], and [[] for a [ in a name, have "[a"`},
	} {
		names, err := Find(strings.Fields(tt.paths), true)
		have := ""
		if err != nil {
			have = err.Error()
		}
		if strings.Join(names, " ") != tt.want || have != tt.err {
			t.Errorf("%s: want %q %q, have %q %q", tt.reason, tt.want, tt.err, names, have)
		}
	}
}

// TestNothingToRead holds that an optional source of any kind ends where it would begin.
func TestNothingToRead(t *testing.T) {
	for _, kind := range textKinds() {
		opts := Defaults()
		opts.Optional = true
		s, err := open(t, kind, opts)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		arena := wire.NewArena(make([]byte, 1<<10), 1<<10, nil)
		if _, err := s.Next(t.Context(), arena); err != io.EOF || len(s.Files())+len(s.Inputs()) > 0 {
			t.Errorf("%s: want no files and the end, have %q and %v", kind, s.Files(), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFindAbsolute(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": "22"})
	names, err := Find([]string{filepath.Join(dir, "*")}, false)
	if err != nil || len(names) != 1 || names[0] != filepath.Join(dir, "a.jsonl") {
		t.Errorf("have %q, %v", names, err)
	}
}

// A file is read once, whatever names it has, and two files that only look alike are both read.
func TestOneFileManyNames(t *testing.T) {
	t.Chdir(write(t, map[string]string{"in/a": "1\n", "in/twin": "1\n"}))
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"in/a", "in/twin"} {
		if err := os.Chtimes(name, day, day); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Link("in/a", "hard"), os.Symlink("in/a", "soft"), os.Symlink("soft", "softer"), os.Symlink("in", "folder")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		paths  []string
		want   []string
	}{
		{"a hard link", []string{"in/a", "hard"}, []string{"in/a"}},
		{"a hard link first", []string{"hard", "in/a"}, []string{"hard"}},
		{"a chain of links", []string{"softer", "soft", "hard"}, []string{"softer"}},
		{"through a linked folder", []string{"folder/a", "in/a"}, []string{"folder/a"}},
		{"the absolute name", []string{"in/a", filepath.Join(here, "in", "a")}, []string{"in/a"}},
		{"a pattern over all names", []string{"*", "*/*"}, []string{"hard", "folder/twin"}},
		{"same size and time, another file", []string{"in/a", "in/twin"}, []string{"in/a", "in/twin"}},
	}
	for _, tt := range tests {
		names, err := Find(tt.paths, false)
		for i := range names {
			names[i] = filepath.ToSlash(names[i])
		}
		if diff := cmp.Diff(tt.want, names); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.reason, err, diff)
		}
	}
}

// Find is asked when nothing is to run yet, so a file that cannot be opened is none of its business.
func TestFindOpensNothing(t *testing.T) {
	name := filepath.Join(write(t, map[string]string{"a": "\xfd7zXZ\x00"}), "a")
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	if names, err := Find([]string{name}, false); err != nil || len(names) != 1 {
		t.Errorf("have %q, %v", names, err)
	}
}

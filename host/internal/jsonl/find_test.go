package jsonl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Chdir(write(t, map[string]string{
		"b.jsonl": "1", "a.jsonl": "22", "c.json": "", "d[1].jsonl": "", ".hidden.jsonl": "", "._a.jsonl": "",
		"in/x.jsonl": "", "in/deep/y.jsonl": "", "in/.git/z.jsonl": "", "in/empty/readme": "",
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
		{"nothing matches", "nope*.jsonl", "", `want files, have none that match "nope*.jsonl"`},
		{"a pattern for folders only", "i*", "", `want files, have none that match "i*"`},
		{"no such folder", "nope/*.jsonl", "", `want files, have none that match "nope/*.jsonl"`},
		{"a file taken for a folder", "a.jsonl/*", "", `want files, have none that match "a.jsonl/*"`},
		{"a folder", "in", "", `want a file, have the folder "in": name the files in it, such as "in/*.jsonl"`},
		{"a pattern that is none", "[a", "", `"[a": syntax error in pattern`},
		{"no path", "", "", "want at least one path, have none"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			files, err := find(strings.Fields(tt.patterns))
			var names []string
			for _, f := range files {
				names = append(names, filepath.ToSlash(f.name))
			}
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tt.want+"|"+tt.err, strings.Join(names, " ")+"|"+message); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFindAbsolute(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": "22"})
	files, err := find([]string{filepath.Join(dir, "*")})
	if err != nil || len(files) != 1 || files[0].name != filepath.Join(dir, "a.jsonl") || files[0].size != 2 {
		t.Errorf("have %+v, %v", files, err)
	}
}

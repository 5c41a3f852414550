package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormat protects what formatting changes, and that it leaves alone what it does not understand.
func TestFormat(t *testing.T) {
	cases := []struct{ reason, src, want, fails string }{
		{"spacing", "step  \"a\" \"b\"   {\nx=1\n  long =   [ 1,2 ]\n}\n", "step \"a\" \"b\" {\n  x    = 1\n  long = [1, 2]\n}\n", ""},
		{"comments, blank lines and heredocs stay", "# why\n\nsink \"j\" \"s\" {\n  t = <<EOT\n   as  it stands\nEOT\n}\n", "# why\n\nsink \"j\" \"s\" {\n  t = <<EOT\n   as  it stands\nEOT\n}\n", ""},
		{"unknown blocks are none of its business", "what {}\n", "what {}\n", ""},
		{"an empty file", "", "", ""},
		{"a syntax error", "step \"a\" \"b\" {\n  x = [\n}\n", "", "x.hcl:"},
		{"an attribute twice, of which one has to go", "a = 1\na = 2\n", "", "x.hcl:2:1: attribute redefined"},
	}
	for _, c := range cases {
		have, diags := Format("x.hcl", []byte(c.src))
		if c.fails != "" {
			if have != nil || !strings.HasPrefix(diags.Error(), c.fails) {
				t.Errorf("%s: want %s, have %q (%v)", c.reason, c.fails, have, diags)
			}
			continue
		}
		if diff := cmp.Diff(c.want, string(have)); diff != "" || len(diags) > 0 {
			t.Errorf("%s (%v; -want +have):\n%s", c.reason, diags, diff)
		}
	}
}

// FuzzFormat holds that formatting twice is formatting once, and that it changes blanks only.
func FuzzFormat(f *testing.F) {
	for _, pattern := range []string{"../../../pipelines/*.hcl", "testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("want files at %s, have none (%v)", pattern, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		once, diags := Format("x.hcl", src)
		if diags.HasErrors() {
			return
		}
		twice, diags := Format("x.hcl", once)
		if diags.HasErrors() || !bytes.Equal(once, twice) {
			t.Errorf("want formatted text left as it is, have another (%v):\n%q\n%q", diags, once, twice)
		}
		if !bytes.Equal(solid(src), solid(once)) {
			t.Errorf("want nothing but blanks changed, have %q of %q", once, src)
		}
	})
}

// solid is a text without blanks.
func solid(src []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, src)
}

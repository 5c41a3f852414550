package lsp

import (
	"testing"

	"github.com/sluicehq/sluice/host"
)

// TestPositions protects that what an editor counts in UTF-16 and what the file has in bytes are the same places.
func TestPositions(t *testing.T) {
	text := newText("a = \"é😀x\"\r\nsecond\n")
	cases := []struct {
		reason string
		at     position
		offset int
	}{
		{"the beginning", position{0, 0}, 0},
		{"behind a letter of two bytes", position{0, 6}, 7},
		{"behind a character of two units", position{0, 8}, 11},
		{"the end of a line", position{0, 10}, 13},
		{"the next line", position{1, 2}, 17},
		{"an empty last line", position{2, 0}, 22},
	}
	for _, c := range cases {
		if have := text.offset(c.at); have != c.offset {
			t.Errorf("%s: want offset %d, have %d", c.reason, c.offset, have)
		}
		if have := text.position(c.offset); have != c.at {
			t.Errorf("%s: want %v, have %v", c.reason, c.at, have)
		}
	}
	for at, want := range map[position]int{{0, 99}: 13, {9, 0}: 22, {0, -1}: 0} {
		if have := text.offset(at); have != want {
			t.Errorf("%v lies outside: want offset %d, have %d", at, want, have)
		}
	}
	d := host.Diagnostic{Line: 1, Column: 6, EndLine: 1, EndColumn: 9}
	if have, want := text.place(d), (textRange{position{0, 5}, position{0, 9}}); have != want {
		t.Errorf("want a diagnostic at %v, have %v", want, have)
	}
	if have := text.place(host.Diagnostic{}); have != (textRange{}) {
		t.Errorf("want what concerns the file at its beginning, have %v", have)
	}
}

// TestPathOf protects which file a URI names.
func TestPathOf(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b%20c.hcl": "/a/b c.hcl", "untitled:Untitled-1": "", "http://x/y": "", ":": "",
	} {
		if have := pathOf(uri); have != want {
			t.Errorf("%s: want %q, have %q", uri, want, have)
		}
	}
}

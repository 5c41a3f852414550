package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
)

// A text is what an editor has of a document. It knows where its lines begin.
type text struct {
	src   []byte
	lines []int
}

func newText(s string) text {
	t := text{src: []byte(s), lines: []int{0}}
	for i, c := range t.src {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

func (t text) line(n int) []byte {
	if n < 0 || n >= len(t.lines) {
		return nil
	}
	line, _, _ := bytes.Cut(t.src[t.lines[n]:], []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// offset returns where a position is in bytes. What lies beyond a line is its end.
func (t text) offset(p position) int {
	if p.Line >= len(t.lines) {
		return len(t.src)
	}
	at, units := t.lines[max(p.Line, 0)], 0
	for line := t.line(p.Line); len(line) > 0 && units < p.Character; {
		r, size := utf8.DecodeRune(line)
		units += utf16.RuneLen(r)
		at, line = at+size, line[size:]
	}
	return at
}

func (t text) position(offset int) position {
	n := 0
	for n+1 < len(t.lines) && t.lines[n+1] <= offset {
		n++
	}
	p := position{Line: n}
	for _, r := range string(t.src[t.lines[n]:min(offset, len(t.src))]) {
		p.Character += utf16.RuneLen(r)
	}
	return p
}

func (t text) rangeOf(s editor.Span) textRange {
	return textRange{t.position(s.Start), t.position(s.End)}
}

// place returns the range of a diagnostic, whose lines and columns count characters from 1; line 0 is the whole file.
func (t text) place(d host.Diagnostic) textRange {
	if d.Line == 0 {
		return textRange{}
	}
	at := func(line, column int) position {
		p := position{Line: line - 1}
		for _, r := range string(t.line(line - 1)) {
			if column--; column < 1 {
				break
			}
			p.Character += utf16.RuneLen(r)
		}
		return p
	}
	return textRange{at(d.Line, d.Column), at(d.EndLine, d.EndColumn)}
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive comes first
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf returns the file that a URI names, "" when it names none.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // of /C:/folder/file
	}
	return filepath.FromSlash(path)
}

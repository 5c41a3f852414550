package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// Severity of a diagnostic.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one mistake and where it stands. Line is 0 when it concerns the whole file.
type Diagnostic struct {
	Severity   Severity `json:"severity"`
	Summary    string   `json:"summary"`
	Detail     string   `json:"detail,omitempty"`     // wanted, found, what to do
	Suggestion string   `json:"suggestion,omitempty"` // what was probably meant
	Path       string   `json:"path"`
	Line       int      `json:"line,omitempty"` // from 1
	Column     int      `json:"column,omitempty"`
	EndLine    int      `json:"end_line,omitempty"`
	EndColumn  int      `json:"end_column,omitempty"` // exclusive
	Source     string   `json:"source,omitempty"`     // text of the line
	Context    string   `json:"context,omitempty"`    // the block, such as step "privacy" "redact"
}

// String gives one line: file:line:col: summary; detail.
func (d Diagnostic) String() string {
	return d.headline() + d.advice("; ")
}

// Snippet gives the diagnostic with its source line and a caret underline, each line ending in a newline.
func (d Diagnostic) Snippet() string {
	var b strings.Builder
	b.WriteString(d.headline() + "\n")
	if d.Line > 0 {
		margin := fmt.Sprintf("  %d | ", d.Line)
		fmt.Fprintf(&b, "%s%s\n", margin, d.Source)
		fmt.Fprintf(&b, "%*s%s\n", len(margin), "", d.underline())
	}
	if advice := d.advice("\n  "); advice != "" {
		b.WriteString(advice[1:] + "\n")
	}
	return b.String()
}

func (d Diagnostic) headline() string {
	if d.Line == 0 {
		return d.Path + ": " + d.Summary
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.Path, d.Line, d.Column, d.Summary)
}

// advice is the detail and the suggestion, after sep.
func (d Diagnostic) advice(sep string) string {
	var parts []string
	if d.Detail != "" {
		parts = append(parts, d.Detail)
	}
	if d.Suggestion != "" {
		parts = append(parts, fmt.Sprintf("did you mean %q?", d.Suggestion))
	}
	if parts == nil {
		return ""
	}
	return sep + strings.Join(parts, "; ")
}

// underline keeps the tabs of the line, so that the carets stand below what they mean, and stops at its end.
func (d Diagnostic) underline() string {
	var b strings.Builder
	column := 0
	for _, c := range d.Source {
		column++
		switch {
		case d.EndLine == d.Line && column >= max(d.EndColumn, d.Column+1):
			return b.String()
		case unicode.Is(unicode.Mn, c):
		case column >= d.Column:
			b.WriteByte('^')
		case c == '\t':
			b.WriteByte('\t')
		default:
			b.WriteByte(' ')
		}
	}
	if column < d.Column {
		b.WriteByte('^')
	}
	return b.String()
}

// Diagnostics are the mistakes of one file, in the order of the file.
type Diagnostics []Diagnostic

// Error gives one line for each.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// HasErrors reports whether any is an error. Ask it before using ds as an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}

// Snippets gives all of them for a person to read, with an empty line between two.
func (ds Diagnostics) Snippets() string {
	texts := make([]string, len(ds))
	for i, d := range ds {
		texts[i] = d.Snippet()
	}
	return strings.Join(texts, "\n")
}

// Sort puts the diagnostics in the order of the file.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

func fileError(path, summary, detail, suggestion string) Diagnostic {
	return Diagnostic{Severity: Error, Path: path, Summary: summary, Detail: detail, Suggestion: suggestion}
}

// source is the text that ranges point into.
type source struct {
	path string
	text []byte
}

// at is an error that points at a range of the file.
func (s *source) at(at Range, context, summary, detail, suggestion string) Diagnostic {
	d := fileError(s.path, summary, detail, suggestion)
	d.Context = context
	d.Line, d.Column, d.EndLine, d.EndColumn = at.Line, at.Column, at.EndLine, at.EndColumn
	if at.Line > 0 {
		lines := bytes.SplitN(s.text, []byte("\n"), at.Line+1)
		if at.Line <= len(lines) {
			line := bytes.TrimSuffix(lines[at.Line-1], []byte("\r"))
			d.Source = strings.ToValidUTF8(string(bytes.TrimPrefix(line, byteOrderMark)), "�")
		}
	}
	return d
}

var byteOrderMark = []byte("\ufeff")

// rangeOf turns bytes and grapheme clusters into characters.
func (s *source) rangeOf(r hcl.Range) Range {
	if r.Start.Line == 0 {
		return Range{}
	}
	return Range{
		Line: r.Start.Line, Column: s.column(r.Start.Byte),
		EndLine: r.End.Line, EndColumn: s.column(r.End.Byte),
	}
}

func (s *source) column(offset int) int {
	before := s.text[:min(offset, len(s.text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return utf8.RuneCount(bytes.TrimPrefix(line, byteOrderMark)) + 1
}

// Nearest is the known word that was probably meant, or "" when none is near: fewer than three edits (the rule of
// HCL) and at most half of the word.
func Nearest(word string, known []string) string {
	best, nearest := 3, ""
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < best && 2*d <= max(len(word), len(k)) && word != "" && word != k {
			best, nearest = d, k
		}
	}
	return nearest
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

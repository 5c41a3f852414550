package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Severity of a diagnostic.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one mistake, or one warning, with its place. Line is 0 when it concerns the whole file. It holds no value of
// a sensitive variable.
type Diagnostic struct {
	Severity   Severity `json:"severity"`
	Summary    string   `json:"summary"`
	Detail     string   `json:"detail,omitempty"`     // wanted, found, what to do
	Suggestion string   `json:"suggestion,omitempty"` // what was probably meant
	Help       string   `json:"help,omitempty"`       // the command that explains more
	Path       string   `json:"path"`
	Line       int      `json:"line,omitempty"` // from 1
	Column     int      `json:"column,omitempty"`
	EndLine    int      `json:"end_line,omitempty"`
	EndColumn  int      `json:"end_column,omitempty"` // exclusive
	Source     string   `json:"source,omitempty"`     // text of the line
	Context    string   `json:"context,omitempty"`    // the block, such as step "privacy" "redact"
}

// AsWarning returns the same as a warning, which stops nothing.
func (d Diagnostic) AsWarning() Diagnostic {
	d.Severity = Warning
	return d
}

// SeeDocs returns the same with the command that documents a plugin, source or sink.
func (d Diagnostic) SeeDocs(of string) Diagnostic {
	d.Help = "sluice docs " + of
	return d
}

// String returns one line: file:line:col: summary; detail. That of a warning has "warning: " before the summary.
func (d Diagnostic) String() string {
	return d.headline() + d.advice("; ")
}

// Message returns the same without the place.
func (d Diagnostic) Message() string { return d.Summary + d.advice("; ") }

// Snippet returns the diagnostic with its source line and a caret underline, each line ending in a newline.
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
	at, severity := d.Path, ""
	if d.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", d.Path, d.Line, d.Column)
	}
	if d.Severity == Warning {
		severity = "warning: "
	}
	return at + ": " + severity + d.Summary
}

// advice returns the detail, the suggestion and the help, after sep.
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
	if d.Help != "" {
		parts = append(parts, "see "+d.Help)
	}
	return sep + strings.ReplaceAll(strings.Join(parts, "; "), "?; ", "? ")
}

// underline keeps the tabs of the line, so that the carets are below what they mean, and stops at its end.
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

// Diagnostics are the mistakes of one file and the warnings, in the order of the file.
type Diagnostics []Diagnostic

// Error returns one line for each.
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

// Snippets returns all of them for a person to read, with an empty line between two.
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

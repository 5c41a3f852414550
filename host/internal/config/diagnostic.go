package config

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
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
	Untrusted  bool     `json:"untrusted,omitempty"`  // it warns of what was not checked, since the user does not trust the pipeline

	IncludedBy *Position `json:"included_by,omitempty"` // the include block of the pipeline, when the place is in a file of steps

	follows   bool   // it may be due to another mistake that is reported
	block     string // of OfAttribute
	attribute string // of OfAttribute, such as "a" or "a.0.b"
	missing   bool   // the attribute is not there

	secrets *secrets // of the file, or nil
}

// WithoutFollowing returns the diagnostics without those that may be due to another mistake, as that an attribute is missing may be when
// another name there is taken for its own misspelt.
func (ds Diagnostics) WithoutFollowing() Diagnostics {
	misspelt := map[string]bool{}
	for _, d := range ds {
		if at := strings.LastIndex(d.Detail, meant); at >= 0 && d.block != "" {
			name, _, _ := strings.Cut(d.Detail[at+len(meant):], `"`)
			misspelt[d.block+" "+d.attribute[:strings.LastIndexByte(d.attribute, '.')+1]+name] = true
		}
	}
	return slices.DeleteFunc(ds, func(d Diagnostic) bool { return d.follows || d.missing && misspelt[d.block+" "+d.attribute] })
}

// What a plugin says, or the SDK for it: meant comes before the name that is suggested for a misspelt one, and lacks ends what is said
// of a missing attribute.
const (
	meant = `did you mean "`
	lacks = ", have nothing"
)

// OfAttribute returns the diagnostic with a summary for an attribute of a block, such as "source jsonl.in". The detail is what its decoder
// says.
func (d Diagnostic) OfAttribute(block, name string) Diagnostic {
	d.block, d.attribute = block, name
	name = d.secrets.masked(name) // a key of a map
	d.Summary = block + ": bad attribute " + name
	if want, missing := strings.CutSuffix(d.Detail, lacks); missing {
		d.Summary, d.Detail, d.missing = block+": no attribute "+name, want, true
	}
	return d
}

// Position is a place in a file.
type Position struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String returns FILE:LINE:COLUMN.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column) }

// AsWarning returns the same as a warning, which stops nothing.
func (d Diagnostic) AsWarning() Diagnostic {
	d.Severity = Warning
	return d
}

// AsUntrusted returns the same as a warning of what was not checked, since the user does not trust the pipeline.
func (d Diagnostic) AsUntrusted() Diagnostic {
	d.Untrusted = true
	return d.AsWarning()
}

// SeeDocs returns the same with the command that documents a plugin, source or sink.
func (d Diagnostic) SeeDocs(of string) Diagnostic {
	d.Help = "sluice docs " + of
	return d
}

// Repeats reports whether another diagnostic says the same of the same attribute, as the steps of a first do that share it.
func (d Diagnostic) Repeats(other Diagnostic) bool {
	return d.Path == other.Path && d.Line == other.Line && d.Column == other.Column && d.Detail == other.Detail && d.Line > 0
}

// String returns one line: file:line:col: summary; detail. That of a warning has "warning: " before the summary.
func (d Diagnostic) String() string { return d.headline() + d.advice("; ") }

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
	if parts != nil && d.Help != "" {
		parts = append(parts, "see "+d.Help)
	}
	if d.IncludedBy != nil {
		parts = append(parts, "included by "+d.IncludedBy.String())
	}
	if parts == nil {
		return ""
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

// Errors returns the diagnostics without the warnings.
func (ds Diagnostics) Errors() Diagnostics {
	return slices.DeleteFunc(ds, func(d Diagnostic) bool { return d.Severity != Error })
}

// Snippets returns all of them for a person to read, with an empty line between two.
func (ds Diagnostics) Snippets() string {
	texts := make([]string, len(ds))
	for i, d := range ds {
		texts[i] = d.Snippet()
	}
	return strings.Join(texts, "\n")
}

// Sort puts the diagnostics in the order of the file. Those of a file that it includes are behind those of the include block.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int { return slices.Compare(a.order(), b.order()) })
}

func (d Diagnostic) order() []int {
	if by := d.IncludedBy; by != nil {
		return []int{by.Line, by.Column, d.Line, d.Column}
	}
	return []int{d.Line, d.Column}
}

func fileError(path, summary, detail, suggestion string) Diagnostic {
	return Diagnostic{Severity: Error, Path: path, Summary: summary, Detail: detail, Suggestion: suggestion}
}

// listing is the text of the file, into which ranges point, and what must not be shown of it.
type listing struct {
	path    string
	src     []byte
	hidden  []Range   // shown as stars: the defaults of sensitive variables
	by      *Position // of the include block that takes it in; nil for a pipeline and a file of tests
	secrets *secrets
}

// secrets are the texts that must not be shown of a pipeline and what it includes.
type secrets struct {
	all  []string          // the longest first
	mask *strings.Replacer // nil without any
}

var byteOrderMark = []byte("\ufeff")

// at returns an error that points at a range of the file.
func (t *listing) at(at Range, context, summary, detail, suggestion string) Diagnostic {
	d := fileError(t.path, t.masked(summary), t.masked(detail), t.masked(suggestion))
	d.Context, d.IncludedBy, d.secrets = t.masked(context), t.by, t.secrets
	d.Line, d.Column, d.EndLine, d.EndColumn = at.Line, at.Column, at.EndLine, at.EndColumn
	d.Source = t.line(at.Line)
	return d
}

// line returns a line with what is hidden masked, "" when there is no such line. Each masked character is a star, so
// that columns stay as they are.
func (t *listing) line(n int) string {
	lines := bytes.SplitN(t.src, []byte("\n"), n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	line := []rune(string(bytes.TrimPrefix(bytes.TrimSuffix(lines[n-1], []byte("\r")), byteOrderMark)))
	for _, h := range t.hidden {
		for i := range line {
			after := n > h.Line || n == h.Line && i+1 >= h.Column
			before := n < h.EndLine || n == h.EndLine && i+1 < h.EndColumn
			if after && before {
				line[i] = '*'
			}
		}
	}
	return string(line)
}

// leastNumber is the size of the shortest number that is a secret. A shorter one may be any count or line.
const leastNumber = 4

// keep notes the strings and numbers in the value of a sensitive variable as secrets.
func (t *secrets) keep(v cty.Value) {
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		switch {
		case !v.IsKnown() || v.IsNull():
		case v.Type() == cty.String && v.AsString() != "":
			t.all = append(t.all, v.AsString())
			if trimmed := strings.TrimSpace(v.AsString()); trimmed != "" { // as it is used when it was read from a file
				t.all = append(t.all, trimmed)
			}
		case v.Type() == cty.Number:
			if text := string(appendJSON(nil, v)); len(text) >= leastNumber {
				t.all = append(t.all, text)
			}
		}
		return true, nil
	})
	slices.SortFunc(t.all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	t.all = slices.Compact(t.all)
	var pairs []string
	for _, s := range t.all {
		quoted := strconv.Quote(s)
		pairs = append(pairs, s, masking, quoted[1:len(quoted)-1], masking)
	}
	t.mask = strings.NewReplacer(pairs...)
}

// masking is shown in place of a secret.
const masking = "(sensitive)"

func (t *listing) masked(s string) string { return t.secrets.masked(s) }

func (t *secrets) masked(s string) string {
	if t == nil || t.mask == nil {
		return s
	}
	return t.mask.Replace(s)
}

var anyBlock = regexp.MustCompile(`(?m)^[ \t]*(\w+)(?:[ \t]+"[^"\n]*")*[ \t]*\{`)

// hideUnread hides the defaults of sensitive variables in a file with syntax errors, where they may not be in the
// tree: all from the word default to the next block.
func (t *listing) hideUnread() {
	heads := anyBlock.FindAllSubmatchIndex(t.src, -1)
	for i, head := range heads {
		end := len(t.src)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := t.src[head[1]:end]
		from := bytes.Index(body, []byte("default"))
		if string(t.src[head[2]:head[3]]) == "variable" && from >= 0 && bytes.Contains(body, []byte("sensitive")) {
			from += head[1]
			t.hidden = append(t.hidden, t.rangeOf(hcl.Range{Start: t.pos(from), End: t.pos(end)}))
		}
	}
}

func (t *listing) pos(offset int) hcl.Pos {
	return hcl.Pos{Line: 1 + bytes.Count(t.src[:offset], []byte("\n")), Byte: offset}
}

// rangeOf turns bytes and grapheme clusters into characters.
func (t *listing) rangeOf(at hcl.Range) Range {
	if at.Start.Line == 0 {
		return Range{}
	}
	return Range{
		Line: at.Start.Line, Column: t.column(at.Start.Byte),
		EndLine: at.End.Line, EndColumn: t.column(at.End.Byte), file: t,
	}
}

func (t *listing) column(offset int) int {
	before := t.src[:min(offset, len(t.src))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return utf8.RuneCount(bytes.TrimPrefix(line, byteOrderMark)) + 1
}

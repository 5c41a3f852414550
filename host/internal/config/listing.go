package config

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// listing is the text of the file, into which ranges point, and what must not be shown of it.
type listing struct {
	path    string
	src     []byte
	hidden  []Range           // shown as stars: the defaults of sensitive variables
	secrets []string          // the longest first
	mask    *strings.Replacer // of secrets; nil without any
}

var byteOrderMark = []byte("\ufeff")

// at is an error that points at a range of the file.
func (t *listing) at(at Range, context, summary, detail, suggestion string) Diagnostic {
	d := fileError(t.path, summary, t.masked(detail), t.masked(suggestion))
	d.Context = context
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

// keep notes the strings in the value of a sensitive variable as secrets.
func (t *listing) keep(v cty.Value) {
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.String && v.AsString() != "" {
			t.secrets = append(t.secrets, v.AsString())
		}
		return true, nil
	})
	slices.SortFunc(t.secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	t.secrets = slices.Compact(t.secrets)
	var pairs []string
	for _, s := range t.secrets {
		quoted := strconv.Quote(s)
		pairs = append(pairs, s, masking, quoted[1:len(quoted)-1], masking)
	}
	t.mask = strings.NewReplacer(pairs...)
}

// masking is shown in place of a secret.
const masking = "(sensitive)"

// masked returns a message without secrets.
func (t *listing) masked(s string) string {
	if t.mask == nil {
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
		EndLine: at.End.Line, EndColumn: t.column(at.End.Byte),
	}
}

func (t *listing) column(offset int) int {
	before := t.src[:min(offset, len(t.src))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return utf8.RuneCount(bytes.TrimPrefix(line, byteOrderMark)) + 1
}

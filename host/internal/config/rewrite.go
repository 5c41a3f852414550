package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/tidwall/gjson"
)

// A Found is what a run has found in place of one expectation.
type Found struct {
	Rows  [][]byte         // all rows of the sink; taken when the block has rows
	Same  func(i int) bool // row i is as the file has it, which stays as it is written
	Count int64            // taken when the block has a count
}

// Unwritten is an expectation that Rewrite leaves as it is, by the places of test and expectation in the file.
type Unwritten struct {
	Test, Expect int
	Why          string
}

// Rewrite returns the text of the file with other rows and counts, by the places of test and expectation in it. Everything
// else stays as it is written. left are the expectations that cannot be written so, in the order of the file.
func (f *TestFile) Rewrite(found map[[2]int]Found) (text []byte, left []Unwritten, err error) {
	file, diags := hclsyntax.ParseConfig(f.file.src, f.Path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	var all []edit
	for n, test := range blocksOf(file.Body.(*hclsyntax.Body), "test") {
		for k, b := range blocksOf(test.Body, "expect") {
			x, ok := found[[2]int{n, k}]
			if !ok {
				continue
			}
			edits, why := f.edits(b, &f.Tests[n].Expects[k], x)
			if why != "" {
				left = append(left, Unwritten{n, k, why})
				continue
			}
			all = append(all, edits...)
		}
	}
	text = edited(f.file.src, all)
	if len(text) > maxSize {
		return nil, nil, fmt.Errorf("%s: want a file of at most %d bytes, have %d with the new rows; use count or contains instead", f.Path, maxSize, len(text))
	}
	if _, diags := ParseTests(f.Path, text, f.Layout, f.given); diags.HasErrors() {
		return nil, nil, fmt.Errorf("want new rows that the file of tests can hold, have some with which it cannot be read, so it stays as it is: %v", diags)
	}
	return text, left, nil
}

func blocksOf(body *hclsyntax.Body, kind string) []*hclsyntax.Block {
	return slices.DeleteFunc(slices.Clone(body.Blocks), func(b *hclsyntax.Block) bool { return b.Type != kind })
}

// An edit puts a text in the place of some bytes.
type edit struct {
	from, to int
	text     string
}

// edited returns a text with edits that do not overlap. The lines that they bring end as those of the text do.
func edited(src []byte, all []edit) []byte {
	slices.SortFunc(all, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var text []byte
	at := 0
	for _, e := range all {
		if bytes.Contains(src, []byte("\r\n")) {
			e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
		}
		text = append(append(text, src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(text, src[at:]...)
}

// edits returns the edits of one block, or else why it has to stay.
func (f *TestFile) edits(b *hclsyntax.Block, e *Expect, x Found) (all []edit, why string) {
	if a := b.Body.Attributes["count"]; a != nil {
		at := a.Expr.Range()
		all = append(all, edit{at.Start.Byte, at.End.Byte, strconv.FormatInt(x.Count, 10)})
	}
	a := b.Body.Attributes["rows"]
	if a == nil {
		return all, ""
	}
	at := a.Expr.Range()
	switch first, _, _ := bytes.Cut(at.SliceBytes(f.file.src), []byte("\n")); {
	case !isText(a.Expr):
		return nil, "want rows written out in the file, to update them, have an expression"
	case bytes.HasPrefix(first, []byte("<<")):
		text, why := f.heredocOf(strings.TrimRight(string(first), "\r"), f.lineIndent(e.Rows.Range.EndLine), e, x)
		return append(all, edit{at.Start.Byte, at.End.Byte, text}), why
	case len(x.Rows) == 0:
		return append(all, edit{at.Start.Byte, at.End.Byte, `""`}), ""
	}
	edits, why := f.unfold(b, a, e, x)
	return append(all, edits...), why
}

// isText reports whether an expression is a quoted text or a heredoc, without templates.
func isText(expr hclsyntax.Expression) bool {
	e, ok := expr.(*hclsyntax.TemplateExpr)
	return ok && !slices.ContainsFunc(e.Parts, func(part hclsyntax.Expression) bool { return !isLiteral(part) })
}

// unfold makes a heredoc of a quoted text. The marker that ends it has a line to itself, so comments behind the text get one before the
// attribute, and a block of one line is broken into several.
func (f *TestFile) unfold(b *hclsyntax.Block, a *hclsyntax.Attribute, e *Expect, x Found) ([]edit, string) {
	src, from, to := f.file.src, a.NameRange.Start.Byte, a.Expr.Range().End.Byte
	comments, end, closed := commentsAt(src, to)
	indent, behind := f.lineIndent(a.NameRange.Start.Line), ""
	lead := edit{from: from, to: from}
	if closed { // a block of one line has this attribute alone
		behind = "\n" + f.lineIndent(b.TypeRange.Start.Line)
		indent = behind[1:] + "  "
		lead = edit{b.OpenBraceRange.End.Byte, from, "\n" + indent}
		comments = strings.TrimSpace(string(src[lead.from:from]) + comments)
	}
	if comments != "" {
		lead.text += comments + "\n" + indent
	}
	text, why := f.heredocOf("<<-EOT", indent, e, x)
	return []edit{lead, {a.Expr.Range().Start.Byte, end, text + behind}}, why
}

// commentsAt returns the comments that follow a value on its line, where they end, and whether the block ends there.
func commentsAt(src []byte, from int) (comments string, end int, closed bool) {
	tokens, _ := hclsyntax.LexConfig(src[from:], "", hcl.InitialPos)
	end = from
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenCBrace {
			end, closed = from+t.Range.Start.Byte, true
		}
		if t.Type != hclsyntax.TokenComment {
			break
		}
		text := bytes.TrimRight(t.Bytes, "\r\n")
		if end = from + t.Range.Start.Byte + len(text); len(text) < len(t.Bytes) { // it ends with the line
			break
		}
	}
	return strings.TrimSpace(string(src[from:end])), end, closed
}

// heredocOf returns the rows as a heredoc that begins with a marker on a line with an indent, or else why one cannot hold them.
func (f *TestFile) heredocOf(marker, outer string, e *Expect, x Found) (text, why string) {
	indent, end := outer+"  ", strings.TrimLeft(marker, "<-")
	if strings.HasPrefix(marker, "<<-") {
		end = outer + end
	}
	if len(e.Rows.All) > 0 && e.Rows.All[0].Line > e.Rows.Range.Line {
		indent = f.lineIndent(e.Rows.All[0].Line)
	}
	var b strings.Builder
	for i, row := range x.Rows {
		switch {
		case e.Bytes && bytes.ContainsRune(row, '\r'):
			return "", "want rows that HCL can hold, to update them, have one with a carriage return"
		case e.Bytes:
			b.WriteString(indent + string(row))
		case i < len(e.Rows.All) && x.Same(i):
			b.WriteString(indent + strings.ReplaceAll(e.Rows.All[i].Text, "\r", ""))
		default:
			b.WriteString(indent)
			layOut(&b, "", gjson.Parse(oneLine(string(row))), indent)
		}
		b.WriteString("\n")
	}
	return marker + "\n" + escapes.Replace(b.String()) + end, ""
}

// maxLine is how many bytes a line of a row may have.
const maxLine = 120

// layOut writes a value behind its key: on one line if it fits, else with a line or more for each part.
func layOut(b *strings.Builder, key string, v gjson.Result, indent string) {
	b.WriteString(key)
	open, end := "{", "}"
	if v.IsArray() {
		open, end = "[", "]"
	}
	if len(indent)+len(key)+len(v.Raw) <= maxLine || !v.IsObject() && !v.IsArray() {
		b.WriteString(v.Raw)
		return
	}
	inner, between := indent+"  ", open+"\n"
	v.ForEach(func(name, part gjson.Result) bool {
		b.WriteString(between + inner)
		layOut(b, strings.TrimPrefix(name.Raw+": ", ": "), part, inner)
		between = ",\n"
		return true
	})
	b.WriteString("\n" + indent + end)
}

// lineIndent returns the white space before what a line says.
func (f *TestFile) lineIndent(line int) string {
	text := f.file.line(line)
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

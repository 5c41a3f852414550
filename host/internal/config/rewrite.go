package config

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/tidwall/gjson"
)

// A Found is what a run has found in place of one expectation.
type Found struct {
	Rows  [][]byte         // all rows of the sink; taken when the block has rows
	Same  func(i int) bool // row i is as the file has it, which stays as it is written
	Count int64            // taken when the block has a count
}

// Rewrite returns the text of the file with other rows and counts, by the places of test and expectation in it. Everything
// else stays as it is written. The error names an expectation whose rows are not written out in the file.
func (f *TestFile) Rewrite(found map[[2]int]Found) ([]byte, error) {
	file, diags := hclwrite.ParseConfig(f.file.src, f.Path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	nth := 0
	for _, test := range file.Body().Blocks() {
		k := 0
		for _, b := range test.Body().Blocks() {
			if b.Type() != "expect" {
				continue
			}
			if x, ok := found[[2]int{nth, k}]; ok {
				if err := f.rewrite(b.Body(), &f.Tests[nth].Expects[k], x); err != nil {
					return nil, err
				}
			}
			k++
		}
		nth++
	}
	text := file.BuildTokens(nil).Bytes() // Bytes would format the file
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s: want a file of at most %d bytes, have %d with the new rows; use count or contains instead", f.Path, maxSize, len(text))
	}
	return text, nil
}

func (f *TestFile) rewrite(body *hclwrite.Body, e *Expect, x Found) error {
	if body.GetAttribute("count") != nil {
		number := strconv.AppendInt(nil, x.Count, 10)
		body.SetAttributeRaw("count", hclwrite.Tokens{{Type: hclsyntax.TokenNumberLit, Bytes: number, SpacesBefore: 1}})
	}
	a := body.GetAttribute("rows")
	if a == nil {
		return nil
	}
	old := string(bytes.TrimSpace(a.Expr().BuildTokens(nil).Bytes()))
	outer := f.lineIndent(e.Rows.Range.EndLine)
	marker, indent := "<<-EOT", outer+"  "
	switch {
	case strings.HasPrefix(old, "<<"):
		marker, _, _ = strings.Cut(old, "\n")
		if len(e.Rows.All) > 0 {
			indent = f.lineIndent(e.Rows.All[0].Line)
		}
	case old != `""`:
		return fmt.Errorf("%s:%d: want rows written out in the file, to update them, have an expression", f.Path, e.Rows.Range.Line)
	}
	var text strings.Builder
	for i, row := range x.Rows {
		switch {
		case i < len(e.Rows.All) && x.Same(i):
			text.WriteString(indent + e.Rows.All[i].Text + "\n")
		case e.Bytes && bytes.ContainsRune(row, '\r'):
			return fmt.Errorf("%s:%d: want rows that HCL can hold, to update them, have one with a carriage return", f.Path, e.Rows.Range.Line)
		case e.Bytes:
			text.WriteString(indent + string(row) + "\n")
		default:
			text.WriteString(indent)
			layOut(&text, "", gjson.Parse(oneLine(string(row))), indent)
			text.WriteString("\n")
		}
	}
	end := strings.TrimLeft(marker, "<-")
	if strings.HasPrefix(marker, "<<-") {
		end = outer + end
	}
	body.SetAttributeRaw("rows", hclwrite.Tokens{
		{Type: hclsyntax.TokenOHeredoc, Bytes: []byte(marker + "\n"), SpacesBefore: 1},
		{Type: hclsyntax.TokenStringLit, Bytes: []byte(escapes.Replace(text.String()))},
		{Type: hclsyntax.TokenCHeredoc, Bytes: []byte(end)},
	})
	return nil
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

package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// A Found is what one expectation should say instead.
type Found struct {
	Rows  [][]byte         // all rows of the sink; taken when the block has rows
	Same  func(i int) bool // row i is as the file has it, which stays as it is written
	Count int64            // taken when the block has a count
}

// Rewrite gives the text of the file with other rows and counts, by the places of test and expectation in it. Everything
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
	return file.BuildTokens(nil).Bytes(), nil // Bytes would format the file
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
	old := bytes.TrimSpace(a.Expr().BuildTokens(nil).Bytes())
	marker := []byte("<<EOT")
	switch {
	case bytes.HasPrefix(old, []byte("<<")):
		marker, _, _ = bytes.Cut(old, []byte("\n"))
	case bytes.Equal(old, []byte(`""`)):
	default:
		return fmt.Errorf("%s:%d: want rows that are written out there, to update them, have an expression", f.Path, e.Rows.Range.Line)
	}
	indent := f.indent(e)
	var text strings.Builder
	for i, row := range x.Rows {
		switch {
		case i < len(e.Rows.All) && x.Same(i):
			text.WriteString(indent + e.Rows.All[i].Text + "\n")
		case i < len(e.Rows.All) && strings.Contains(e.Rows.All[i].Text, "\n"):
			var b bytes.Buffer
			if err := json.Indent(&b, row, indent, "  "); err != nil {
				return err
			}
			text.WriteString(indent + b.String() + "\n")
		default:
			text.WriteString(indent + string(row) + "\n")
		}
	}
	end := strings.TrimLeft(string(marker), "<-")
	if strings.HasPrefix(string(marker), "<<-") {
		end = f.lineIndent(e.Rows.Range.EndLine) + end
	}
	body.SetAttributeRaw("rows", hclwrite.Tokens{
		{Type: hclsyntax.TokenOHeredoc, Bytes: append(slices.Clone(marker), '\n'), SpacesBefore: 1},
		{Type: hclsyntax.TokenStringLit, Bytes: []byte(escapes.Replace(text.String()))},
		{Type: hclsyntax.TokenCHeredoc, Bytes: []byte(end)},
	})
	return nil
}

// indent is the white space before the first row of an expectation.
func (f *TestFile) indent(e *Expect) string {
	if len(e.Rows.All) == 0 || e.Rows.All[0].Line == e.Rows.Range.Line {
		return ""
	}
	return f.lineIndent(e.Rows.All[0].Line)
}

func (f *TestFile) lineIndent(line int) string {
	text := f.file.line(line)
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

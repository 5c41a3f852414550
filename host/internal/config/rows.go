package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/tidwall/gjson"
	"github.com/zclconf/go-cty/cty"
)

// heredoc returns the lines of a heredoc without templates, and the number of the first. They are as in the file, while the
// value of the expression is in Unicode normal form C.
func (l *loader) heredoc(expr hclsyntax.Expression) (text string, line int, ok bool) {
	e, isTemplate := expr.(*hclsyntax.TemplateExpr)
	src := string(expr.Range().SliceBytes(l.file.src))
	marker, body, _ := strings.Cut(src, "\n")
	if !isTemplate || !strings.HasPrefix(marker, "<<") {
		return "", 0, false
	}
	for _, part := range e.Parts {
		if !isLiteral(part) {
			return "", 0, false
		}
	}
	body = body[:strings.LastIndexByte(body, '\n')+1] // without the end marker
	return unescapes.Replace(strings.ReplaceAll(body, "\r\n", "\n")), expr.Range().Start.Line + 1, true
}

// What a heredoc writes for what would begin a template.
var (
	unescapes = strings.NewReplacer("$${", "${", "%%{", "%{")
	escapes   = strings.NewReplacer("${", "$${", "%{", "%%{")
)

// outdent takes the spaces away that every line begins with.
func outdent(text string) string {
	least := len(text)
	for line := range strings.Lines(text) {
		least = min(least, len(line)-len(strings.TrimLeft(line, " ")))
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line[least:])
	}
	return b.String()
}

// raw returns the text of an attribute as it is in the file when it is a heredoc, else its value.
func (l *loader) raw(expr hclsyntax.Expression, value string) string {
	text, _, ok := l.heredoc(expr)
	switch {
	case !ok:
		return value
	case l.file.src[expr.Range().Start.Byte+len("<<")] == '-':
		return outdent(text)
	}
	return text
}

// rows returns the JSON values in an attribute, nil when it is absent or wrong.
func (l *loader) rows(b *block, name string) *Rows {
	value, ok := l.str(b, name)
	if !ok {
		return nil
	}
	expr := b.attrs[name].value
	rows := &Rows{Range: l.file.rangeOf(expr.Range())}
	text, first, written := l.heredoc(expr)
	if !written {
		text = value
	}
	at := func(offset int) Range {
		if !written {
			return rows.Range
		}
		before := text[:offset]
		line, column := first+strings.Count(before, "\n"), utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1
		return Range{Line: line, Column: column, EndLine: line, EndColumn: column + 1}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	for end := 0; ; {
		start := len(text) - len(strings.TrimLeft(text[end:], " \t\r\n"))
		if start == len(text) {
			return rows
		}
		var row json.RawMessage
		if dec.Decode(&row) != nil {
			l.notJSON(b, name, len(rows.All)+1, json.Unmarshal([]byte(text[start:]), &row), func(offset int) Range {
				return at(min(start+offset, len(strings.TrimRight(text, "\n"))))
			})
			return nil
		}
		end = int(dec.InputOffset())
		rows.All = append(rows.All, Row{Text: text[start:end], Line: at(start).Line})
	}
}

// oneLine takes the lines out of a row.
func oneLine(row string) string {
	if !strings.ContainsAny(row, "\r\n") {
		return row
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(row)); err != nil {
		return row // it was checked
	}
	return b.String()
}

// notJSON reports a row that is wrong at some offset.
func (l *loader) notJSON(b *block, name string, n int, wrong error, at func(offset int) Range) {
	offset, have := 0, "a value that ends too early"
	if syntax, ok := errors.AsType[*json.SyntaxError](wrong); ok {
		offset = int(syntax.Offset)
		if !strings.HasPrefix(syntax.Error(), "unexpected end") {
			offset, have = max(offset-1, 0), syntax.Error()
		}
	}
	l.diags = append(l.diags, l.file.at(at(offset), b.context, fmt.Sprintf("row %d of %s in %s is not JSON", n, name, b.title()),
		"want JSON values behind each other, have "+have, ""))
}

// Literal writes a JSON value as a pipeline file has it, on one line: {"a":["b"]} is { a = ["b"] }.
func Literal(json string) string { return literal(gjson.Parse(json)) }

func literal(v gjson.Result) string {
	var parts []string
	switch {
	case v.IsArray():
		for _, e := range v.Array() {
			parts = append(parts, literal(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.IsObject():
		v.ForEach(func(key, e gjson.Result) bool {
			name := key.Str
			if !hclsyntax.ValidIdentifier(name) {
				name = quoted(name)
			}
			parts = append(parts, name+" = "+literal(e))
			return true
		})
		if parts == nil {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case v.Type == gjson.String:
		return quoted(v.Str)
	}
	return v.Raw
}

func quoted(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

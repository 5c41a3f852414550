package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// heredoc gives the text of a heredoc that is written out, and the line on which it begins. The text is as it stands in
// the file, where the value that HCL gives is in Unicode normal form C.
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
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if strings.HasPrefix(marker, "<<-") {
		body = outdent(body)
	}
	return unescapes.Replace(body), expr.Range().Start.Line + 1, true
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

// raw is the text of an attribute as it stands in the file when it is a heredoc, else its value.
func (l *loader) raw(expr hclsyntax.Expression, value string) string {
	if text, _, ok := l.heredoc(expr); ok {
		return text
	}
	return value
}

// rows gives the JSON values in an attribute, nil when it is absent or wrong.
func (l *loader) rows(b *block, name string) *Rows {
	value, ok := l.given(b, name)
	if !ok {
		return nil
	}
	expr := b.attrs[name].value
	rows := &Rows{Range: l.file.rangeOf(expr.Range())}
	text, first, written := l.heredoc(expr)
	if !written {
		text = value
	}
	line := func(offset int) int {
		if !written {
			return rows.Range.Line
		}
		return first + strings.Count(text[:offset], "\n")
	}
	dec := json.NewDecoder(strings.NewReader(text))
	for end := 0; ; {
		start := len(text) - len(strings.TrimLeft(text[end:], " \t\r\n"))
		if start == len(text) {
			return rows
		}
		var row json.RawMessage
		err := dec.Decode(&row)
		if end = int(dec.InputOffset()); err != nil {
			end = len(text)
		}
		if wrong := jsontext.Check(text[start:end], maxRowDepth); wrong != nil {
			l.notJSON(b, name, len(rows.All)+1, line(min(start+wrong.At, end-1)), written, wrong)
			return nil
		}
		rows.All = append(rows.All, Row{Text: text[start:end], Line: line(start)})
	}
}

// oneLine takes the lines out of a row.
func oneLine(row string) string {
	if !strings.Contains(row, "\n") {
		return row
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(row)); err != nil {
		return row // it was checked
	}
	return b.String()
}

// maxRowDepth is how deep a row of a test may nest, as of a source that says nothing else.
const maxRowDepth = 1000

// notJSON reports a row at its line, or at the attribute when the text is not written out there.
func (l *loader) notJSON(b *block, name string, n, line int, written bool, wrong *jsontext.Error) {
	at := l.file.rangeOf(b.attrs[name].value.Range())
	if written {
		text := l.file.line(line)
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		at = Range{Line: line, Column: indent + 1, EndLine: line, EndColumn: len([]rune(text)) + 1}
	}
	l.diags = append(l.diags, l.file.at(at, b.context, fmt.Sprintf("row %d of %s in %s is not JSON", n, name, b.title()),
		wrong.Message, ""))
}

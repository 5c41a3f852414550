// Package instruction reads what the platform and developers say in words: the lines that instruct, and the format that they demand.
package instruction

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Line is one line of a text, without white space around it.
type Line struct {
	Text  string
	Prose string // without what is in quotation marks; "" for what is no ProseLine
	Kind  LineKind
}

// LineKind says what a line is a part of.
type LineKind uint8

// The kinds of lines.
const (
	ProseLine LineKind = iota // outside of fenced blocks and quotations
	QuoteLine                 // of a quotation
	FenceLine                 // begins a fenced block
	CodeLine                  // in a fenced block, or its end
)

// AppendLines appends the lines of a text. What is made for them is appended to buf, which it returns.
func AppendLines(all []Line, text string, buf []byte) ([]Line, []byte) {
	fence := 0 // how many backticks end the fenced block; 0 outside of one
	for text != "" {
		var l string
		if l, text, _ = strings.Cut(text, "\n"); l != "" {
			l = strings.TrimSpace(l)
		}
		made := Line{Text: l}
		ticks := made.Backticks()
		switch {
		case fence > 0:
			if made.Kind = CodeLine; ticks >= fence && ticks == len(l) {
				fence = 0
			}
		case ticks >= 3:
			made.Kind, fence = FenceLine, ticks
		case strings.HasPrefix(l, ">"):
			made.Kind = QuoteLine
		}
		if made.Kind == ProseLine {
			made.Prose, buf = withoutQuotations(l, buf)
		}
		all = append(all, made)
	}
	return all, buf
}

// Backticks returns how many backticks the line begins with.
func (l Line) Backticks() (n int) {
	for n < len(l.Text) && l.Text[n] == '`' {
		n++
	}
	return n
}

// Info returns what the line says behind its backticks, which is the language of the block that a fence begins.
func (l Line) Info() string { return strings.TrimSpace(l.Text[l.Backticks():]) }

// withoutQuotations returns a line without what is in quotation marks. Another line than that is appended to buf.
func withoutQuotations(line string, buf []byte) (string, []byte) {
	if strings.IndexByte(line, '"') < 0 {
		return line, buf
	}
	from := len(buf)
	for {
		before, rest, _ := strings.Cut(line, `"`)
		_, rest, closed := strings.Cut(rest, `"`)
		if !closed {
			buf = append(buf, line...)
			return jsontext.View(buf[from:]), buf
		}
		buf, line = append(buf, before...), rest
	}
}

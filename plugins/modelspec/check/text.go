package check

import (
	"iter"
	"strings"
)

// A line is one line of a text, without white space around it.
type line struct {
	text  string
	prose string // without what is in quotation marks; "" for what is no proseLine
	kind  lineKind
}

type lineKind uint8

const (
	proseLine lineKind = iota // outside of fenced blocks and quotations
	quoteLine                 // of a quotation
	fenceLine                 // begins a fenced block
	codeLine                  // in a fenced block, or its end
)

// appendLines appends the lines of a text. What is made for them is in m.
func appendLines(all []line, text string, m *memory) []line {
	fence := 0 // how many backticks end the fenced block; 0 outside of one
	for text != "" {
		var l string
		if l, text, _ = strings.Cut(text, "\n"); l != "" {
			l = strings.TrimSpace(l)
		}
		kind, ticks := proseLine, backticks(l)
		switch {
		case fence > 0:
			if kind = codeLine; ticks >= fence && ticks == len(l) {
				fence = 0
			}
		case ticks >= 3:
			kind, fence = fenceLine, ticks
		case strings.HasPrefix(l, ">"):
			kind = quoteLine
		}
		made := line{text: l, kind: kind}
		if kind == proseLine {
			made.prose = withoutQuotations(l, m)
		}
		all = append(all, made)
	}
	return all
}

// backticks returns how many backticks a line begins with.
func backticks(line string) (n int) {
	for n < len(line) && line[n] == '`' {
		n++
	}
	return n
}

// info returns what a line says behind its backticks, which is the language of the block that a fence begins.
func (l line) info() string { return strings.TrimSpace(l.text[backticks(l.text):]) }

// withoutQuotations returns a line without what is in quotation marks.
func withoutQuotations(line string, m *memory) string {
	if strings.IndexByte(line, '"') < 0 {
		return line
	}
	kept := m.take(len(line))
	for {
		before, rest, _ := strings.Cut(line, `"`)
		_, rest, closed := strings.Cut(rest, `"`)
		if !closed {
			return m.keep(append(kept, line...))
		}
		kept, line = append(kept, before...), rest
	}
}

// spans iterates over the code spans of a line: what is between two backticks.
func spans(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, _ := strings.Cut(line, "`")
			span, rest, closed := strings.Cut(rest, "`")
			if !closed || !yield(span) {
				return
			}
			line = rest
		}
	}
}

// Classes of bytes.
const (
	wordByte  = 1 << iota // a letter, digit or underscore
	nameByte              // in the name of a format
	slugByte              // in the name of a format that is no call
	codeByte              // in a password or a number
	plainByte             // a letter or digit as appendPlain writes it
)

var classes = func() (table [256]byte) {
	for bytes, class := range map[string]byte{
		"abcdefghijklmnopqrstuvwxyz": wordByte | nameByte | slugByte | codeByte | plainByte,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ": wordByte | nameByte | slugByte | codeByte,
		"0123456789":                 wordByte | nameByte | slugByte | codeByte | plainByte,
		"_":                          wordByte | nameByte | slugByte | codeByte,
		"-":                          nameByte | slugByte | codeByte,
		".":                          nameByte | codeByte,
		":":                          nameByte,
		"@#$%+*/=":                   codeByte,
	} {
		for i := range len(bytes) {
			table[bytes[i]] = class
		}
	}
	for c := 0x80; c < len(table); c++ {
		table[c] = plainByte
	}
	return table
}()

// run returns the length of what a text begins with of a class.
func run(text string, class byte) (n int) {
	for n < len(text) && classes[text[n]]&class != 0 {
		n++
	}
	return n
}

// runBack returns the length of what a text ends with of a class.
func runBack(text string, class byte) (n int) {
	for n < len(text) && classes[text[len(text)-1-n]]&class != 0 {
		n++
	}
	return n
}

// cutFold cuts words, which are in lower case, off the beginning of a text in any case.
func cutFold(text, words string) (rest string, ok bool) {
	if len(text) < len(words) {
		return text, false
	}
	for i := range len(words) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != words[i] {
			return text, false
		}
	}
	return text[len(words):], true
}

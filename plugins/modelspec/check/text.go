package check

import (
	"iter"
	"strings"
)

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

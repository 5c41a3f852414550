package jsontext

import "strings"

// Limits of JSON inside a string. The source of a record bounds only the JSON outside of strings.
const (
	EmbeddedDepth = 1000
	EmbeddedSize  = 32 << 20 // bytes, decoded
)

// Embedded returns the JSON value that a decoded text consists of, without the space around it. It is not ok for a text that is
// not JSON, nests too deep or is too large.
func Embedded(text string) (JSON, bool) {
	text = strings.TrimFunc(text, IsSpace)
	if text == "" || len(text) > EmbeddedSize || Check(text, EmbeddedDepth) != nil {
		return "", false
	}
	return JSON(text), true
}

// Embedded returns the JSON value that the string consists of, as the function does.
func (b Body) Embedded() (JSON, bool) {
	if len(b) > 6*EmbeddedSize { // no escape is longer
		return "", false
	}
	return Embedded(b.Text())
}

package jsontext

import "strings"

// Limits of JSON that stands in a string. The source of a record bounds only what stands outside.
const (
	EmbeddedDepth = 1000
	EmbeddedSize  = 32 << 20 // bytes, decoded
)

// Embedded gives the one JSON value that a decoded text holds, without the space around it. A text that is no JSON,
// that nests too deep or is too large holds none.
func Embedded(text string) (JSON, bool) {
	text = strings.TrimFunc(text, IsSpace)
	if text == "" || len(text) > EmbeddedSize || Check(text, EmbeddedDepth) != nil {
		return "", false
	}
	return JSON(text), true
}

// Embedded gives the JSON value that the string holds, as the function does.
func (b Body) Embedded() (JSON, bool) {
	if len(b) > 6*EmbeddedSize { // no escape is longer
		return "", false
	}
	return Embedded(b.Text())
}

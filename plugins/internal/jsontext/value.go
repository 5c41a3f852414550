package jsontext

import (
	"strings"
	"unsafe"
)

// View gives bytes as a string, without a copy. They must not change as long as it is used.
func View(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// Lookup gives the last value of a key, or "" when the value is no object or does not have it. It walks the whole
// object, so it is for small ones.
func Lookup(object, name string) (value string) {
	c := Cursor{Text: object}
	if c.Kind() != '{' {
		return ""
	}
	for key := range c.Members() {
		if v := c.Value(); key == name {
			value = v
		}
	}
	return value
}

// Body gives the body of a value that is a string, "" of any other.
func Body(value string) string {
	body, _ := Quoted(value)
	return body
}

// LookupBody gives the body of a member that is a string, "" without.
func LookupBody(object, name string) string { return Body(Lookup(object, name)) }

// Decoded gives the text of a value that is a string, "" of any other.
func Decoded(value string) string { return Unquote(Body(value)) }

// Word gives the text of a string in lower case and without the space around it, "" of any other value.
func Word(value string) string {
	return strings.ToLower(strings.TrimFunc(Decoded(value), IsSpace))
}

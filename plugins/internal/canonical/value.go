package canonical

import (
	"strings"
	"unsafe"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// Text gives the record as a string, without a copy.
func Text(r *sdk.Record) string {
	data := r.JSON()
	return unsafe.String(unsafe.SliceData(data), len(data))
}

// Lookup gives the last value of a key, or "" when the value is no object or does not have it. It walks the whole
// object, so it is for small ones.
func Lookup(object, name string) (value string) {
	c := jsontext.Cursor{Text: object}
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

// Decoded gives the text of a string, "" of any other value.
func Decoded(value string) string {
	body, _ := jsontext.Quoted(value)
	return jsontext.Unquote(body)
}

// Word gives the text of a string in lower case and without the space around it, "" of any other value.
func Word(value string) string {
	return strings.ToLower(strings.TrimFunc(Decoded(value), jsontext.IsSpace))
}

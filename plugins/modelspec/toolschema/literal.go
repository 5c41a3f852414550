package toolschema

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// AppendLiteral appends the next value of a cursor as a Python literal. Strings are those of JSON, which Python reads alike.
func AppendLiteral(dst []byte, c *jsontext.Cursor) []byte {
	switch c.Kind() {
	case '"':
		body, _ := c.String()
		return jsontext.AppendString(dst, body.Text())
	case '[':
		dst = append(dst, '[')
		for i := range c.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendLiteral(dst, c)
		}
		return append(dst, ']')
	case '{':
		return AppendDict(dst, c.Value().Unique())
	}
	switch v := c.Value(); v {
	case "true":
		return append(dst, "True"...)
	case "false":
		return append(dst, "False"...)
	case "null":
		return append(dst, "None"...)
	default:
		return append(dst, v...)
	}
}

// AppendDict appends members as a Python dictionary.
func AppendDict(dst []byte, members []jsontext.Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		c := m.Value.Cursor()
		dst = AppendLiteral(append(jsontext.AppendString(dst, m.Key), ": "...), &c)
	}
	return append(dst, '}')
}

var pythonKeywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true, "break": true,
	"class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true, "finally": true, "for": true,
	"from": true, "global": true, "if": true, "import": true, "in": true, "is": true, "lambda": true, "nonlocal": true, "not": true,
	"or": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
	"__debug__": true,
}

// IsIdentifier reports whether a name is an identifier of Python in ASCII.
func IsIdentifier(name string) bool {
	for i := range len(name) {
		if c := name[i]; !(c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != "" && !pythonKeywords[name]
}

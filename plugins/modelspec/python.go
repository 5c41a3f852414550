package modelspec

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// pythonCall writes a call as name(key=value, ...), as a string body.
func pythonCall(name string, args jsontext.JSON) (jsontext.Body, error) {
	if !isIdentifier(name) {
		return "", fmt.Errorf("want a tool whose name Python can call, have another name")
	}
	if args.Kind() != '{' {
		return "", fmt.Errorf("want arguments by name, have another value")
	}
	call := append([]byte(name), '(')
	n := 0
	c := jsontext.Cursor{JSON: args}
	for key := range c.Members() {
		if !isIdentifier(key) {
			return "", fmt.Errorf("want arguments with names of Python, have another name")
		}
		if n++; n > 1 {
			call = append(call, ", "...)
		}
		call = append(append(call, key...), '=')
		call = appendLiteral(call, &c)
	}
	return jsontext.BodyOf(append(call, ')')), nil
}

// appendLiteral appends the value ahead as a Python literal. Strings stay those of JSON, which Python reads alike.
func appendLiteral(dst []byte, c *jsontext.Cursor) []byte {
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
			dst = appendLiteral(dst, c)
		}
		return append(dst, ']')
	case '{':
		dst = append(dst, '{')
		n := 0
		for key := range c.Members() {
			if n++; n > 1 {
				dst = append(dst, ", "...)
			}
			dst = append(jsontext.AppendString(dst, key), ": "...)
			dst = appendLiteral(dst, c)
		}
		return append(dst, '}')
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

// isIdentifier tells whether a name is one that Python can write, ASCII letters only.
func isIdentifier(name string) bool {
	for i := range len(name) {
		if c := name[i]; !(c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != ""
}

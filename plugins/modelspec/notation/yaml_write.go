package notation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// AppendYAML appends JSON as YAML: block collections, plain words that are texts in every version of YAML, and all other texts
// as JSON strings, which YAML reads alike.
func AppendYAML(dst []byte, value jsontext.JSON) []byte {
	c := value.Cursor()
	return appendYAML(dst, &c, 0)
}

var (
	yamlPlain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([ /.-][A-Za-z0-9_]+)*$`)
	// yamlReserved holds words that some version of YAML takes for more than text.
	yamlReserved = map[string]bool{
		"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
	}
)

func appendYAML(dst []byte, c *jsontext.Cursor, depth int) []byte {
	value := c.Value()
	if body, ok := value.Quoted(); ok {
		return appendYAMLText(dst, body.Text())
	}
	if value.Empty() || value.Kind() != '{' && value.Kind() != '[' || depth > yamlDepth {
		return jsontext.AppendCompact(dst, value)
	}
	n := 0
	line := func() {
		if n++; n > 1 {
			dst = append(append(dst, '\n'), strings.Repeat("  ", depth)...)
		}
	}
	inner := value.Cursor()
	if value.Kind() == '[' {
		for range inner.Elements() {
			line()
			dst = appendYAML(append(dst, "- "...), &inner, depth+1)
		}
		return dst
	}
	for key := range inner.Members() {
		line()
		if dst = append(appendYAMLText(dst, key), ':'); inner.Kind() == '{' || inner.Kind() == '[' {
			dst = appendNested(dst, &inner, depth)
			continue
		}
		dst = appendYAML(append(dst, ' '), &inner, depth)
	}
	return dst
}

// appendNested appends a collection behind its key: on the lines below, or on its line when it is empty.
func appendNested(dst []byte, c *jsontext.Cursor, depth int) []byte {
	value := c.Value()
	if value.Empty() || depth >= yamlDepth {
		return jsontext.AppendCompact(append(dst, ' '), value)
	}
	dst = append(append(dst, '\n'), strings.Repeat("  ", depth+1)...)
	inner := value.Cursor()
	return appendYAML(dst, &inner, depth+1)
}

func appendYAMLText(dst []byte, text string) []byte {
	if yamlPlain.MatchString(text) && !yamlReserved[strings.ToLower(text)] {
		return append(dst, text...)
	}
	from := len(dst)
	dst = jsontext.AppendString(dst, text)
	if quoted := string(dst[from:]); strings.IndexFunc(quoted, needsEscape) >= 0 {
		dst = dst[:from]
		for _, r := range quoted {
			if needsEscape(r) {
				dst = fmt.Appendf(dst, `\u%04x`, r)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
	}
	return dst
}

// needsEscape reports whether YAML needs an escape for a character that JSON does not escape.
func needsEscape(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

package canonical

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// values computes digests of JSON values that do not depend on how they are written. It keeps memory for the next one.
type values struct{ text1, text2 []byte }

// deepest is how deep a value is read. Deeper values count as they are written.
const deepest = 1000

// digest returns the digest of a value, the zero digest for no value.
func (v *values) digest(value jsontext.JSON) Digest {
	if value == "" {
		return Digest{}
	}
	c := value.Cursor()
	return v.next(&c, 0)
}

// argument returns the digest of an input or a result, which may be inside a string. No value equals an empty object.
func (v *values) argument(value jsontext.JSON) Digest {
	if body, ok := value.Quoted(); ok {
		return v.text(body)
	}
	if value == "" || value == "null" {
		value = "{}"
	}
	return v.digest(value)
}

// input returns the digest of the input of a call. No value, and a text without one, equals an empty object.
func (v *values) input(value jsontext.JSON) Digest {
	body, ok := value.Quoted()
	if !ok {
		return v.argument(value)
	}
	if body.Blank() {
		return v.digest("{}")
	}
	if object, ok := body.Embedded(); ok && (object.Kind() == '{' || object == "null") {
		return v.argument(object)
	}
	return v.text(body)
}

// shown returns the digest of a value that is shown as text, the same as that of the text.
func (v *values) shown(value jsontext.JSON) Digest {
	if kind := value.Kind(); kind == '{' || kind == '[' {
		return v.digest(value)
	}
	return v.body(jsontext.BodyOf(string(value)))
}

// schema returns the digest of the schema of a tool's input. A schema that says nothing of its members, and none at all, equals
// one that says there are none.
func (v *values) schema(t *ToolSpec) Digest {
	schema, _, _ := t.Schema()
	plain, others := []byte("{"), 0
	for key, value := range schema.Members() {
		switch {
		case key == "properties" && value.Empty():
			continue
		case key != "type" || value != `"object"`:
			others++
		}
		plain = append(jsontext.AppendKey(plain, key), value...)
	}
	if others == 0 {
		return v.digest(noParameters)
	}
	return v.digest(jsontext.JSON(append(plain, '}')))
}

// text returns the digest of a text. A text of an object or array has the digest of that value.
func (v *values) text(body jsontext.Body) Digest {
	if start := strings.TrimLeft(string(body), " \t\r\n"); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		if value, ok := body.Embedded(); ok {
			return v.digest(value)
		}
	}
	return v.body(body)
}

// body returns the digest of a text, whatever its escapes.
func (v *values) body(body jsontext.Body) Digest {
	if severalSpellings(body) {
		v.text1 = jsontext.AppendText(jsontext.Reuse(v.text1), body)
		v.text2 = jsontext.AppendBody(jsontext.Reuse(v.text2), jsontext.View(v.text1))
		return Digest(xxh3.Hash128(v.text2))
	}
	return Digest(xxh3.HashString128(string(body)))
}

// severalSpellings reports whether a body may have an escape that AppendBody spells differently.
func severalSpellings(body jsontext.Body) bool {
	return strings.Contains(string(body), `\u`) || strings.Contains(string(body), `\/`)
}

func (v *values) next(c *jsontext.Cursor, depth int) Digest {
	kind := c.Kind()
	switch {
	case depth > deepest:
	case kind == '"':
		body, _ := c.String()
		return v.body(body)
	case kind == '[':
		var list Digest
		for range c.Elements() {
			list = join(ofArray, list, v.next(c, depth+1))
		}
		return join(ofArray, list, Digest{})
	case kind == '{': // a sum has no order
		var sum Digest
		for key := range c.Members() {
			member := join(ofMember, Digest(xxh3.HashString128(key)), v.next(c, depth+1))
			sum.Hi, sum.Lo = sum.Hi+member.Hi, sum.Lo+member.Lo
		}
		return join(ofObject, sum, Digest{})
	}
	text := c.Value()
	if kind == '-' || kind >= '0' && kind <= '9' {
		v.text1 = appendNumber(v.text1[:0], string(text))
		return join(ofNumber, Digest(xxh3.Hash128(v.text1)), Digest{})
	}
	return join(ofLiteral, Digest(xxh3.HashString128(string(text))), Digest{})
}

// appendNumber appends the one spelling that all spellings of a number share: its digits without zeros around them, and
// the power of ten that they are multiplied by. 1.50, 15e-1 and 150E-2 are 15e-1.
func appendNumber(dst []byte, number string) []byte {
	start := len(dst)
	mantissa, power := number, 0
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		n, err := strconv.Atoi(number[e+1:])
		if err != nil || n > 1<<30 || n < -1<<30 { // no real number
			return append(dst, number...)
		}
		mantissa, power = number[:e], n
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	if negative {
		dst = append(dst, '-')
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	digits := append(append(dst, whole...), part...)
	digits = digits[len(dst):]
	power += len(digits) - len(part)
	digits = bytes.TrimRight(digits, "0")
	power -= len(digits)
	if digits = bytes.TrimLeft(digits, "0"); len(digits) == 0 {
		return append(dst[:start], '0')
	}
	dst = append(dst, digits...)
	return strconv.AppendInt(append(dst, 'e'), int64(power), 10)
}

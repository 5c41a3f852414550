package notation

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Conform checks a value against a JSON schema and returns what does not fit, or "". It knows the keywords of tool
// definitions: type, enum, const, properties, required, additionalProperties, items, anyOf, oneOf, allOf, and the bounds of
// numbers, texts and lists. It ignores others, such as references.
func Conform(schema, value jsontext.JSON) string { return conform(schema, value, "", 0) }

func conform(schema, value jsontext.JSON, path string, depth int) string {
	if schema == "false" {
		return "a value at " + at(path) + " where none may be"
	}
	if schema.Kind() != '{' || depth > maxDepth {
		return ""
	}
	for _, m := range schema.Unique() {
		if fault := keyword(m.Key, m.Value, schema, value, path, depth); fault != "" {
			return fault
		}
	}
	return ""
}

func at(path string) string {
	if path == "" {
		return "the top"
	}
	return path[1:]
}

// keyword checks a value against one member of a schema.
func keyword(key string, want, schema, value jsontext.JSON, path string, depth int) string {
	switch key {
	case "type":
		return typed(want, value, path)
	case "enum":
		c := want.Cursor()
		for range c.Elements() {
			if equal(c.Value(), value) {
				return ""
			}
		}
		return "another value than those of the enum at " + at(path)
	case "const":
		if !equal(want, value) {
			return "another value than the constant at " + at(path)
		}
	case "anyOf", "oneOf":
		c := want.Cursor()
		for range c.Elements() {
			if conform(c.Value(), value, path, depth+1) == "" {
				return ""
			}
		}
		return "a value that fits none of the alternatives at " + at(path)
	case "allOf":
		c := want.Cursor()
		for range c.Elements() {
			if fault := conform(c.Value(), value, path, depth+1); fault != "" {
				return fault
			}
		}
	case "properties", "required", "additionalProperties":
		if value.Kind() == '{' {
			return member(key, want, schema, value, path, depth)
		}
	case "items":
		return items(want, value, path, depth)
	default:
		return bound(key, want, value, path)
	}
	return ""
}

func items(want, value jsontext.JSON, path string, depth int) string {
	if value.Kind() != '[' || want.Kind() != '{' {
		return ""
	}
	c := value.Cursor()
	for i := range c.Elements() {
		if fault := conform(want, c.Value(), fmt.Sprintf("%s.%d", path, i), depth+1); fault != "" {
			return fault
		}
	}
	return ""
}

func member(key string, want, schema, value jsontext.JSON, path string, depth int) string {
	have := value.Unique()
	get := func(name string) (jsontext.JSON, bool) {
		i := slices.IndexFunc(have, func(m jsontext.Member) bool { return m.Key == name })
		if i < 0 {
			return "", false
		}
		return have[i].Value, true
	}
	switch key {
	case "properties":
		for _, p := range want.Unique() {
			if v, ok := get(p.Key); ok {
				if fault := conform(p.Value, v, path+"."+p.Key, depth+1); fault != "" {
					return fault
				}
			}
		}
	case "required":
		c := want.Cursor()
		for range c.Elements() {
			if name := c.Value().Text(); name != "" {
				if _, ok := get(name); !ok {
					return "no " + strings.TrimPrefix(path+"."+name, ".")
				}
			}
		}
	default:
		known := schema.Get("properties").Unique()
		for _, m := range have {
			if !slices.ContainsFunc(known, func(k jsontext.Member) bool { return k.Key == m.Key }) {
				if fault := conform(want, m.Value, path+".(another member)", depth+1); fault != "" {
					return fault
				}
			}
		}
	}
	return ""
}

// typed checks a value against a type or a list of types.
func typed(want, value jsontext.JSON, path string) string {
	have := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "boolean", 'f': "boolean", 'n': "null"}[value.Kind()]
	integer := false
	if have == "" {
		have = "number"
		r, ok := new(big.Rat).SetString(short(value))
		integer = ok && r.IsInt()
	}
	names := []string{want.Text()}
	if want.Kind() == '[' {
		names = names[:0]
		c := want.Cursor()
		for range c.Elements() {
			names = append(names, c.Value().Text())
		}
	}
	for _, name := range names {
		if name == have || name == "integer" && integer || !slices.Contains([]string{"object", "array", "string", "boolean", "null", "number", "integer"}, name) {
			return ""
		}
	}
	return "a value of type " + have + " at " + at(path)
}

// short returns a number, or "" where its exponent would make it huge.
func short(number jsontext.JSON) string {
	if i := strings.IndexAny(string(number), "eE"); i >= 0 && len(number)-i > 5 || len(number) > 400 {
		return ""
	}
	return string(number)
}

func equal(a, b jsontext.JSON) bool {
	if a.Kind() == '"' && b.Kind() == '"' {
		return a.Body().Is(b.Body())
	}
	return string(jsontext.AppendCompact(nil, a)) == string(jsontext.AppendCompact(nil, b))
}

// bound checks a value against a keyword that bounds numbers, texts or lists.
func bound(key string, want, value jsontext.JSON, path string) string {
	limit, ok := new(big.Rat).SetString(short(want))
	if !ok {
		return ""
	}
	var have *big.Rat
	switch kind := value.Kind(); {
	case kind == '"' && strings.HasSuffix(key, "Length"):
		have = big.NewRat(int64(utf8.RuneCountInString(value.Text())), 1)
	case kind == '[' && strings.HasSuffix(key, "Items"):
		n := int64(0)
		c := value.Cursor()
		for range c.Elements() {
			n++
		}
		have = big.NewRat(n, 1)
	case strings.HasSuffix(strings.ToLower(key), "imum") && (kind == '-' || kind >= '0' && kind <= '9'):
		if have, ok = new(big.Rat).SetString(short(value)); !ok {
			return ""
		}
	default:
		return ""
	}
	over, under := have.Cmp(limit) > 0, have.Cmp(limit) < 0
	switch key {
	case "maximum", "maxLength", "maxItems":
		ok = !over
	case "minimum", "minLength", "minItems":
		ok = !under
	case "exclusiveMaximum":
		ok = under
	case "exclusiveMinimum":
		ok = over
	}
	if ok {
		return ""
	}
	return "a value out of bounds at " + at(path)
}

package toolschema

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TypeScript writes a JSON schema as "type NAME = ...". Descriptions become comments, and so does, as JSON, what TypeScript cannot
// express, such as // {"minimum":1}, so that ReadTypeScript returns the same schema.
func TypeScript(name string, schema jsontext.JSON) string {
	t := typeOf(schema, "")
	return t.comment("") + "type " + name + " = " + t.text
}

// A tsType is a schema as TypeScript.
type tsType struct {
	text        string
	description string   // decoded
	rest        []string // members of the schema that text does not express, as JSON
}

func (t tsType) comment(indent string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(t.description, "\n") {
		if t.description != "" {
			b.WriteString(indent + strings.TrimSuffix("// "+line, " ") + "\n")
		}
	}
	if len(t.rest) > 0 {
		b.WriteString(indent + "// {" + strings.Join(t.rest, ",") + "}\n")
	}
	return b.String()
}

// kindWords lists the keywords that describe a value. Where a comment has one, the type is only for people.
var kindWords = []string{"type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref", "items", "prefixItems", "properties"}

func typeOf(schema jsontext.JSON, indent string) tsType {
	if schema.Kind() != '{' {
		if schema == "false" {
			return tsType{text: "any", rest: []string{`"not":{}`}}
		}
		return tsType{text: "any", rest: []string{`"not":{"not":{}}`}}
	}
	schema = compact(schema)
	members, get := schema.Unique(), schema.Get
	t := tsType{}
	var exact bool
	var expressed []string
	switch kind := get("type").Text(); {
	case get("enum") != "":
		t.text, exact = union(get("enum"))
		exact = exact && kind == "string"
		expressed = []string{"type", "enum"}
	case kind == "object" && get("properties") != "":
		var ok bool
		if t.text, ok = objectOf(get("properties"), get("required"), indent); ok {
			expressed = []string{"required"}
		}
		exact = true
		expressed = append(expressed, "type", "properties")
	case kind == "object":
		t.text, exact, expressed = "object", true, []string{"type"}
	case kind == "array" && get("items") != "":
		item := typeOf(get("items"), indent)
		exact = item.description == "" && len(item.rest) == 0 && item.text != "any" // any[] is an array without "items"
		t.text = item.text + "[]"
		if strings.Contains(item.text, " | ") && !strings.HasPrefix(item.text, "{") {
			t.text = "(" + item.text + ")[]"
		}
		expressed = []string{"type", "items"}
	case kind == "array":
		t.text, exact, expressed = "any[]", true, []string{"type"}
	case kind == "string" || kind == "number" || kind == "boolean" || kind == "null":
		t.text, exact, expressed = kind, true, []string{"type"}
	case kind == "integer":
		t.text = "number"
	case kind == "" && len(members) == 0 || kind == "" && len(members) == 1 && get("description") != "":
		t.text, exact = "any", true
	default:
		t.text = approximate(get, indent)
	}
	if body, quoted := get("description").Quoted(); quoted && lineable(body.Text()) {
		t.description = body.Text()
		members = slices.DeleteFunc(members, func(m jsontext.Member) bool { return m.Key == "description" })
	}
	if exact {
		others := slices.DeleteFunc(slices.Clone(members), func(m jsontext.Member) bool { return slices.Contains(expressed, m.Key) })
		replaced := slices.ContainsFunc(others, func(m jsontext.Member) bool { return slices.Contains(kindWords, m.Key) })
		if t.text == "any" || !replaced {
			members = others
		}
	}
	for _, m := range members {
		t.rest = append(t.rest, member(m.Key, m.Value))
	}
	return t
}

// lineable reports whether ReadTypeScript finds a description in the lines of a comment.
func lineable(text string) bool {
	if text == "" || strings.ContainsAny(text, "\r\u2028\u2029") {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != strings.TrimSpace(line) || strings.HasPrefix(line, "{") {
			return false
		}
	}
	return true
}

// objectOf writes properties, and reports whether required lists those without a question mark, in order.
func objectOf(properties, required jsontext.JSON, indent string) (text string, ok bool) {
	inner := indent + "    "
	var names, needed []string
	for _, name := range required.Elements() {
		needed = append(needed, name.Text())
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, m := range properties.Unique() {
		t := typeOf(m.Value, inner)
		key := m.Key
		if !isName(key) {
			key = string(jsontext.AppendString(nil, key))
		}
		if slices.Contains(needed, m.Key) {
			names = append(names, m.Key)
		} else {
			key += "?"
		}
		b.WriteString(t.comment(inner) + inner + key + ": " + t.text + "\n")
	}
	return b.String() + indent + "}", slices.Equal(names, needed) && (required == "" || len(needed) > 0)
}

// union writes literals. It is exact where all are strings, none of them twice.
func union(enum jsontext.JSON) (text string, exact bool) {
	var all []string
	exact = true
	for _, value := range enum.Elements() {
		exact = exact && value.Kind() == '"'
		all = append(all, literalOf(value))
	}
	if len(all) == 0 {
		return "any", false
	}
	return strings.Join(all, " | "), exact
}

// literalOf writes a value of an enum. A text is spelled without the escapes that it needs not.
func literalOf(value jsontext.JSON) string {
	if value.Kind() == '"' {
		value = jsontext.Quote(value.Text())
	}
	return string(value)
}

// approximate returns a type for people, where TypeScript expresses less than the schema.
func approximate(get func(string) jsontext.JSON, indent string) string {
	var all []string
	for _, word := range []string{"anyOf", "oneOf"} {
		for _, alternative := range get(word).Elements() {
			all = append(all, typeOf(alternative, indent).text)
		}
	}
	for _, kind := range get("type").Elements() {
		all = append(all, typeOf(jsontext.JSON(`{"type":"`+kind.Body()+`"}`), indent).text)
	}
	switch value := get("const"); {
	case value != "":
		return literalOf(value)
	case len(all) > 0:
		return strings.Join(slices.Compact(all), " | ")
	case get("properties") != "":
		text, _ := objectOf(get("properties"), get("required"), indent)
		return text
	}
	return "any"
}

// isName reports whether a key needs no quotes.
func isName(key string) bool {
	return key != "" && strings.TrimLeftFunc(key, isLetter) == "" && (key[0] < '0' || key[0] > '9')
}

func isLetter(c rune) bool { return c == '$' || strings.ContainsRune(identifierBytes, c) }

package toolschema

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ReadTypeScript reads "type NAME = ..." as a JSON schema: what TypeScript wrote, and types of objects, arrays, literals and
// primitives that people write, and interfaces. Several types are alternatives. ok is false for anything else.
func ReadTypeScript(text string) (schema jsontext.JSON, ok bool) {
	r := typeReader{reader: reader{src: strings.TrimSpace(text)}}
	var all []string
	for r.at < len(r.src) || all == nil {
		notes := r.notes()
		if r.at == len(r.src) && all != nil {
			break
		}
		union, ok := r.declaration()
		if !ok {
			return "", false
		}
		r.token(";")
		all = append(all, merge(union, notes))
	}
	if len(all) > 1 {
		return jsontext.Embedded(`{"anyOf":[` + strings.Join(all, ",") + `]}`)
	}
	return jsontext.Embedded(all[0])
}

// declaration reads a type or an interface, which may be exported.
func (r *typeReader) declaration() (schema string, ok bool) {
	word := r.letters()
	for word == "export" || word == "declare" {
		word = r.letters()
	}
	switch {
	case r.key() == "":
		return "", false
	case word == "interface":
		if !r.token("{") {
			return "", false
		}
		return r.object()
	case word != "type" || !r.token("="):
		return "", false
	}
	return r.union()
}

// A typeReader reads types of TypeScript.
type typeReader struct {
	reader
	depth int
}

// maxTypeDepth bounds how deep types nest.
const maxTypeDepth = 100

// A note is the content of the comments above a type.
type note struct {
	description []string
	members     string // JSON object, or ""
}

// behind adds the comment behind a property: its default, or more of its description.
func (n *note) behind(line string) {
	text, ok := strings.CutPrefix(line, "default:")
	if !ok {
		n.description = append(n.description, line)
		return
	}
	text = strings.TrimSpace(text)
	value, rest, err := calls.Literal(nil, text)
	if err != nil || rest != "" {
		value = jsontext.AppendString(nil, text)
	}
	if n.members == "" {
		n.members = `{"default":` + string(value) + `}`
	}
}

// notes reads white space and comments. The lines of consecutive comments are one description.
func (r *typeReader) notes() (n note) {
	for {
		r.blank()
		rest, text := r.src[r.at:], ""
		switch {
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			r.at += len(line)
			text = strings.TrimSpace(line[2:])
			if members, ok := jsontext.Embedded(text); ok && strings.HasPrefix(text, "{") {
				n.members = string(members)
				continue
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return n
			}
			r.at += end + 2
			text = strings.Trim(rest[2:end], "* \t\r\n")
		default:
			return n
		}
		n.description = append(n.description, text)
	}
}

// behind reads the end of a property, and the comment behind it on the same line.
func (r *typeReader) behind() string {
	end := len(r.src) - len(strings.TrimLeft(r.src[r.at:], " \t;,"))
	line, _, _ := strings.Cut(r.src[end:], "\n")
	if !strings.HasPrefix(line, "//") {
		if !r.token(";") {
			r.token(",")
		}
		return ""
	}
	r.at = end + len(line)
	return strings.TrimSpace(line[2:])
}

// letters reads a word.
func (r *typeReader) letters() string {
	r.blank()
	word := r.run(isLetter)
	if !isName(word) {
		r.at -= len(word)
		return ""
	}
	return word
}

// key reads the name of a type or a property. Harmony does not quote names.
func (r *typeReader) key() string {
	r.blank()
	return r.run(func(c rune) bool { return isLetter(c) || c == '-' || c == '.' || c >= 0x80 })
}

// union reads types between bars.
func (r *typeReader) union() (schema string, ok bool) {
	if r.depth++; r.depth > maxTypeDepth {
		return "", false
	}
	defer func() { r.depth-- }()
	r.token("|")
	var all []string
	for {
		t, ok := r.postfix()
		if !ok {
			return "", false
		}
		all = append(all, t)
		if !r.token("|") {
			return joined(all), true
		}
	}
}

// joined returns the schema of a union: an enum for strings, a list of types for primitives.
func joined(all []string) string {
	if len(all) == 1 && !strings.HasPrefix(all[0], `"`) {
		return all[0]
	}
	var literals, types []string
	for _, t := range all {
		if strings.HasPrefix(t, `"`) {
			literals = append(literals, t)
		} else if kind, ok := strings.CutPrefix(t, `{"type":"`); ok && strings.HasSuffix(kind, `"}`) && strings.Count(kind, `"`) == 1 {
			types = append(types, strings.TrimSuffix(kind, "}"))
		}
	}
	switch {
	case len(literals) == len(all):
		return `{"type":"string","enum":[` + strings.Join(literals, ",") + `]}`
	case len(types) == len(all):
		return `{"type":["` + strings.Join(types, `,"`) + `]}`
	}
	for i, t := range all {
		if strings.HasPrefix(t, `"`) {
			all[i] = `{"const":` + t + `}`
		}
	}
	return `{"anyOf":[` + strings.Join(all, ",") + `]}`
}

// merge adds a note to a schema. A note with a keyword that describes the value replaces the type.
func merge(schema string, n note) string {
	noted := jsontext.JSON(n.members).Unique()
	if slices.ContainsFunc(noted, func(m jsontext.Member) bool { return slices.Contains(kindWords, m.Key) }) {
		schema = "{}"
	}
	members := slices.DeleteFunc(jsontext.JSON(schema).Unique(), func(m jsontext.Member) bool {
		return slices.ContainsFunc(noted, func(other jsontext.Member) bool { return other.Key == m.Key })
	})
	if text := strings.Join(n.description, "\n"); text != "" {
		members = append(members, jsontext.Member{Key: "description", Value: jsontext.JSON(jsontext.AppendString(nil, text))})
	}
	var all []string
	for _, m := range append(members, noted...) {
		all = append(all, member(m.Key, m.Value))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// postfix reads a type and the brackets behind it. It returns a literal string as such, anything else as a schema.
func (r *typeReader) postfix() (string, bool) {
	t, ok := r.primary()
	for depth := r.depth; ok && r.token("[]"); depth++ {
		if depth > maxTypeDepth {
			return "", false
		}
		t = arrayOf(t)
	}
	return t, ok
}

func arrayOf(items string) string {
	if items = joined([]string{items}); items == "{}" {
		return `{"type":"array"}`
	}
	return `{"type":"array","items":` + items + `}`
}

func (r *typeReader) primary() (string, bool) {
	switch {
	case r.token("{"):
		return r.object()
	case r.token("("):
		t, ok := r.union()
		return t, ok && r.token(")")
	}
	r.blank()
	if r.quoted() {
		return r.text()
	}
	switch word := r.letters(); word {
	case "Array":
		if !r.token("<") {
			return "", false
		}
		t, ok := r.union()
		return arrayOf(t), ok && r.token(">")
	case "string", "number", "boolean", "null", "object", "integer":
		return `{"type":"` + word + `"}`, true
	case "any", "unknown":
		return "{}", true
	case "true", "false":
		return `{"const":` + word + `}`, true
	case "":
		number, ok := jsontext.Embedded(r.run(func(c rune) bool { return strings.ContainsRune(numeric, c) }))
		return `{"const":` + string(number) + `}`, ok
	}
	return "", false
}

func (r *typeReader) quoted() bool {
	return r.at < len(r.src) && (r.src[r.at] == '"' || r.src[r.at] == '\'')
}

// text reads a literal string as JSON.
func (r *typeReader) text() (string, bool) {
	text, n := Quoted(r.src[r.at:])
	r.at += n
	literal, ok := jsontext.Embedded(text)
	return string(literal), ok
}

// Quoted reads a literal string of JavaScript, in either kind of quotes, at the beginning of a text. It returns the string in the
// quotes of JSON and the length of the literal, which is 0 without an end. The string may hold control characters.
func Quoted(text string) (json string, length int) {
	quote, body := text[0], []byte{'"'}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return string(append(body, '"')), i + 1
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\'' {
				body = append(body, c)
			}
			body = append(body, text[i])
		case c == '"':
			body = append(body, '\\', c)
		default:
			body = append(body, c)
		}
	}
	return "", 0
}

// object reads the properties of an object behind its brace.
func (r *typeReader) object() (string, bool) {
	var properties, required []string
	for {
		n := r.notes()
		if r.token("}") {
			break
		}
		name := ""
		if r.quoted() {
			if name, _ = r.text(); name == "" {
				return "", false
			}
		} else if word := r.key(); word != "" {
			name = `"` + word + `"`
		}
		optional := r.token("?")
		if name == "" || !r.token(":") {
			return "", false
		}
		t, ok := r.union()
		if !ok {
			return "", false
		}
		if line := r.behind(); line != "" {
			n.behind(line)
		}
		t = merge(t, n)
		properties = append(properties, name+":"+t)
		if !optional {
			required = append(required, name)
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		schema += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return schema + "}", true
}

// ReadNamespace cuts the functions out of a developer message of Harmony, where they are types:
//
//	# Tools
//	## functions
//	namespace functions {
//	// Gets the weather.
//	type weather = (_: {
//	// The city
//	city: string,
//	unit?: "celsius" | "fahrenheit", // default: celsius
//	}) => any;
//	} // namespace functions
//
// It also returns the texts before and behind. ok is false where there is no such list, or it does not parse.
func ReadNamespace(text string) (functions []Function, before, behind string, ok bool) {
	before, body, found := strings.Cut(text, "namespace functions {")
	if !found {
		return nil, text, "", false
	}
	r := typeReader{reader: reader{src: body}}
	for {
		n := r.notes()
		if r.token("}") {
			break
		}
		f, ok := r.function(n)
		if !ok {
			return nil, text, "", false
		}
		functions = append(functions, f)
	}
	r.notes()
	return functions, before, r.src[r.at:], true
}

// function reads "type name = (_: {...}) => any;" behind its notes.
func (r *typeReader) function(n note) (f Function, ok bool) {
	f = Function{Description: strings.Join(n.description, "\n"), Schema: `{"type":"object","properties":{}}`}
	if r.letters() != "type" {
		return f, false
	}
	if f.Name = r.key(); f.Name == "" || !r.token("=") || !r.token("(") {
		return f, false
	}
	if !r.token(")") {
		if r.key() == "" || !r.token(":") {
			return f, false
		}
		schema, ok := r.union()
		if !ok || !r.token(")") {
			return f, false
		}
		f.Schema = jsontext.JSON(joined([]string{schema}))
	}
	end := strings.IndexByte(r.src[r.at:], ';')
	r.at += end + 1
	return f, end >= 0
}

package typescript

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Read reads "type NAME = ..." as a JSON schema: what Write wrote, and types of objects, arrays, literals and primitives that
// people write. Several types are alternatives. ok is false for anything else.
func Read(text string) (schema jsontext.JSON, ok bool) {
	r := reader{src: strings.TrimSpace(text)}
	var all []string
	for r.at < len(r.src) || all == nil {
		notes := r.notes()
		if r.at == len(r.src) && all != nil {
			break
		}
		if r.word() != "type" || r.name() == "" || !r.accept("=") {
			return "", false
		}
		union, ok := r.union()
		if !ok {
			return "", false
		}
		r.accept(";")
		all = append(all, merge(union, notes))
	}
	if len(all) > 1 {
		return jsontext.Embedded(`{"anyOf":[` + strings.Join(all, ",") + `]}`)
	}
	return jsontext.Embedded(all[0])
}

type reader struct {
	src   string
	at    int
	depth int
}

// maxDepth bounds how deep types nest.
const maxDepth = 100

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
func (r *reader) notes() (n note) {
	for {
		rest := strings.TrimLeft(r.src[r.at:], " \t\r\n")
		r.at = len(r.src) - len(rest)
		var text string
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
func (r *reader) behind() string {
	end := r.at + len(r.src[r.at:]) - len(strings.TrimLeft(r.src[r.at:], " \t;,"))
	line, _, _ := strings.Cut(r.src[end:], "\n")
	if !strings.HasPrefix(line, "//") {
		if !r.accept(";") {
			r.accept(",")
		}
		return ""
	}
	r.at = end + len(line)
	return strings.TrimSpace(line[2:])
}

// accept reads a token and the white space before it, if the token is next.
func (r *reader) accept(token string) bool {
	rest := strings.TrimLeft(r.src[r.at:], " \t\r\n")
	if !strings.HasPrefix(rest, token) {
		return false
	}
	r.at = len(r.src) - len(rest) + len(token)
	return true
}

func (r *reader) word() string { return r.letters(isName) }

// name reads the name of a type or a property. Harmony does not quote names.
func (r *reader) name() string {
	return r.letters(func(name string) bool {
		c := name[len(name)-1]
		return isName("_"+name[len(name)-1:]) || c == '-' || c == '.' || c >= 0x80
	})
}

func (r *reader) letters(is func(string) bool) string {
	r.accept("")
	start := r.at
	for r.at < len(r.src) && is(r.src[start:r.at+1]) {
		r.at++
	}
	return r.src[start:r.at]
}

// union reads types between bars.
func (r *reader) union() (schema string, ok bool) {
	if r.depth++; r.depth > maxDepth {
		return "", false
	}
	defer func() { r.depth-- }()
	r.accept("|")
	var all []string
	for {
		t, ok := r.postfix()
		if !ok {
			return "", false
		}
		all = append(all, t)
		if !r.accept("|") {
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
	dst := []byte("{")
	for i, m := range append(members, noted...) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(jsontext.AppendString(dst, m.Key), ':'), m.Value...)
	}
	return string(append(dst, '}'))
}

// postfix reads a type and the brackets behind it. It returns a literal string as such, anything else as a schema.
func (r *reader) postfix() (string, bool) {
	t, ok := r.primary()
	for depth := r.depth; ok && r.accept("[]"); depth++ {
		if depth > maxDepth {
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

func (r *reader) primary() (string, bool) {
	switch {
	case r.accept("{"):
		return r.object()
	case r.accept("("):
		t, ok := r.union()
		return t, ok && r.accept(")")
	}
	r.accept("")
	if r.quoted() {
		return r.text()
	}
	switch word := r.word(); word {
	case "Array":
		if !r.accept("<") {
			return "", false
		}
		t, ok := r.union()
		return arrayOf(t), ok && r.accept(">")
	case "string", "number", "boolean", "null", "object", "integer":
		return `{"type":"` + word + `"}`, true
	case "any", "unknown":
		return "{}", true
	case "true", "false":
		return `{"const":` + word + `}`, true
	case "":
		start := r.at
		for r.at < len(r.src) && strings.IndexByte("+-.0123456789eE", r.src[r.at]) >= 0 {
			r.at++
		}
		number, ok := jsontext.Embedded(r.src[start:r.at])
		return `{"const":` + string(number) + `}`, ok
	}
	return "", false
}

func (r *reader) quoted() bool {
	return r.at < len(r.src) && (r.src[r.at] == '"' || r.src[r.at] == '\'')
}

// text reads a literal string as JSON.
func (r *reader) text() (string, bool) {
	quoted, n := Quoted(r.src[r.at:])
	r.at += n
	literal, ok := jsontext.Embedded(quoted)
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
func (r *reader) object() (string, bool) {
	var properties, required []string
	for {
		n := r.notes()
		if r.accept("}") {
			break
		}
		name := ""
		if r.quoted() {
			quoted, ok := r.text()
			if !ok {
				return "", false
			}
			name = quoted
		} else if word := r.name(); word != "" {
			name = `"` + word + `"`
		}
		optional := r.accept("?")
		if name == "" || !r.accept(":") {
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

// Function is a tool in a namespace, with the JSON schema of its input.
type Function struct {
	Name, Description string
	Schema            jsontext.JSON
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
	r := reader{src: body}
	for {
		n := r.notes()
		if r.accept("}") {
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
func (r *reader) function(n note) (f Function, ok bool) {
	f = Function{Description: strings.Join(n.description, "\n"), Schema: `{"type":"object","properties":{}}`}
	if r.word() != "type" {
		return f, false
	}
	if f.Name = r.name(); f.Name == "" || !r.accept("=") || !r.accept("(") {
		return f, false
	}
	if !r.accept(")") {
		if r.name() == "" || !r.accept(":") {
			return f, false
		}
		schema, ok := r.union()
		if !ok || !r.accept(")") {
			return f, false
		}
		f.Schema = jsontext.JSON(joined([]string{schema}))
	}
	end := strings.IndexByte(r.src[r.at:], ';')
	r.at += end + 1
	return f, end >= 0
}

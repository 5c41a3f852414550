package modelspec

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ReadTypeScript reads "type NAME = ..." as a JSON schema: what TypeScript writes, and types of objects, arrays,
// literals and primitives as people write them. Several types are alternatives. ok is false for anything else.
func ReadTypeScript(text string) (schema jsontext.JSON, ok bool) {
	r := tsReader{src: strings.TrimSpace(text)}
	var all []string
	for r.at < len(r.src) || all == nil {
		notes := r.notes()
		if r.at == len(r.src) && all != nil {
			break
		}
		if r.word() != "type" || r.word() == "" || !r.take("=") {
			return "", false
		}
		union, ok := r.union()
		if !ok {
			return "", false
		}
		r.take(";")
		all = append(all, merge(union, notes))
	}
	if len(all) > 1 {
		return jsontext.Embedded(`{"anyOf":[` + strings.Join(all, ",") + `]}`)
	}
	return jsontext.Embedded(all[0])
}

type tsReader struct {
	src   string
	at    int
	depth int
}

// maxDepth bounds how deep types may nest.
const maxDepth = 100

// A note is what the comments above a type say.
type note struct {
	description []string
	members     string // JSON object, or ""
}

// notes reads white space and comments. Of several notes in a row the lines are one description.
func (r *tsReader) notes() (n note) {
	for {
		rest := strings.TrimLeft(r.src[r.at:], " \t\r\n")
		r.at = len(r.src) - len(rest)
		var text string
		switch {
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			r.at += len(line)
			text = strings.TrimSuffix(strings.TrimPrefix(line[2:], " "), "\r")
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
func (r *tsReader) behind() string {
	end := r.at + len(r.src[r.at:]) - len(strings.TrimLeft(r.src[r.at:], " \t;,"))
	line, _, _ := strings.Cut(r.src[end:], "\n")
	if !strings.HasPrefix(line, "//") {
		if !r.take(";") {
			r.take(",")
		}
		return ""
	}
	r.at = end + len(line)
	return strings.TrimSpace(line[2:])
}

// take reads a token, if it is the one ahead, and the white space before it.
func (r *tsReader) take(token string) bool {
	rest := strings.TrimLeft(r.src[r.at:], " \t\r\n")
	if !strings.HasPrefix(rest, token) {
		return false
	}
	r.at = len(r.src) - len(rest) + len(token)
	return true
}

func (r *tsReader) word() string {
	r.take("")
	start := r.at
	for r.at < len(r.src) && (isName(r.src[start : r.at+1])) {
		r.at++
	}
	return r.src[start:r.at]
}

// union reads types between bars.
func (r *tsReader) union() (schema string, ok bool) {
	if r.depth++; r.depth > maxDepth {
		return "", false
	}
	defer func() { r.depth-- }()
	r.take("|")
	var all []string
	for {
		t, ok := r.postfix()
		if !ok {
			return "", false
		}
		all = append(all, t)
		if !r.take("|") {
			return joined(all), true
		}
	}
}

// joined makes one schema of the types of a union: literals of strings are an enum, primitives a list of types.
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

// merge puts notes into a schema. A note with a word for what the value is stands in place of the type.
func merge(schema string, n note) string {
	noted := jsontext.JSON(jsonOr(n.members != "", n.members, "{}")).Unique()
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

// postfix reads a type and the brackets behind it. A literal string is given as itself, anything else as a schema.
func (r *tsReader) postfix() (string, bool) {
	t, ok := r.primary()
	for ok && r.take("[]") {
		items := joined([]string{t})
		t = `{"type":"array"}`
		if items != "{}" {
			t = `{"type":"array","items":` + items + `}`
		}
	}
	return t, ok
}

func (r *tsReader) primary() (string, bool) {
	switch {
	case r.take("{"):
		return r.object()
	case r.take("("):
		t, ok := r.union()
		return t, ok && r.take(")")
	}
	r.take("")
	if r.at < len(r.src) && r.src[r.at] == '"' {
		return r.text()
	}
	switch word := r.word(); word {
	case "string", "number", "boolean", "null", "object":
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

// text reads a literal string as JSON.
func (r *tsReader) text() (string, bool) {
	c := jsontext.Cursor{JSON: jsontext.JSON(r.src), At: r.at}
	start := r.at
	if _, ok := c.String(); !ok {
		return "", false
	}
	r.at = c.At
	literal, ok := jsontext.Embedded(r.src[start:r.at])
	return string(literal), ok
}

// object reads the properties of an object behind its brace.
func (r *tsReader) object() (string, bool) {
	var properties, required []string
	for {
		n := r.notes()
		if r.take("}") {
			break
		}
		name := ""
		if r.at < len(r.src) && r.src[r.at] == '"' {
			quoted, ok := r.text()
			if !ok {
				return "", false
			}
			name = quoted
		} else if word := r.word(); word != "" {
			name = `"` + word + `"`
		}
		optional := r.take("?")
		if name == "" || !r.take(":") {
			return "", false
		}
		t, ok := r.union()
		if !ok {
			return "", false
		}
		if line := r.behind(); line != "" {
			n.description = append(n.description, line)
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

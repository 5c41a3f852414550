package chattext

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// namespace cuts the functions out of a developer message of Harmony, where they are types of TypeScript:
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
// The headings of the message go with them. What does not parse stays as it is.
func namespace(developer string) (tools, rest string, ok bool) {
	before, body, found := strings.Cut(developer, "namespace functions {")
	if !found {
		return "", developer, false
	}
	p := typescript{text: body}
	out := []byte("[")
	for {
		comment := p.comments()
		if p.take("}") {
			break
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if out, found = p.function(out, comment); !found {
			return "", developer, false
		}
	}
	p.comments()
	before = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(before), "## functions"))
	before = strings.TrimSpace(strings.TrimSuffix(before, "# Tools"))
	return string(append(out, ']')), before + p.text, true
}

// A typescript reads the types that Harmony writes.
type typescript struct{ text string }

func (p *typescript) space() { p.text = strings.TrimLeft(p.text, " \t\r\n") }

func (p *typescript) take(mark string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.text, mark)
	if ok {
		p.text = rest
	}
	return ok
}

// comments reads the line comments ahead and gives their text.
func (p *typescript) comments() string {
	var lines []string
	for p.take("//") {
		line, rest, _ := strings.Cut(p.text, "\n")
		lines = append(lines, strings.TrimSpace(line))
		p.text = rest
	}
	return strings.Join(lines, "\n")
}

func (p *typescript) word() string {
	p.space()
	n := strings.IndexFunc(p.text, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80)
	})
	if n < 0 {
		n = len(p.text)
	}
	word := p.text[:n]
	p.text = p.text[n:]
	return word
}

// function appends the tool of "type name = (_: {...}) => any;".
func (p *typescript) function(dst []byte, description string) ([]byte, bool) {
	if !p.take("type ") {
		return dst, false
	}
	name := p.word()
	if name == "" || !p.take("=") || !p.take("(") {
		return dst, false
	}
	dst = jsontext.AppendString(append(dst, `{"name":`...), name)
	if description != "" {
		dst = jsontext.AppendString(append(dst, `,"description":`...), description)
	}
	dst = append(dst, `,"parameters":`...)
	if p.take(")") {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	} else {
		if p.word() == "" || !p.take(":") {
			return dst, false
		}
		var ok bool
		if dst, ok = p.kind(dst, 0); !ok || !p.take(")") {
			return dst, false
		}
	}
	_, rest, ok := strings.Cut(p.text, ";")
	p.text = rest
	return append(dst, '}'), ok
}

const typeDepth = 50

// kind appends the schema of a type: alternatives of literals become an enum, of types anyOf.
func (p *typescript) kind(dst []byte, depth int) ([]byte, bool) {
	if depth > typeDepth {
		return dst, false
	}
	p.take("|")
	var literals, kinds []string
	for {
		one, literal, ok := p.single(depth)
		if !ok {
			return dst, false
		}
		if literal {
			literals = append(literals, one)
		} else {
			kinds = append(kinds, one)
		}
		if !p.take("|") {
			break
		}
	}
	if literals != nil {
		kinds = append(kinds, `{"type":"string","enum":[`+strings.Join(literals, ",")+`]}`)
	}
	if len(kinds) == 1 {
		return append(dst, kinds[0]...), true
	}
	return append(dst, `{"anyOf":[`+strings.Join(kinds, ",")+`]}`...), true
}

var typeNames = map[string]string{
	"string": `{"type":"string"}`, "number": `{"type":"number"}`, "integer": `{"type":"integer"}`, "boolean": `{"type":"boolean"}`,
	"null": `{"type":"null"}`, "object": `{"type":"object"}`, "any": `{}`, "unknown": `{}`,
}

// single reads one alternative of a type. literal tells that it is a string.
func (p *typescript) single(depth int) (schema string, literal, ok bool) {
	p.space()
	switch {
	case strings.HasPrefix(p.text, `"`):
		value, rest, err := calls.Literal(nil, p.text)
		p.text = rest
		return string(value), true, err == nil
	case p.take("{"):
		var out []byte
		if out, ok = p.object(nil, depth); !ok {
			return "", false, false
		}
		schema = string(out)
	case p.take("("):
		var out []byte
		if out, ok = p.kind(nil, depth+1); !ok || !p.take(")") {
			return "", false, false
		}
		schema = string(out)
	default:
		word := p.word()
		if word == "Array" && p.take("<") {
			inner, ok := p.kind(nil, depth+1)
			if !ok || !p.take(">") {
				return "", false, false
			}
			schema = `{"type":"array","items":` + string(inner) + "}"
		} else if schema, ok = typeNames[word]; !ok {
			return "", false, false
		}
	}
	for ; p.take("[]"); depth++ {
		if depth > typeDepth {
			return "", false, false
		}
		schema = `{"type":"array","items":` + schema + "}"
	}
	return schema, false, true
}

// object appends the schema of an object type, behind its opening brace.
func (p *typescript) object(dst []byte, depth int) ([]byte, bool) {
	dst = append(dst, `{"type":"object","properties":{`...)
	var required []byte
	for n := 0; ; n++ {
		description := p.comments()
		if p.take("}") {
			break
		}
		name := p.word()
		if name == "" {
			return dst, false
		}
		optional := p.take("?")
		if !p.take(":") {
			return dst, false
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, name), ':')
		from := len(dst)
		var ok bool
		if dst, ok = p.kind(dst, depth+1); !ok {
			return dst, false
		}
		p.take(",")
		dst = p.describe(dst, from, description)
		if !optional {
			if required != nil {
				required = append(required, ',')
			}
			required = jsontext.AppendString(required, name)
		}
	}
	dst = append(dst, '}')
	if required != nil {
		dst = append(append(append(dst, `,"required":[`...), required...), ']')
	}
	return append(dst, '}'), true
}

// describe adds the comment before a property, and the default behind it, to the schema at dst[from:].
func (p *typescript) describe(dst []byte, from int, description string) []byte {
	add := ""
	if description != "" {
		add = `"description":` + string(jsontext.AppendString(nil, description))
	}
	if behind, ok := strings.CutPrefix(strings.TrimLeft(p.text, " \t"), "// default:"); ok {
		line, _, _ := strings.Cut(behind, "\n")
		p.text = behind[len(line):]
		fallback := strings.TrimSpace(line)
		value, rest, err := calls.Literal(nil, fallback)
		if err != nil || rest != "" {
			value = jsontext.AppendString(nil, fallback)
		}
		if add != "" {
			add += ","
		}
		add += fmt.Sprintf(`"default":%s`, value)
	}
	if add == "" {
		return dst
	}
	if dst = dst[:len(dst)-1]; len(dst) > from+1 {
		dst = append(dst, ',')
	}
	return append(append(dst, add...), '}')
}

package notation

import (
	"errors"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Style is the spelling of a call's arguments, by which they can be written again.
type Style string

// Verbatim is the style of a content that could not be read. It is the only argument of the call, named for the language.
const Verbatim Style = "verbatim"

// A jsonStyle is a way to put white space between the parts of JSON: none, as Python does, or indentation.
type jsonStyle struct {
	name   Style
	indent string
}

var jsonStyles = []jsonStyle{{"compact", ""}, {"spaced", ""}, {"indent2", "  "}, {"indent4", "    "}, {"tab", "\t"}}

// ReadCalls reads the content of a call to a tool in a language: one call, or several where the content is lines of JSON, a
// list of objects, or calls in Python to the recipient PythonTool or by the tool's own name. params returns the parameters of
// a function, for arguments without names. Other content becomes the argument of one call. The style is "" when WriteCalls
// cannot write the content again.
func ReadCalls(tool, language, content string, params func(function string) []string) (made []calls.Call, style Style) {
	if made = readCalls(tool, language, content, params); made == nil {
		args := append(jsontext.AppendString([]byte("{"), language), ':')
		args = append(jsontext.AppendString(args, content), '}')
		return []calls.Call{{Name: jsontext.BodyOf(tool), Args: jsontext.JSON(args)}}, Verbatim
	}
	for _, s := range jsonStyles {
		if WriteCalls(language, s.name, made) == content {
			return made, s.name
		}
		if list := "list-" + s.name; WriteCalls(language, list, made) == content {
			return made, list
		}
	}
	return made, ""
}

func readCalls(tool, language, content string, params func(string) []string) (made []calls.Call) {
	add := func(args jsontext.JSON) bool {
		if args.Kind() != '{' {
			return false
		}
		made = append(made, calls.Call{Name: jsontext.BodyOf(tool), Args: jsontext.JSON(jsontext.AppendCompact(nil, args))})
		return true
	}
	switch language {
	case "json":
		value, _ := jsontext.Embedded(content)
		if value.Kind() != '[' {
			add(value)
			return made
		}
		list := value.Cursor()
		for range list.Elements() {
			if !add(list.Value()) {
				return nil
			}
		}
	case "jsonl":
		for line := range strings.Lines(content) {
			if value, _ := jsontext.Embedded(line); strings.TrimSpace(line) != "" && !add(value) {
				return nil
			}
		}
	case "yaml":
		if value, ok := ReadYAML(content); ok == YAMLRead {
			add(value)
		}
	case "python":
		all, ok := readPythonCalls(content, params)
		for _, c := range all {
			if !ok || tool != PythonTool && c.Name.Text() != tool {
				return nil
			}
		}
		made = all
	}
	return made
}

// WriteCalls writes the content of calls to one tool, or of Python calls.
func WriteCalls(language string, style Style, made []calls.Call) string {
	var dst []byte
	name, list := strings.CutPrefix(string(style), "list-")
	if style = Style(name); list && language == "json" {
		return string(appendStyled(nil, jsontext.JSON(listOf(made)), style))
	}
	for i, c := range made {
		if i > 0 {
			dst = append(dst, '\n')
		}
		switch {
		case style == Verbatim:
			dst = append(dst, c.Args.Get(language).Text()...)
		case language == "python":
			dst, _ = AppendPythonCall(dst, c.Name.Text(), c.Args)
		case language == "yaml":
			dst = AppendYAML(dst, c.Args)
		default:
			dst = appendStyled(dst, c.Args, style)
		}
	}
	return string(dst)
}

func listOf(made []calls.Call) []byte {
	list := []byte("[")
	for i, c := range made {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, c.Args...)
	}
	return append(list, ']')
}

// appendStyled appends JSON with the white space of a style.
func appendStyled(dst []byte, value jsontext.JSON, style Style) []byte {
	text := jsontext.AppendCompact(nil, value)
	at := slices.IndexFunc(jsonStyles, func(s jsonStyle) bool { return s.name == style })
	if at < 0 || style == "compact" {
		return append(dst, text...)
	}
	indent := jsonStyles[at].indent
	depth, quoted := 0, false
	line := func() {
		if indent != "" {
			dst = append(append(dst, '\n'), strings.Repeat(indent, min(depth, jsontext.EmbeddedDepth))...)
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted {
			if dst = append(dst, c); c == '\\' {
				i++
				dst = append(dst, text[i])
			}
			quoted = c != '"'
			continue
		}
		switch c {
		case '{', '[':
			if dst = append(dst, c); text[i+1] == c+2 { // the bracket that closes it
				i++
				dst = append(dst, text[i])
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			dst = append(dst, c)
		case ',':
			if dst = append(dst, c); indent == "" {
				dst = append(dst, ' ')
			}
			line()
		case ':':
			dst = append(dst, ':', ' ')
		default:
			dst = append(dst, c)
			quoted = c == '"'
		}
	}
	return dst
}

// PythonTool is the recipient of Python calls whose functions are the tools.
const PythonTool = "tools"

// AppendPythonCall appends a call as name(key=value, ...). Arguments whose names are no identifiers go into a dictionary behind
// two asterisks.
func AppendPythonCall(dst []byte, name string, args jsontext.JSON) ([]byte, error) {
	if !toolschema.IsIdentifier(name) {
		return dst, errors.New("want a tool name that is an identifier of Python, have one that is not")
	}
	if args.Kind() != '{' {
		return dst, errors.New("want arguments by name, have no object")
	}
	dst = append(append(dst, name...), '(')
	n := 0
	var others []jsontext.Member
	for _, m := range args.Unique() {
		if !toolschema.IsIdentifier(m.Key) {
			others = append(others, m)
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ", "...)
		}
		c := m.Value.Cursor()
		dst = toolschema.AppendLiteral(append(append(dst, m.Key...), '='), &c)
	}
	if others != nil {
		if n > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(toolschema.AppendDict(append(dst, "**"...), others), ')')
		return dst, nil
	}
	return append(dst, ')'), nil
}

// readPythonCalls reads a text of calls, name(key=value, ...), on lines of their own or with semicolons between. An argument
// without a name gets the name that params returns for its position; where params has none, ok is false.
func readPythonCalls(text string, params func(function string) []string) (all []calls.Call, ok bool) {
	p := pythonReader{rest: text}
	for {
		p.blank()
		if p.rest == "" {
			return all, len(all) > 0
		}
		c, ok := p.call(params)
		if !ok {
			return nil, false
		}
		all = append(all, c)
		line := strings.TrimLeft(p.rest, " \t\r")
		if line != "" && line[0] != '\n' && line[0] != ';' && line[0] != '#' {
			return nil, false
		}
		p.rest = strings.TrimPrefix(line, ";")
	}
}

type pythonReader struct{ rest string }

// blank skips white space and comments.
func (p *pythonReader) blank() {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\r\n")
		if !strings.HasPrefix(p.rest, "#") {
			return
		}
		_, p.rest, _ = strings.Cut(p.rest, "\n")
	}
}

func (p *pythonReader) accept(token string) bool {
	p.blank()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

// name reads a name, which may have dots in it if dots says so.
func (p *pythonReader) name(dots bool) string {
	n := 0
	for n < len(p.rest) && (toolschema.IsIdentifier("_"+p.rest[n:n+1]) || dots && p.rest[n] == '.') {
		n++
	}
	name := p.rest[:n]
	if !toolschema.IsIdentifier(strings.ReplaceAll(name, ".", "_")) {
		return ""
	}
	p.rest = p.rest[n:]
	return name
}

func (p *pythonReader) call(params func(string) []string) (c calls.Call, ok bool) {
	name := p.name(true)
	if name == "" || !p.accept("(") {
		return c, false
	}
	args := []byte("{")
	for position := 0; !p.accept(")"); position++ {
		if args, ok = p.argument(args, name, position, params); !ok {
			return c, false
		}
		if !p.accept(",") {
			if !p.accept(")") {
				return c, false
			}
			break
		}
	}
	return calls.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(append(args, '}'))}, true
}

// argument reads key=value, a value alone, or **{"key": value}, and appends its members.
func (p *pythonReader) argument(dst []byte, function string, position int, params func(string) []string) ([]byte, bool) {
	if p.accept("**") {
		p.blank()
		value, rest, err := calls.Literal(nil, p.rest)
		if err != nil || len(value) < 2 || value[0] != '{' {
			return dst, false
		}
		p.rest = rest
		return append(comma(dst), value[1:len(value)-1]...), true
	}
	before := p.rest
	key := p.name(false)
	if key == "" || !p.accept("=") || strings.HasPrefix(p.rest, "=") {
		names := params(function)
		if p.rest = before; position >= len(names) {
			return dst, false
		}
		key = names[position]
	}
	p.blank()
	value, rest, err := calls.Literal(append(jsontext.AppendString(comma(dst), key), ':'), p.rest)
	if err != nil {
		return dst, false
	}
	p.rest = rest
	return value, true
}

func comma(object []byte) []byte {
	if len(object) > 1 {
		return append(object, ',')
	}
	return object
}

package notation

import (
	"errors"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

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

// call reads name(...).
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

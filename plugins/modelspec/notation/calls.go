package notation

import (
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

// PythonTool is the recipient of Python calls whose functions are the tools.
const PythonTool = "tools"

// A jsonStyle is how white space is put between the parts of JSON: none, as Python does, or indentation.
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
		args := append(jsontext.AppendMember([]byte("{"), language, content), '}')
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
		for _, args := range value.Elements() {
			if !add(args) {
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
		all, ok := toolschema.ReadPythonCalls(content, params)
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
		args := AppendList(nil, made, func(dst []byte, c *calls.Call) []byte { return append(dst, c.Args...) })
		return string(appendStyled(nil, jsontext.JSON(args), style))
	}
	for i, c := range made {
		if i > 0 {
			dst = append(dst, '\n')
		}
		switch {
		case style == Verbatim:
			dst = append(dst, c.Args.Get(language).Text()...)
		case language == "python":
			dst, _ = toolschema.AppendPythonCall(dst, c.Name.Text(), c.Args)
		case language == "yaml":
			dst = AppendYAML(dst, c.Args)
		default:
			dst = appendStyled(dst, c.Args, style)
		}
	}
	return string(dst)
}

// appendStyled appends JSON with the white space of a style.
func appendStyled(dst []byte, value jsontext.JSON, style Style) []byte {
	text := jsontext.AppendPlain(nil, value)
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

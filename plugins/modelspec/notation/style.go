package notation

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Style is the spelling of a call's arguments, by which they can be written again.
type Style string

// Verbatim is the style of a content that could not be read. It is the only argument of the call, named for the language.
const Verbatim Style = "verbatim"

// jsonStyles are ways to put white space between the parts of JSON: none, as Python does, and indentation.
var jsonStyles = []struct {
	name   Style
	indent string
	spaced bool
}{{"compact", "", false}, {"spaced", "", true}, {"indent2", "  ", true}, {"indent4", "    ", true}, {"tab", "\t", true}}

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
	list := strings.HasPrefix(string(style), "list-") && language == "json"
	style = Style(strings.TrimPrefix(string(style), "list-"))
	if list {
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
	text := string(jsontext.AppendCompact(nil, value))
	indent, spaced := "", false
	for _, s := range jsonStyles {
		if s.name == style {
			indent, spaced = s.indent, s.spaced
		}
	}
	if !spaced {
		return append(dst, text...)
	}
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

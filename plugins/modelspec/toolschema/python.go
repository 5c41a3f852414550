package toolschema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Function is a tool, as a language defines it.
type Function struct {
	Name, Description string
	Schema            jsontext.JSON
}

// docstring lists the parameters of a function in Google's style, such as "city (at least 1 character): where". Keywords that
// Python cannot express are JSON there.
var docstring = dialect{indent: "    ", optional: "optional", json: true, typeOf: pythonType, readType: func(r *reader) (shape, bool) { return readPython(r, 0) }}

const (
	margin     = "    "     // of the body of a function
	quotes     = `"""`      // around a docstring
	args       = "Args"     // the head of its parameters
	anyKeyword = "**kwargs" // of an object without properties
	widest     = 100        // a signature on one line
)

// pythonNames lists the types of JSON schema with their annotations.
var pythonNames = map[string]string{
	"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None", "object": "dict", "array": "list",
}

func pythonType(s *shape) string {
	switch {
	case s.choices != nil:
		list := string(listOf(s.choices))
		return "Literal[" + strings.ReplaceAll(list[1:len(list)-1], `","`, `", "`) + "]"
	case s.items != nil:
		return "list[" + pythonType(s.items) + "]"
	case s.types == nil:
		return "Any"
	}
	names := make([]string, len(s.types))
	for i, kind := range s.types {
		names[i] = pythonNames[kind]
	}
	if s.either {
		return "Union[" + strings.Join(names, ", ") + "]"
	}
	return strings.Join(names, " | ")
}

// Python writes a function with a docstring. ok is false for names that are no identifiers and inputs that are no objects.
func Python(f Function) (text string, ok bool) {
	s, ok := shapeOf(compact(f.Schema), 0)
	if !ok || len(s.types) != 1 || s.types[0] != "object" || !IsIdentifier(f.Name) || strings.ContainsAny(f.Description, "\r\x00") {
		return "", false
	}
	if s.description != "" {
		s.rest = append(s.rest, member("description", jsontext.JSON(jsontext.AppendString(nil, s.description))))
		s.description = ""
	}
	signature, ok := signatureOf(&s)
	if !ok {
		return "", false
	}
	text = "def " + f.Name + signature + ":\n" + margin
	doc, ok := docOf(f.Description, &s)
	if !ok {
		return "", false
	}
	if doc == "" {
		text += "..."
	} else {
		text += quotes + doc + quotes
	}
	back, ok := ReadPython(text)
	return text, ok && back.Name == f.Name && back.Description == f.Description && Same(back.Schema, f.Schema)
}

// signatureOf writes the parameters. Optional ones have a default; required ones behind these are keyword-only.
func signatureOf(s *shape) (string, bool) {
	var all []string
	optional, named := false, false
	for i := range s.fields {
		f := &s.fields[i]
		if !IsIdentifier(f.name) {
			return "", false
		}
		text := f.name + ": " + pythonType(&f.shape)
		switch {
		case f.required && optional && !named:
			all, named = slices.Insert(all, 0, "*"), true
		case !f.required && f.defaulted != "":
			text += " = " + string(appendLiteral(nil, f.defaulted))
		case !f.required:
			text += " = ..."
		}
		optional = optional || !f.required
		all = append(all, text)
	}
	if s.fields == nil {
		if at := slices.Index(s.rest, noProperties); at >= 0 {
			s.rest = slices.Delete(s.rest, at, at+1)
		} else {
			all = append(all, anyKeyword)
		}
		if len(s.rest) == 0 {
			s.rest = nil
		}
	}
	if line := "(" + strings.Join(all, ", ") + ")"; len(line) <= widest {
		return line, true
	}
	return "(\n" + margin + strings.Join(all, ",\n"+margin) + ",\n)", true
}

// docOf writes a docstring: the description, and the parameters that the signature does not describe in full.
func docOf(description string, s *shape) (string, bool) {
	head, ok := docstring.phrases(s, true, true)
	below, good := docstring.appendFields(nil, s.fields, margin, true)
	doc := description
	if head != nil || len(below) > 0 {
		if doc != "" {
			doc += "\n"
		}
		doc += "\n" + args
		if head != nil {
			doc += " (" + strings.Join(head, ", ") + ")"
		}
		doc += ":" + string(below)
	}
	if strings.Contains(doc, "\n") {
		doc += "\n"
	}
	doc = strings.NewReplacer(`\`, `\\`, quotes, `\"\"\"`).Replace(doc)
	if before, quoted := strings.CutSuffix(doc, `"`); quoted {
		doc = before + `\"`
	}
	return lineBreak.ReplaceAllString(doc, "\n"+margin+"$1"), ok && good // all lines but the first at the margin of a body
}

// lineBreak is the end of a line whose next one is not empty, or the last.
var lineBreak = regexp.MustCompile(`\n([^\n]|$)`)

// appendLiteral appends a value as a Python literal. Strings are those of JSON, which Python reads alike.
func appendLiteral(dst []byte, v jsontext.JSON) []byte {
	switch v.Kind() {
	case '"':
		return jsontext.AppendString(dst, v.Text())
	case '[':
		dst = append(dst, '[')
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendLiteral(dst, element)
		}
		return append(dst, ']')
	case '{':
		return appendDict(dst, v.Unique())
	}
	switch v {
	case "true":
		return append(dst, "True"...)
	case "false":
		return append(dst, "False"...)
	case "null":
		return append(dst, "None"...)
	default:
		return append(dst, v...)
	}
}

// appendDict appends members as a Python dictionary.
func appendDict(dst []byte, members []jsontext.Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendLiteral(append(jsontext.AppendString(dst, m.Key), ": "...), m.Value)
	}
	return append(dst, '}')
}

var pythonKeywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true, "break": true,
	"class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true, "finally": true, "for": true,
	"from": true, "global": true, "if": true, "import": true, "in": true, "is": true, "lambda": true, "nonlocal": true, "not": true,
	"or": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
	"__debug__": true,
}

const identifierBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// IsIdentifier reports whether a name is an identifier of Python in ASCII.
func IsIdentifier(name string) bool {
	return name != "" && strings.Trim(name, identifierBytes) == "" && (name[0] < '0' || name[0] > '9') && !pythonKeywords[name]
}

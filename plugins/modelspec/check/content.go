package check

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// language returns the language of the content of message i: that of the settings' sampler, or else of its format.
func (v *view) language(i int) string {
	if f, ok := v.Formats.Find(v.messages[i].Format); ok && f.Sampler.Language != "" {
		return f.Sampler.Language
	}
	_, language := notation.Split(notation.Canonical(v.messages[i].Format))
	return language
}

// contentParses wants contents to parse in their language. Lines of JSON in a json call are a mistake of their own, see
// jsonSingle. A message in a format that halts before its content may be empty.
func contentParses(v *view, i int, m *notation.Message) string {
	text, language := v.texts[i], v.language(i)
	if f, ok := v.Formats.Find(m.Format); ok && f.HaltOnStart && text == "" {
		return ""
	}
	fault, ok := "other text", true
	switch language {
	case "json":
		_, ok = jsontext.Embedded(text)
	case "jsonl":
		for line := range strings.Lines(text) {
			_, isValue := jsontext.Embedded(line)
			ok = ok && (strings.TrimSpace(line) == "" || isValue)
		}
		ok = ok && strings.TrimSpace(text) != ""
	case "yaml":
		_, verdict := notation.ReadYAML(text)
		ok = verdict != notation.YAMLBad
	case "xml":
		ok = isXML(text)
	case "csv":
		_, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		ok = err == nil
	case "python", "javascript", "typescript":
		fault = programFault(language, text)
		ok = fault == ""
	}
	if ok {
		return ""
	}
	return "want content that is " + language + ", have " + fault + " in " + quote(m.Format)
}

// jsonSingle finds a json call that holds more than one value, or a value with text around it.
func jsonSingle(v *view, i int, m *notation.Message) string {
	if v.language(i) != "json" {
		return ""
	}
	text := v.texts[i]
	start := strings.IndexAny(text, "{[")
	if _, one := jsontext.Embedded(text); one || start < 0 {
		return ""
	}
	c := jsontext.Cursor{JSON: jsontext.JSON(text[start:])}
	if _, ok := jsontext.Embedded(string(c.Value())); !ok {
		return ""
	}
	return "want one JSON value, have text or another value as well in " + quote(m.Format)
}

// callInText finds a call in a text, which the system does not see and cannot halt for.
func callInText(v *view, i int, m *notation.Message) string {
	if !notation.IsText(m.Format) {
		return ""
	}
	value, _ := jsontext.Embedded(unwrapped(v.texts[i]))
	if value.Kind() != '{' && value.Kind() != '[' {
		return ""
	}
	at, named := v.authority[":json"]
	if named && at < i || slices.ContainsFunc(v.Formats, func(f notation.Format) bool {
		tool, language := notation.Split(f.Name)
		return tool != "" && language == "json"
	}) {
		return v.want("a call in the format of its tool", m.Format) + v.misfit(value)
	}
	return ""
}

// misfit says why JSON is no input of the one tool that the thread defines, or "".
func (v *view) misfit(value jsontext.JSON) string {
	if len(v.schemas) == 1 {
		for tool, schema := range v.schemas {
			if fault := notation.Conform(schema, value); fault != "" {
				return ", and JSON that is no input of " + quote(tool) + ", with " + fault
			}
		}
	}
	return ""
}

// results returns how many results the call of message i may have: one for each element of a list, line or statement.
func (v *view) results(i int) (n int) {
	switch v.language(i) {
	case "json":
		value, _ := jsontext.Embedded(v.texts[i])
		for range value.Elements() {
			n++
		}
	case "jsonl", "python", "javascript":
		for line := range strings.Lines(v.texts[i]) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
	}
	return max(n, 1)
}

// callSchema checks the arguments of a call against the schema in the developer's definition of the tool.
func callSchema(v *view, i int, m *notation.Message) string { return v.conforms(i, m, v.schemas) }

// mentionedSchema checks them against the schema behind a mention of the tool's format, of which no sentence says whose it is.
func mentionedSchema(v *view, i int, m *notation.Message) string {
	tool, _ := v.Formats.ToolOf(m.Format)
	if _, defined := v.schemas[tool]; defined {
		return ""
	}
	return v.conforms(i, m, v.mentioned)
}

func (v *view) conforms(i int, m *notation.Message, schemas map[string]jsontext.JSON) string {
	tool, language := v.Formats.ToolOf(m.Format)
	if len(schemas) == 0 || notation.IsText(m.Format) || tool == "" {
		return ""
	}
	made, style := notation.ReadCalls(tool, language, v.texts[i], func(string) []string { return nil })
	for _, call := range made {
		schema, args := schemas[call.Name.Text()], call.Args
		if schema.Get("type") == `"array"` {
			schema = schema.Get("items")
		}
		if style == notation.Verbatim {
			if args = v.value(i); args == "" || args.Kind() == '[' {
				return ""
			}
		}
		if fault := notation.Conform(schema, args); fault != "" {
			return "want arguments that fit the schema of " + quote(call.Name.Text()) + ", have " + fault
		}
	}
	return ""
}

// value returns the content of message i as JSON, or "" for what is neither JSON nor YAML.
func (v *view) value(i int) (value jsontext.JSON) {
	switch v.language(i) {
	case "json":
		value, _ = jsontext.Embedded(v.texts[i])
	case "yaml":
		value, _ = notation.ReadYAML(v.texts[i])
	}
	return value
}

// answerSchema checks an answer in json against the developer's schema for answers.
func answerSchema(v *view, i int, m *notation.Message) string {
	if v.answer == "" || notation.Canonical(m.Format) != "json" {
		return ""
	}
	value, ok := jsontext.Embedded(v.texts[i])
	if !ok || i+1 < len(v.messages) {
		return ""
	}
	if fault := notation.Conform(v.answer, value); fault != "" {
		return "want an answer that fits its schema, have " + fault
	}
	return ""
}

// unwrapped returns the content of a text that is one fenced block, and other texts as they are.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n")
	return strings.TrimSuffix(inner, "```")
}

func isXML(text string) bool {
	d := xml.NewDecoder(strings.NewReader(text))
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements > 0
		}
		if err != nil {
			return false
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

// programFault returns what is open in a program in Python, JavaScript or TypeScript: a string, a comment or a bracket
// without its end. It returns "" for other texts, which may be wrong in ways that only a parser of the language sees.
func programFault(language, src string) string {
	p := program{src: src, python: language == "python"}
	for p.at < len(src) {
		if fault := p.token(); fault != "" {
			return fault
		}
	}
	if len(p.open) > 0 {
		return "a bracket without its end"
	}
	return ""
}

// A program is code in Python, JavaScript or TypeScript, read up to an offset.
type program struct {
	src    string
	at     int
	python bool
	open   []byte // the open brackets; '`' for the ${ of a template
	value  bool   // a value came before, so that a slash divides
}

// token reads a comment, a string, a bracket or one other byte, and returns what is wrong with it, or "".
func (p *program) token() string {
	c, rest := p.src[p.at], p.src[p.at:]
	switch {
	case p.python && c == '#', !p.python && strings.HasPrefix(rest, "//"):
		p.skip(rest, "\n")
	case !p.python && strings.HasPrefix(rest, "/*"):
		if p.at += 2; !p.skip(rest[2:], "*/") {
			return "a comment without its end"
		}
	case c == '"' || c == '\'':
		n, ended := notation.StringLiteral(rest, p.python)
		if p.at, p.value = p.at+n, true; !ended {
			return "a string without its end"
		}
	case !p.python && c == '`':
		p.at++
		return p.template()
	case !p.python && c == '/' && !p.value:
		n := len(pattern().FindString(rest))
		p.at, p.value = p.at+max(n, 1), n > 0 // a slash that begins none, as at the end of an element in JSX, is an operator
	case strings.IndexByte("([{", c) >= 0:
		p.at++
		p.open, p.value = append(p.open, c), false
	case strings.IndexByte(")]}", c) >= 0:
		p.at++
		return p.shut(c)
	default:
		p.at++
		if c > ' ' {
			p.value = c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		}
	}
	return ""
}

// skip goes behind a mark, or to the end where there is none.
func (p *program) skip(rest, mark string) bool {
	i := strings.Index(rest, mark)
	if i < 0 {
		p.at = len(p.src)
		return false
	}
	p.at += i + len(mark)
	return true
}

// template reads on in a template, up to its end or to ${.
func (p *program) template() string {
	for ; p.at < len(p.src); p.at++ {
		switch rest := p.src[p.at:]; {
		case rest[0] == '\\':
			p.at++
		case rest[0] == '`':
			p.at++
			p.value = true
			return ""
		case strings.HasPrefix(rest, "${"):
			p.at += 2
			p.open, p.value = append(p.open, '`'), false
			return ""
		}
	}
	return "a template without its end"
}

func (p *program) shut(c byte) string {
	n := len(p.open) - 1
	if n < 0 {
		return "a bracket that closes none"
	}
	opened := p.open[n]
	p.open, p.value = p.open[:n], true
	switch {
	case opened == '`' && c == '}':
		return p.template()
	case strings.IndexByte("([{", opened) != strings.IndexByte(")]}", c):
		return "a bracket that closes none"
	}
	return ""
}

// A pattern is a regular expression of JavaScript.
var pattern = notation.Pattern(`^/(?:\\(?s:.)|\[(?:\\(?s:.)|[^\]\\\n])*\]|[^/\\\[\n])*/`)

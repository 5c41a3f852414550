package check

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
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
func contentParses(v *view, i int) string {
	m := &v.messages[i]
	if m.Role != notation.Assistant {
		return ""
	}
	text, language := v.texts[i], v.language(i)
	if f, ok := v.Formats.Find(m.Format); ok && f.HaltOnStart && text == "" {
		return ""
	}
	if fault := parseFault(language, text); fault != "" {
		return "want content that is " + language + ", have " + fault + " in " + quote(m.Format)
	}
	return ""
}

// parseFault returns what is wrong with a text in a language, or "".
func parseFault(language, text string) string {
	ok := true
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
		return programFault(language, text)
	}
	if ok {
		return ""
	}
	return "other text"
}

// jsonSingle finds a json call that holds more than one value, or a value with text around it.
func jsonSingle(v *view, i int) string {
	m := &v.messages[i]
	if m.Role != notation.Assistant || v.language(i) != "json" {
		return ""
	}
	text := v.texts[i]
	if _, one := jsontext.Embedded(text); one {
		return ""
	}
	start := strings.IndexAny(text, "{[")
	if start < 0 {
		return ""
	}
	c := jsontext.Cursor{JSON: jsontext.JSON(text[start:])}
	if _, ok := jsontext.Embedded(string(c.Value())); !ok {
		return ""
	}
	return "want one JSON value, have text or another value as well in " + quote(m.Format)
}

// callInText finds a call in a text, which the system does not see and cannot halt for.
func callInText(v *view, i int) string {
	m := &v.messages[i]
	if m.Role != notation.Assistant || !notation.IsText(m.Format) || !isJSON(unwrapped(v.texts[i])) {
		return ""
	}
	for _, f := range v.Formats {
		if tool, language := notation.Split(f.Name); tool != "" && language == "json" {
			return v.want("a call in the format of its tool", m.Format)
		}
	}
	if at, ok := v.authority[":json"]; ok && at < i {
		return v.want("a call in the format of its tool", m.Format)
	}
	return ""
}

// results returns how many results the call of message i may have: one for each element of a list, line or statement.
func (v *view) results(i int) int {
	switch v.language(i) {
	case "json":
		value, _ := jsontext.Embedded(v.texts[i])
		if value.Kind() != '[' {
			return 1
		}
		n := 0
		c := value.Cursor()
		for range c.Elements() {
			n++
		}
		return max(n, 1)
	case "jsonl", "python", "javascript":
		n := 0
		for line := range strings.Lines(v.texts[i]) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
		return max(n, 1)
	}
	return 1
}

// callSchema checks the arguments of a call against the schema in the developer's definition of the tool.
func callSchema(v *view, i int) string { return v.conforms(i, v.schemas) }

// mentionedSchema checks them against the schema behind a mention of the tool's format, which may be another tool's.
func mentionedSchema(v *view, i int) string {
	tool, _ := v.Formats.ToolOf(v.messages[i].Format)
	if _, defined := v.schemas[tool]; defined {
		return ""
	}
	return v.conforms(i, v.mentioned)
}

func (v *view) conforms(i int, schemas map[string]jsontext.JSON) string {
	m := &v.messages[i]
	if m.Role != notation.Assistant || len(schemas) == 0 || notation.IsText(m.Format) {
		return ""
	}
	tool, language := v.Formats.ToolOf(m.Format)
	if tool == "" {
		return ""
	}
	made, style := notation.ReadCalls(tool, language, v.texts[i], func(string) []string { return nil })
	if style == notation.Verbatim {
		return ""
	}
	for _, call := range made {
		schema, ok := schemas[call.Name.Text()]
		if items := schema.Get("items"); schema.Get("type") == `"array"` {
			schema = items
		}
		if !ok || schema == "" {
			continue
		}
		if fault := notation.Conform(schema, call.Args); fault != "" {
			return "want arguments that fit the schema of " + quote(call.Name.Text()) + ", have " + fault
		}
	}
	return ""
}

// answerSchema checks an answer in json against the developer's schema for answers.
func answerSchema(v *view, i int) string {
	m := &v.messages[i]
	if m.Role != notation.Assistant || v.answer == "" || notation.Canonical(m.Format) != "json" {
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

func isJSON(text string) bool {
	v, ok := jsontext.Embedded(text)
	return ok && (v.Kind() == '{' || v.Kind() == '[')
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

package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
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
	if fault := notation.ContentFault(language, text); fault != "" {
		return "want content that is " + language + ", have " + fault + " in " + quote(m.Format)
	}
	return ""
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
func callSchema(v *view, i int, m *notation.Message) string { return v.conforms(i, m, v.schemas, true) }

// mentionedSchema checks them against the schema behind a mention of the tool's format, of which no sentence says whose it is.
func mentionedSchema(v *view, i int, m *notation.Message) string {
	tool, _ := v.Formats.ToolOf(m.Format)
	if _, defined := v.schemas[tool]; defined {
		return ""
	}
	return v.conforms(i, m, v.mentioned, false)
}

func (v *view) conforms(i int, m *notation.Message, schemas map[string]jsontext.JSON, defined bool) string {
	tool, language := v.Formats.ToolOf(m.Format)
	if len(schemas) == 0 || notation.IsText(m.Format) || tool == "" {
		return ""
	}
	if written := v.language(i); written == "json" || written == "yaml" {
		if schema, value := schemas[tool], v.value(i); schema != "" && value != "" {
			return v.misfitOf(i, tool, value, schema, defined)
		}
		return ""
	}
	made, style := notation.ReadCalls(tool, language, v.texts[i], func(string) []string { return nil })
	for _, call := range made {
		schema := schemas[call.Name.Text()]
		if schema.Get("type").Text() == "array" {
			schema = schema.Get("items")
		}
		if fault := notation.Conform(schema, call.Args); style != notation.Verbatim && fault != "" {
			return wantFitting(call.Name.Text(), fault)
		}
	}
	return ""
}

func wantFitting(tool, fault string) string {
	return "want arguments that fit the schema of " + quote(tool) + ", have " + fault
}

// misfitOf returns why a value is no content of a call by the definition of its tool, or "". Where that takes one call, each is a message of
// its own. A block that is only mentioned may show the list that separate calls are to be: so the document has it.
func (v *view) misfitOf(i int, tool string, value, schema jsontext.JSON, defined bool) string {
	takes := func(kind string) bool { return notation.Takes(schema, kind) }
	if value.Kind() == '[' && !takes("array") && takes("object") {
		if !v.allowsSeveral(i) {
			return fmt.Sprintf("want a message for each call, since the definition of %s takes one call, have a list of %d", quote(tool), v.results(i))
		}
		schema = notation.ListOf(schema)
	}
	fault := notation.Conform(schema, value)
	if fault == "" {
		return ""
	}
	if value.Kind() == '{' && !takes("object") && takes("array") {
		if defined {
			return "want a list of calls, since the definition of " + quote(tool) + " takes a list, have a call without one"
		}
		if fault = notation.Conform(schema.Get("items"), value); fault == "" {
			return ""
		}
	}
	return wantFitting(tool, fault)
}

var (
	// several finds lines that allow several calls in a message, whatever the schema takes, unless they forbid them.
	several = notation.Pattern(`(?i)\b(?:several|multiple|many|more than one|parallel|lists? of|arrays? of)\b[^.\n]{0,40}\b` +
		`(?:calls?|times|functions|tools|objects|inputs|requests)\b|\bcalls?\b[^.\n]{0,20}\b(?:several|in parallel|at once|in a list|in an array)\b`)
	forbids = notation.Pattern(`(?i)\b(?:no|not|never|cannot|avoid)\b|n['’]t\b`)
)

// allowsSeveral reports whether a platform or developer message before message i allows several calls in a message.
func (v *view) allowsSeveral(i int) bool {
	allows := func(l instruction.Line) bool {
		return several().MatchString(l.Prose) && !forbids().MatchString(l.Prose)
	}
	for at := range v.messages[:i] {
		if v.messages[at].Instructs() && slices.ContainsFunc(v.linesOf(at), allows) {
			return true
		}
	}
	return false
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

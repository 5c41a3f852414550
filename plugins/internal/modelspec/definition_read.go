package modelspec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Definitions are what a developer text enables in the words of AppendDefinition, AppendAnswer and ReasoningText.
type Definitions struct {
	Functions []Function
	Answer    jsontext.JSON // the schema of the answer, or ""
	Only      bool          // and it is the only format
	Thinks    bool          // thoughts are asked for
	SchemaIn  string        // "typescript" or "json-schema", "" where no schema stands
	Rest      string        // the text before them
}

// ReadDefinitions takes definitions off the end of a developer text. Only what the settings allow, and what would be written
// again just as it stands, is one: a text that mentions, quotes or forbids a format is left as it is.
func ReadDefinitions(text string, formats Formats) Definitions {
	d := Definitions{Rest: text}
	allowed := map[string]bool{}
	for _, f := range formats {
		allowed[f.Name] = true
	}
	if allowed[Reasoning] {
		d.Thinks = d.cut(strings.TrimSuffix(d.Rest, ReasoningText))
	}
	if allowed["json"] {
		d.readAnswer()
	}
	known := map[string]bool{}
	for len(allowed) > 0 && d.readFunction(allowed, known) {
	}
	slices.Reverse(d.Functions)
	return d
}

// cut leaves rest, without the blank line that parted it from what follows, unless it is all there was.
func (d *Definitions) cut(rest string) bool {
	if len(rest) == len(d.Rest) || rest != "" && !strings.HasSuffix(rest, "\n\n") {
		return false
	}
	d.Rest = strings.TrimSuffix(rest, "\n\n")
	return true
}

func (d *Definitions) readAnswer() {
	at := strings.LastIndex(d.Rest, answerSentence+schemaSentence)
	if at < 0 {
		return
	}
	schema, schemaIn, ok := readSchema(d.Rest[at+len(answerSentence)+len(schemaSentence):])
	start := strings.LastIndex(d.Rest[:at], "Respond ")
	only := strings.HasSuffix(d.Rest[:at], "only ")
	if !ok || start < 0 || string(AppendAnswer(nil, schema, only, schemaIn)) != d.Rest[start:] {
		return
	}
	if d.cut(d.Rest[:start]) {
		d.Answer, d.Only, d.SchemaIn = schema, only, schemaIn
	}
}

// definition is the sentence that ends a section, up to its schema.
var definition = regexp.MustCompile("^You can use the `([^`\n]+)` response format to call this tool(, once or several times in a list,)?(\\.| with the following schema:\n)")

// readFunction takes the last section off the text, unless it defines a tool that is known already.
func (d *Definitions) readFunction(allowed, known map[string]bool) bool {
	at := strings.LastIndex(d.Rest, "You can use the `")
	if at < 0 {
		return false
	}
	said := definition.FindStringSubmatch(d.Rest[at:])
	if said == nil || !allowed[said[1]] {
		return false
	}
	f, schemaIn := Function{Several: said[2] != ""}, "typescript"
	if said[3] != "." {
		var ok bool
		if f.Schema, schemaIn, ok = readSchema(d.Rest[at+len(said[0]):]); !ok {
			return false
		}
	}
	if f.Several {
		f.Schema = f.Schema.Get("items")
	}
	head := strings.LastIndex(d.Rest[:at], "\n## ") + 1
	if !strings.HasPrefix(d.Rest[head:], "## ") {
		return false
	}
	name, description, _ := strings.Cut(d.Rest[head+len("## "):at], "\n")
	if tool, _ := Split(said[1]); tool != name && tool != PythonTool || known[name] {
		return false
	}
	f.Name, f.Description = name, strings.TrimSuffix(description, "\n\n")
	if string(AppendDefinition(nil, f, said[1], schemaIn)) != d.Rest[head:] || !d.cut(d.Rest[:head]) {
		return false
	}
	if f.Schema != "" {
		d.SchemaIn = schemaIn
	}
	known[name] = true
	d.Functions = append(d.Functions, f)
	return true
}

// readSchema reads a fenced block with a schema that begins and ends a text.
func readSchema(text string) (schema jsontext.JSON, schemaIn string, ok bool) {
	line, body, found := strings.Cut(text, "\n")
	language := strings.TrimLeft(line, "`")
	fence := line[:len(line)-len(language)]
	if !found || len(fence) < 3 {
		return "", "", false
	}
	body, rest, found := strings.Cut(body, "\n"+fence)
	if !found || strings.TrimSpace(firstLine(rest)) != "" {
		return "", "", false
	}
	switch Canonical(strings.TrimSpace(language)) {
	case "json":
		schema, ok = jsontext.Embedded(body)
		return jsontext.JSON(jsontext.AppendCompact(nil, schema)), "json-schema", ok && schema.Kind() == '{'
	case "typescript":
		schema, ok = ReadTypeScript(body)
		return schema, "typescript", ok
	}
	return "", "", false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

var mention = regexp.MustCompile("`([^`:\\s]+):[a-z]+`")

// Schemas gives the schemas that a text sets behind the mention of a tool's format, by tool: a code span such as
// `weather:json`, and the next fenced block. Whether there is such a tool, others must say: the text may forbid it.
func Schemas(text string) map[string]jsontext.JSON {
	var schemas map[string]jsontext.JSON
	fence, read := 0, jsontext.JSON("")
	for _, at := range mention.FindAllStringSubmatchIndex(text, -1) {
		if fence < at[1] {
			next := strings.Index(text[at[1]:], "\n```")
			if next < 0 {
				return schemas
			}
			fence = at[1] + next
			ok := false
			if read, _, ok = readSchema(text[fence+1:]); !ok {
				read = ""
			}
		}
		name := text[at[2]:at[3]]
		if _, known := schemas[name]; read != "" && !known {
			if schemas == nil {
				schemas = map[string]jsontext.JSON{}
			}
			schemas[name] = read
		}
	}
	return schemas
}

// Append writes the definitions behind a text again. format gives the format of a function's calls.
func (d *Definitions) Append(text string, format func(function string) string) string {
	dst := []byte(text)
	next := func() {
		if len(dst) > 0 {
			dst = append(dst, "\n\n"...)
		}
	}
	for _, f := range d.Functions {
		next()
		dst = AppendDefinition(dst, f, format(f.Name), d.SchemaIn)
	}
	if d.Answer != "" {
		next()
		dst = AppendAnswer(dst, d.Answer, d.Only, d.SchemaIn)
	}
	if d.Thinks {
		next()
		dst = append(dst, ReasoningText...)
	}
	return jsontext.View(dst)
}

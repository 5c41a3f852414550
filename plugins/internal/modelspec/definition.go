package modelspec

import (
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Tool is a function that a developer message defines.
type Tool struct {
	Name, Description string
	Schema            jsontext.JSON // JSON schema of its input, or ""
}

// The sentences that enable a format. They are read back by them.
const (
	callSentence   = "` response format to call this tool"
	schemaSentence = " with the following schema:\n"
	answerSentence = "in the `json` response format"
)

// ReasoningText enables the format "reasoning".
const ReasoningText = "Before you answer or call a tool, think in the `reasoning` response format."

// AppendDefinition appends the developer text that defines a tool whose calls have the format: a heading, the description, and the schema as schemaIn says, "typescript" or "json-schema".
func AppendDefinition(dst []byte, t Tool, format, schemaIn string) []byte {
	dst = append(append(append(dst, "## "...), t.Name...), '\n')
	if t.Description != "" {
		dst = append(append(dst, t.Description...), "\n\n"...)
	}
	dst = append(append(append(dst, "You can use the `"...), format...), callSentence...)
	if t.Schema == "" {
		return append(dst, '.')
	}
	return appendSchema(append(dst, schemaSentence...), typeName(t.Name), t.Schema, schemaIn)
}

// AppendAnswer appends the developer text that asks for an answer in JSON.
func AppendAnswer(dst []byte, schema jsontext.JSON, only bool, schemaIn string) []byte {
	dst = append(dst, "Respond "...)
	if only {
		dst = append(dst, "only "...)
	}
	dst = append(append(dst, answerSentence...), schemaSentence...)
	return appendSchema(dst, "Response", schema, schemaIn)
}

// appendSchema appends a fenced block with a schema.
func appendSchema(dst []byte, name string, schema jsontext.JSON, schemaIn string) []byte {
	language, text := "json", string(jsontext.AppendCompact(nil, schema))
	if schemaIn == "typescript" {
		language, text = "typescript", TypeScript(name, schema)
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	dst = append(append(append(dst, fence...), language...), '\n')
	return append(append(append(dst, text...), '\n'), fence...)
}

// typeName is the name of a tool as TypeScript writes types: get_weather is GetWeather.
func typeName(tool string) string {
	var b strings.Builder
	up := true
	for i := range len(tool) {
		c := tool[i]
		letter, digit := c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9'
		switch {
		case !letter && !(digit && b.Len() > 0):
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	if b.Len() == 0 {
		return "Input"
	}
	return b.String()
}

// Definitions are what a developer text enables.
type Definitions struct {
	Tools  []Tool
	Answer jsontext.JSON // the schema of the answer, or ""
	Rest   string        // the text without what AppendDefinition and AppendAnswer wrote
}

var (
	definition = regexp.MustCompile("You can use the `([^`\n]+):(json|jsonl|python)` response format to call this tool(\\.| with the following schema:\n)")
	answer     = regexp.MustCompile("Respond (?:only )?in the `json` response format with the following schema:\n")
	mention    = regexp.MustCompile("`([^`:\\s]+):jsonl?`")
)

// ReadDefinitions reads developer text back. Definitions in AppendDefinition's own words are taken out of the text; a
// tool that other words define ("use the `weather:json` response format", and a block with its schema) stays there.
func ReadDefinitions(text string) Definitions {
	d := Definitions{}
	rest := text
	for {
		at := definition.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		tool, end, ok := readDefinition(rest, at)
		if !ok {
			d.Rest += rest[:at[1]]
			rest = rest[at[1]:]
			continue
		}
		head := strings.LastIndex("\n"+rest[:at[0]], "\n## "+tool.Name+"\n")
		d.Tools = append(d.Tools, tool)
		d.Rest += rest[:head]
		rest = strings.TrimPrefix(rest[end:], "\n\n")
	}
	d.Rest += rest
	if at := answer.FindStringIndex(d.Rest); at != nil {
		if schema, end, ok := readSchema(d.Rest[at[1]:]); ok {
			d.Answer = schema
			d.Rest = d.Rest[:at[0]] + strings.TrimPrefix(d.Rest[at[1]+end:], "\n\n")
		}
	}
	if d.Rest = strings.TrimSuffix(d.Rest, ReasoningText); d.Rest != text {
		d.Rest = strings.TrimSuffix(d.Rest, "\n\n")
	}
	d.readMentions()
	return d
}

// readDefinition reads the definition whose sentence is at.
func readDefinition(text string, at []int) (t Tool, end int, ok bool) {
	t.Name = text[at[2]:at[3]]
	end = at[1]
	if text[at[6]:at[7]] != "." {
		n := 0
		if t.Schema, n, ok = readSchema(text[at[1]:]); !ok {
			return t, 0, false
		}
		end += n
	}
	if t.Name == "tools" && text[at[4]:at[5]] == "python" { // the functions are named by their headings
		i := strings.LastIndex("\n"+text[:at[0]], "\n## ")
		if i < 0 {
			return t, 0, false
		}
		t.Name, _, _ = strings.Cut(text[i+len("## "):at[0]], "\n")
	}
	head := strings.LastIndex("\n"+text[:at[0]], "\n## "+t.Name+"\n")
	if head < 0 {
		return t, 0, false
	}
	t.Description = strings.TrimSuffix(text[head+len("## ")+len(t.Name)+1:at[0]], "\n\n")
	return t, end, true
}

// readSchema reads a fenced block with a schema at the head of a text.
func readSchema(text string) (schema jsontext.JSON, end int, ok bool) {
	line, _, found := strings.Cut(text, "\n")
	language := strings.TrimLeft(line, "`")
	fence := line[:len(line)-len(language)]
	if !found || len(fence) < 3 {
		return "", 0, false
	}
	body, _, found := strings.Cut(text[len(line)+1:], "\n"+fence)
	if !found {
		return "", 0, false
	}
	end = len(line) + 1 + len(body) + 1 + len(fence)
	switch Canonical(strings.TrimSpace(language)) {
	case "json":
		schema, ok = jsontext.Embedded(body)
		return jsontext.JSON(jsontext.AppendCompact(nil, schema)), end, ok && schema.Kind() == '{'
	case "typescript":
		schema, ok = ReadTypeScript(body)
		return schema, end, ok
	}
	return "", 0, false
}

// readMentions finds tools that other words define: a code span such as `weather:json`, and the next fenced block.
func (d *Definitions) readMentions() {
	for _, at := range mention.FindAllStringSubmatchIndex(d.Rest, -1) {
		name := d.Rest[at[2]:at[3]]
		known := false
		for _, t := range d.Tools {
			known = known || t.Name == name
		}
		fence := strings.Index(d.Rest[at[1]:], "\n```")
		if known || fence < 0 {
			continue
		}
		if schema, _, ok := readSchema(d.Rest[at[1]+fence+1:]); ok {
			d.Tools = append(d.Tools, Tool{Name: name, Schema: schema})
		}
	}
}

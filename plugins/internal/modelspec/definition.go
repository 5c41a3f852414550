package modelspec

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Function is a tool that a developer message defines.
type Function struct {
	Name, Description string
	Schema            jsontext.JSON // JSON schema of its input, or ""
	Several           bool          // a message holds a list of calls
}

// The sentences that enable a format. They are read back by them.
const (
	callSentence   = "` response format to call this tool"
	severalTimes   = ", once or several times in a list,"
	schemaSentence = " with the following schema:\n"
	answerSentence = "in the `json` response format"
)

// ReasoningText enables the format "reasoning".
const ReasoningText = "Before you answer or call a tool, think in the `reasoning` response format."

// AppendDefinition appends the developer text that defines a tool whose calls have the format: a heading, the description,
// and the schema as schemaIn says, "typescript" or "json-schema".
func AppendDefinition(dst []byte, t Function, format, schemaIn string) []byte {
	dst = append(append(append(dst, "## "...), t.Name...), '\n')
	if t.Description != "" {
		dst = append(append(dst, t.Description...), "\n\n"...)
	}
	dst = append(append(append(dst, "You can use the `"...), format...), callSentence...)
	schema := t.Schema
	if t.Several {
		dst = append(dst, severalTimes...)
		schema = `{"type":"array","items":` + jsontext.JSON(jsonOr(schema != "", string(schema), `{"type":"object"}`)) + `}`
	}
	if schema == "" {
		return append(dst, '.')
	}
	return appendSchema(append(dst, schemaSentence...), typeName(t.Name), schema, schemaIn)
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

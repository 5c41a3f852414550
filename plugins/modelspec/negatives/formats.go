package negatives

import (
	"encoding/xml"
	"html"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A format is one in which an answer can be written. The answer parses in it, so that nothing but the format is wrong.
type format struct {
	name string
	put  func(text string) string
}

var formats = []format{
	{"html", func(text string) string { return "<p>" + html.EscapeString(text) + "</p>" }},
	{"xml", func(text string) string { return "<answer>" + escapeXML(text) + "</answer>" }},
	{"json", answerJSON},
	{"jsonl", answerJSON},
	{"yaml", func(text string) string { return string(notation.AppendYAML(nil, jsontext.JSON(answerJSON(text)))) }},
	{"csv", func(text string) string { return "answer\n\"" + strings.ReplaceAll(text, `"`, `""`) + "\"\n" }},
}

// answer writes a text in the format, as the last message of a turn.
func (f format) answer(text string) notation.Message {
	return notation.Message{Role: notation.Assistant, Format: f.name, Body: jsontext.BodyOf(f.put(text)), EndTurn: true}
}

func answerJSON(text string) string {
	return string(append(jsontext.AppendMember([]byte("{"), "answer", text), '}'))
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder never fails
	return b.String()
}

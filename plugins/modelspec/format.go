package modelspec

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// formatTexts sets the formats of the assistant's texts. With a response schema the answer must be JSON, and earlier texts may be.
// Others have the format that the platform before them demands last, or else a developer, if they can, or else markdown.
func (c *converter) formatTexts() error {
	schema := c.row.Output.Kind() == '{'
	c.texts, c.others = false, c.others[:0]
	var demanded []string
	overrides := false // the platform demands them
	for i := range c.messages {
		m := &c.messages[i]
		if m.Instructs() && (!overrides || m.Role == notation.Platform) {
			if formats := c.demandedBy(m); formats != nil {
				demanded, overrides = formats, m.Role == notation.Platform
			}
		}
		if !m.said {
			continue
		}
		m.Format = c.formatOf(m, schema, demanded)
		if schema && i == len(c.messages)-1 && m.Format != "json" {
			return sdk.Reject("response_not_json", "response.text", "want JSON, as the response schema says")
		}
		if m.Format == "markdown" {
			c.texts = true
		} else if !schema || m.Format != "json" {
			c.list(m.Format)
		}
	}
	if !schema {
		for _, format := range demanded {
			c.list(format)
		}
	}
	return nil
}

// list notes a format that the settings list.
func (c *converter) list(format string) {
	switch {
	case format == "markdown":
		c.texts = true
	case format != notation.Reasoning && !slices.Contains(c.others, format):
		c.others = append(c.others, format)
	}
}

// formatOf returns the format of a text of the assistant.
func (c *converter) formatOf(m *message, schema bool, demanded []string) string {
	body := c.body(m)
	if schema {
		if _, ok := body.Embedded(); ok {
			return "json"
		}
	}
	for _, format := range demanded {
		if canBe(format, body.Text()) {
			return format
		}
	}
	return "markdown"
}

// demandedBy returns the formats that a message of the platform or a developer demands.
func (c *converter) demandedBy(m *message) []string {
	body := c.body(m)
	if !instruction.NamesFormat(string(body)) {
		return nil
	}
	c.words = jsontext.AppendText(c.words[:0], body)
	c.lines, c.unquoted = instruction.AppendLines(c.lines[:0], jsontext.View(c.words), c.unquoted[:0])
	var settings notation.Formats
	if c.thinks {
		settings = notation.Formats{{Name: notation.Reasoning}}
	}
	return instruction.Demanded(c.lines, settings)
}

// element matches the beginning of an element of HTML.
var element = notation.Pattern(`<[A-Za-z!/]`)

// canBe reports whether a text can be content in a format: it parses, and is no markdown that holds such content in a block.
func canBe(format, text string) bool {
	switch {
	case notation.IsText(format):
		return true
	case format == notation.Reasoning, strings.HasPrefix(text, "```"), strings.Contains(text, "\n```"), notation.ContentFault(format, text) != "":
		return false
	case format == "html":
		return element().MatchString(text)
	case format == "yaml": // any sentence is a value of YAML
		value, _ := notation.ReadYAML(text)
		return value.Kind() != '"'
	}
	return true
}

// jsonFormat is the format of answers in JSON as the settings list it.
const jsonFormat jsontext.JSON = `{"name":"json","sampler":"json"}`

// textFormat returns a format of texts as the settings list it.
func textFormat(format string) jsontext.JSON {
	switch format {
	case "json":
		return jsonFormat
	case "jsonl":
		return `{"name":"jsonl","sampler":"jsonl"}`
	}
	return jsontext.BodyOf(format).JSON()
}

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
	var platform, developer, all instruction.Demands
	for i := range c.messages {
		m := &c.messages[i]
		if m.Instructs() {
			if m.Role == notation.Platform {
				platform.Add(c.demandsOf(m))
			} else {
				developer.Add(c.demandsOf(m))
			}
			all = platform.Over(developer)
		}
		if !m.said {
			continue
		}
		m.Format = c.formatOf(m, schema, all)
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
		for _, format := range all.Firm.Formats {
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
func (c *converter) formatOf(m *message, schema bool, d instruction.Demands) string {
	body := c.body(m)
	if schema {
		if _, ok := body.Embedded(); ok {
			return "json"
		}
	}
	for _, format := range d.Firm.Formats {
		if canBe(format, body.Text()) {
			return format
		}
	}
	if d.Firm.Formats != nil {
		return "markdown"
	}
	for _, format := range d.Loose.Formats {
		if isDistinct(format) && !slices.Contains(d.Firm.Forbidden, format) && canBe(format, body.Text()) {
			return format
		}
	}
	if slices.Contains(d.Firm.Forbidden, "markdown") || slices.Contains(d.Loose.Forbidden, "markdown") {
		return "plaintext"
	}
	return "markdown"
}

// demandsOf returns what a message of the platform or a developer demands.
func (c *converter) demandsOf(m *message) instruction.Demands {
	body := c.body(m)
	c.words = jsontext.AppendText(c.words[:0], body)
	text := jsontext.View(c.words)
	if !instruction.MayDemand(text, nil, true) {
		return instruction.Demands{}
	}
	c.lines, c.unquoted = instruction.AppendLines(c.lines[:0], text, c.unquoted[:0])
	var settings notation.Formats
	if c.thinks {
		settings = notation.Formats{{Name: notation.Reasoning}}
	}
	return instruction.ReadDemands(text, c.lines, settings, true)
}

// isDistinct reports whether a text shows that it is in a format, which may not be demanded.
func isDistinct(format string) bool {
	return notation.IsText(format) || slices.Contains([]string{"json", "jsonl", "xml", "html", "yaml"}, format)
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

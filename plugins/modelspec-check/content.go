package modelspeccheck

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// contentParses knows json, jsonl, xml and csv. Lines of JSON in a json call are a mistake of their own, see
// jsonSingle.
func contentParses(v *view, i int) string {
	m := v.Messages[i]
	if m.Role != "assistant" || jsonSingle(v, i) != "" {
		return ""
	}
	_, language := modelspec.Split(modelspec.Canonical(m.Format))
	ok := true
	switch language {
	case "json":
		_, ok = jsontext.Embedded(m.Content)
	case "jsonl":
		for line := range strings.Lines(m.Content) {
			_, isValue := jsontext.Embedded(line)
			ok = ok && (strings.TrimSpace(line) == "" || isValue)
		}
		ok = ok && strings.TrimSpace(m.Content) != ""
	case "xml":
		ok = isXML(m.Content)
	case "csv":
		_, err := csv.NewReader(strings.NewReader(m.Content)).ReadAll()
		ok = err == nil
	}
	if ok {
		return ""
	}
	return "want content that is " + language + ", have other text"
}

// jsonSingle finds a json call that holds more than one value, or a value with text around it.
func jsonSingle(v *view, i int) string {
	m := v.Messages[i]
	_, language := modelspec.Split(modelspec.Canonical(m.Format))
	if _, one := jsontext.Embedded(m.Content); m.Role != "assistant" || language != "json" || one {
		return ""
	}
	start := strings.IndexAny(m.Content, "{[")
	if start < 0 {
		return ""
	}
	c := jsontext.Cursor{JSON: jsontext.JSON(m.Content[start:])}
	if _, ok := jsontext.Embedded(string(c.Value())); !ok {
		return ""
	}
	return "want one JSON value, have text or another value beside it"
}

func isJSON(text string) bool {
	v, ok := jsontext.Embedded(text)
	return ok && (v.Kind() == '{' || v.Kind() == '[')
}

// unfenced takes the marks of a fenced block off a text that is nothing else.
func unfenced(text string) string {
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

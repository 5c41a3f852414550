package notation

import (
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A YAMLVerdict says what became of a text that should be YAML.
type YAMLVerdict uint8

// The verdicts.
const (
	YAMLBad     YAMLVerdict = iota
	YAMLRead                // the text is one value, which JSON can hold
	YAMLUnknown             // the text has anchors, aliases, tags, several documents or keys that are collections
)

// yamlDepth bounds how deep collections nest.
const yamlDepth = 100

// ReadYAML reads a text of YAML as JSON. Words stand for values as in the core schema of YAML 1.2, and numbers keep their
// spelling.
func ReadYAML(text string) (jsontext.JSON, YAMLVerdict) {
	if _, ok := jsontext.Embedded(text); ok {
		text = jsonEscape.ReplaceAllStringFunc(text, unescape)
	}
	var document, second yaml.Node
	d := yaml.NewDecoder(strings.NewReader(text))
	switch err := d.Decode(&document); {
	case err == io.EOF:
		return "null", YAMLRead
	case err != nil:
		return "", YAMLBad
	}
	value, verdict := appendNode(nil, document.Content[0], 0)
	switch err := d.Decode(&second); {
	case err == nil:
		return "", YAMLUnknown
	case err != io.EOF:
		return "", YAMLBad
	case verdict != YAMLRead:
		return "", verdict
	}
	return jsontext.JSON(value), YAMLRead
}

// jsonEscape finds the escapes of JSON, among them those that the YAML package refuses though YAML 1.2 has them.
var jsonEscape = regexp.MustCompile(`\\(?:[^u]|u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2})`)

func unescape(escape string) string {
	if escape == `\/` || len(escape) > 2 {
		return jsontext.Body(escape).Text()
	}
	return escape
}

// appendNode appends a node as JSON.
func appendNode(dst []byte, n *yaml.Node, depth int) ([]byte, YAMLVerdict) {
	verdict := YAMLRead
	switch {
	case depth > yamlDepth:
		return dst, YAMLBad
	case isMarked(n):
		return dst, YAMLUnknown
	case n.Kind == yaml.ScalarNode && n.Style == 0:
		return appendWord(dst, n.Value), YAMLRead
	case n.Kind == yaml.ScalarNode:
		return jsontext.AppendString(dst, n.Value), YAMLRead
	case n.Kind == yaml.SequenceNode:
		dst = append(dst, '[')
		for i, element := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, verdict = appendNode(dst, element, depth+1); verdict != YAMLRead {
				return dst, verdict
			}
		}
		return append(dst, ']'), YAMLRead
	}
	dst = append(dst, '{')
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || isMarked(key) {
			return dst, YAMLUnknown
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key.Value), ':')
		if dst, verdict = appendNode(dst, n.Content[i+1], depth+1); verdict != YAMLRead {
			return dst, verdict
		}
	}
	return append(dst, '}'), YAMLRead
}

// isMarked reports whether a node is an alias or has an anchor or a tag.
func isMarked(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0
}

var yamlNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// appendWord appends a plain scalar: null, a boolean, a number or a text.
func appendWord(dst []byte, text string) []byte {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return append(dst, "null"...)
	case "true", "True", "TRUE":
		return append(dst, "true"...)
	case "false", "False", "FALSE":
		return append(dst, "false"...)
	}
	if yamlNumber.MatchString(text) {
		return append(dst, strings.TrimPrefix(text, "+")...)
	}
	return jsontext.AppendString(dst, text)
}

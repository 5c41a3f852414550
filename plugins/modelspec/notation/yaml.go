package notation

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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

// ReadYAML reads a text of YAML as JSON, by the core schema of YAML 1.2. Numbers keep their spelling.
func ReadYAML(text string) (jsontext.JSON, YAMLVerdict) {
	if _, ok := jsontext.Embedded(text); ok {
		text = jsonEscape().ReplaceAllStringFunc(text, unescape)
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
var jsonEscape = Pattern(`\\(?:[^u]|u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2})`)

func unescape(escape string) string {
	if escape == `\/` || len(escape) > 2 {
		return jsontext.Body(escape).Text()
	}
	return escape
}

func appendNode(dst []byte, n *yaml.Node, depth int) ([]byte, YAMLVerdict) {
	var verdict YAMLVerdict
	switch {
	case depth > yamlDepth:
		return dst, YAMLBad
	case isMarked(n):
		return dst, YAMLUnknown
	case n.Kind == yaml.ScalarNode && n.Style == 0:
		return appendWord(dst, n.Value), YAMLRead
	case n.Kind == yaml.ScalarNode:
		return jsontext.AppendString(dst, n.Value), YAMLRead
	}
	brackets, object := "[]", n.Kind == yaml.MappingNode
	if object {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for i, inner := range n.Content {
		key := object && i%2 == 0
		switch {
		case key && (inner.Kind != yaml.ScalarNode || isMarked(inner)):
			return dst, YAMLUnknown
		case object && !key:
			dst = append(dst, ':')
		case i > 0:
			dst = append(dst, ',')
		}
		if key {
			dst = jsontext.AppendString(dst, inner.Value)
		} else if dst, verdict = appendNode(dst, inner, depth+1); verdict != YAMLRead {
			return dst, verdict
		}
	}
	return append(dst, brackets[1]), YAMLRead
}

// isMarked reports whether a node is an alias or has an anchor or a tag.
func isMarked(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0
}

var yamlNumber = Pattern(`^[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func appendWord(dst []byte, text string) []byte {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return append(dst, "null"...)
	case "true", "True", "TRUE":
		return append(dst, "true"...)
	case "false", "False", "FALSE":
		return append(dst, "false"...)
	}
	if yamlNumber().MatchString(text) {
		return append(dst, strings.TrimPrefix(text, "+")...)
	}
	return jsontext.AppendString(dst, text)
}

// AppendYAML appends JSON as YAML: block collections, words that every version of YAML takes for text, and JSON strings.
func AppendYAML(dst []byte, value jsontext.JSON) []byte {
	return appendYAML(dst, value, 0)
}

var (
	yamlPlain = Pattern(`^[A-Za-z][A-Za-z0-9_]*([ /.-][A-Za-z0-9_]+)*$`)
	// yamlReserved holds words that some version of YAML takes for more than text.
	yamlReserved = map[string]bool{
		"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
	}
)

func appendYAML(dst []byte, value jsontext.JSON, depth int) []byte {
	if body, ok := value.Quoted(); ok {
		return appendYAMLText(dst, body.Text())
	}
	if !isCollection(value) || depth > yamlDepth {
		return jsontext.AppendPlain(dst, value)
	}
	first := true
	line := func() {
		if !first {
			dst = append(append(dst, '\n'), strings.Repeat("  ", depth)...)
		}
		first = false
	}
	for _, element := range value.Elements() {
		line()
		dst = appendYAML(append(dst, "- "...), element, depth+1)
	}
	for key, member := range value.Members() {
		line()
		between, inner := ": ", depth
		if isCollection(member) { // which goes to the lines below
			if inner++; inner <= yamlDepth {
				between = ":\n" + strings.Repeat("  ", inner)
			}
		}
		dst = appendYAML(append(appendYAMLText(dst, key), between...), member, inner)
	}
	return dst
}

// isCollection reports whether a value is a list or an object, and not an empty one, which YAML has on one line.
func isCollection(value jsontext.JSON) bool {
	return (value.Kind() == '{' || value.Kind() == '[') && !value.Empty()
}

func appendYAMLText(dst []byte, text string) []byte {
	if yamlPlain().MatchString(text) && !yamlReserved[strings.ToLower(text)] {
		return append(dst, text...)
	}
	from := len(dst)
	dst = jsontext.AppendString(dst, text)
	if quoted := string(dst[from:]); strings.IndexFunc(quoted, needsEscape) >= 0 {
		dst = dst[:from]
		for _, r := range quoted {
			if needsEscape(r) {
				dst = fmt.Appendf(dst, `\u%04x`, r)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
	}
	return dst
}

// needsEscape reports whether YAML needs an escape for a character that JSON does not escape.
func needsEscape(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

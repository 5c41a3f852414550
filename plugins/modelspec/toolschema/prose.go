package toolschema

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// english lists the members of objects, such as "- city (text, required): where".
var english = dialect{
	indent: "  ", bullet: "- ", required: "required", optional: "optional", typeOf: englishType,
	readType: func(r *reader) (shape, bool) { return readEnglish(r, 0, 0) },
}

// nouns lists the types of JSON schema with their nouns, singular and plural.
var nouns = []struct {
	kind  string
	words [2]string
}{
	{"string", [2]string{"text", "texts"}},
	{"number", [2]string{"number", "numbers"}},
	{"integer", [2]string{"whole number", "whole numbers"}},
	{"boolean", [2]string{"boolean", "booleans"}},
	{"null", [2]string{"null", "nulls"}},
	{"object", [2]string{"object", "objects"}},
	{"array", [2]string{"list", "lists"}},
}

const or, either, listed, anything = " or ", "either ", " of ", "anything"

func englishType(s *shape) string { return englishNoun(s, 0) }

// englishNoun returns the noun of a type, in the plural if many is 1.
func englishNoun(s *shape, many int) string {
	var all []string
	for _, choice := range s.choices {
		all = append(all, string(jsontext.AppendString(nil, choice)))
	}
	if s.choices == nil {
		for _, kind := range s.types {
			for _, n := range nouns {
				if n.kind == kind {
					all = append(all, n.words[many])
				}
			}
		}
	}
	switch {
	case all == nil:
		return anything
	case s.items != nil:
		return all[0] + listed + englishNoun(s.items, 1)
	}
	if s.either {
		return either + strings.Join(all, or)
	}
	return strings.Join(all, or)
}

func readEnglish(r *reader, many, depth int) (s shape, ok bool) {
	switch {
	case depth > maxDepth:
		return s, false
	case r.word(anything):
		return s, true
	case strings.HasPrefix(r.src[r.at:], `"`):
		s = only("string")
		ok = r.joined(or, func() bool { return s.readChoice(r) })
		return s, ok
	}
	union := r.word("either") && r.accept(" ")
	var types []string
	ok = r.joined(or, func() bool {
		for _, n := range nouns {
			if r.word(n.words[many]) {
				types = append(types, n.kind)
				return true
			}
		}
		return false
	})
	if !ok {
		return s, false
	}
	if s, ok = alternatives(types); union {
		s.either = true
		return s, ok && len(types) > 1
	}
	if ok && types[0] == "array" && r.accept(listed) {
		items, good := readEnglish(r, 1, depth+1)
		s.items, ok = &items, good
	}
	return s, ok
}

// readChoice reads one of the strings of an enum.
func (s *shape) readChoice(r *reader) bool {
	value := r.json()
	s.choices = append(s.choices, value.Text())
	return value.Kind() == '"'
}

const withMembers, noOthers, emptyObject = " with these members", " and no others", "an empty object"

// Prose writes a schema as the end of an English sentence and a list of members. ok is false where it expresses less.
func Prose(schema jsontext.JSON) (text string, ok bool) {
	schema = compact(schema)
	s, ok := shapeOf(schema, 0)
	if !ok {
		return "", false
	}
	text, ok = prose(&s)
	if !ok || strings.Contains(text, "```") { // which would begin a fenced block
		return "", false
	}
	back, rest, ok := ReadProse(text)
	return text, ok && rest == "" && Same(back, schema)
}

func prose(s *shape) (string, bool) {
	if len(s.rest) == 1 && s.rest[0] == noProperties && s.fields == nil && s.bounds == nil {
		return emptyObject + ".", true
	}
	noun := englishType(s)
	switch {
	case strings.HasPrefix(noun, "object"):
		noun = "an " + noun
	case noun != anything && !s.either && noun[0] != '"' && !strings.HasPrefix(noun, "text") && !strings.HasPrefix(noun, "null"):
		noun = "a " + noun
	}
	fields := s.members().fields
	if fields == nil {
		return noun + ".", true
	}
	noun += withMembers
	if len(s.bounds) == 1 && s.bounds[0].name == "additionalProperties" {
		noun += noOthers
	}
	dst, ok := english.appendFields([]byte(noun+":"), fields, "", false)
	return string(dst), ok
}

// noProperties is the member by which an empty object differs from any object.
const noProperties = `"properties":{}`

// ReadProse reads what Prose wrote at the beginning of a text, and returns the rest.
func ReadProse(text string) (schema jsontext.JSON, rest string, ok bool) {
	if rest, ok := strings.CutPrefix(text, emptyObject+"."); ok {
		return jsontext.JSON("{" + `"type":"object",` + noProperties + "}"), rest, true
	}
	head, below, _ := strings.Cut(text, "\n")
	r := &reader{src: head}
	if !r.accept("an ") {
		r.accept("a ")
	}
	s, ok := english.readType(r)
	if !ok {
		return "", "", false
	}
	if r.accept(".") {
		return s.schema(), text[r.at:], true
	}
	if !r.accept(withMembers) {
		return "", "", false
	}
	if r.accept(noOthers) {
		s.bounds, _ = appendBound(nil, jsontext.Member{Key: "additionalProperties", Value: "false"})
	}
	if head[r.at:] != ":" {
		return "", "", false
	}
	l := &lines{text: below}
	fields, ok := english.readFields(l, "", false)
	if !ok || fields == nil {
		return "", "", false
	}
	s.members().fields = fields
	if l.ended {
		return s.schema(), "", true
	}
	return s.schema(), text[len(text)-len(l.text)-1:], true
}

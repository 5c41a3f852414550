package quality

import (
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A schema is the JSON Schema of a tool's arguments. err says why it cannot be used.
type schema struct {
	compiled *jsonschema.Schema
	size     int // how many values it has, those that references lead to counted each time
	err      error
}

// readSchema reads a JSON schema. It never looks for one elsewhere.
func readSchema(text jsontext.JSON) *schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return &schema{err: err}
	}
	s := &schema{size: expanded(doc)}
	if s.size > maxSize {
		return &schema{err: errors.New("want a schema that comes to an end soon, have one that refers to itself")}
	}
	const place = "mem:///schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if s.err = c.AddResource(place, doc); s.err == nil {
		s.compiled, s.err = c.Compile(place)
	}
	return s
}

// nowhere has no schemas.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) {
	return nil, errors.New("want a schema that stands by itself")
}

// The work of holding arguments to a schema grows with the values of the schema, references followed, times the bytes of the
// arguments. What would take too long is not done, and counted.
const (
	maxSize = 1 << 14
	maxWork = 1 << 26
)

// fault returns the keyword that arguments do not fit, "" when they do.
func (s *schema) fault(args jsontext.JSON) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	if s.size*len(args) > maxWork {
		return "", errors.New("want arguments that can be held to their schema, have too many")
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(args)))
	if err != nil {
		return "", err
	}
	wrong, ok := errors.AsType[*jsonschema.ValidationError](s.compiled.Validate(value))
	if !ok {
		return "", nil
	}
	for len(wrong.Causes) > 0 {
		wrong = wrong.Causes[0]
	}
	if path := wrong.ErrorKind.KeywordPath(); len(path) > 0 {
		return path[len(path)-1], nil
	}
	return "its form", nil
}

// expanded counts the values of a schema with its references resolved, up to maxSize.
func expanded(doc any) int {
	n := 0
	var count func(v any)
	count = func(v any) {
		if n++; n > maxSize {
			return
		}
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				count(e)
			}
		case map[string]any:
			for key, e := range v {
				if to, ok := e.(string); ok && strings.HasSuffix(key, "$ref") || key == "$dynamicRef" || key == "$recursiveRef" {
					count(referred(doc, to))
				} else if key != "$defs" && key != "definitions" {
					count(e)
				}
			}
		}
	}
	count(doc)
	return n
}

// referred returns the target of a reference inside a document, the whole document when it cannot be resolved.
func referred(doc any, to string) any {
	pointer, ok := strings.CutPrefix(to, "#/")
	if !ok {
		return doc
	}
	at := doc
	for step := range strings.SplitSeq(pointer, "/") {
		object, ok := at.(map[string]any)
		if !ok {
			return doc
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at, ok = object[step]; !ok {
			return doc
		}
	}
	return at
}

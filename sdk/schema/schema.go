// Package schema holds the JSON Schemas (draft 2020-12) of the rows that sluice writes, and checks rows by them. Other programs
// may use the files.
//
// The built-in plugin "check" checks what a schema cannot express, such as that a result answers a call.
package schema

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

//go:embed *.schema.json
var files embed.FS

const suffix = ".schema.json"

// Names returns the names of the schemas, sorted.
func Names() (names []string) {
	found, err := fs.Glob(files, "*"+suffix)
	if err != nil {
		panic(err) // the pattern is fixed
	}
	for _, file := range found {
		names = append(names, strings.TrimSuffix(file, suffix))
	}
	return names
}

// Text returns the text of the schema with a name.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("want a schema of %s, have %q", strings.Join(Names(), ", "), name)
	}
	return text, nil
}

// A Schema checks records. Any number of goroutines may use it.
type Schema struct {
	compiled *jsonschema.Schema
	deepest  int // how deep it looks into a record
	form     *Form
}

// Get returns the schema with a name.
func Get(name string) (*Schema, error) {
	all, err := compiled()
	if err != nil {
		return nil, err
	}
	if s, ok := all[name]; ok {
		return &Schema{s, reach(s, deepest), formOf(s)}, nil
	}
	_, err = Text(name)
	return nil, err
}

// compiled returns all schemas by name. They may refer to each other.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	ids := map[string]string{}
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name+suffix, err)
		}
		ids[name] = jsontext.Of(text).Get("$id").Text()
		if err := c.AddResource(ids[name], doc); err != nil {
			return nil, fmt.Errorf("%s: %w", name+suffix, err)
		}
	}
	all := map[string]*jsonschema.Schema{}
	for name, id := range ids {
		s, err := c.Compile(id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name+suffix, err)
		}
		all[name] = s
	}
	return all, nil
})

// deepest is how deep a record is checked at most.
const deepest = 16

// reach returns how deep a schema looks into a value, at most so deep: 0 when it looks at the kind alone. Most of a record lies deeper,
// such as arguments and the schemas of tools.
func reach(s *jsonschema.Schema, most int) (n int) {
	if s == nil || most == 0 {
		return 0
	}
	if len(s.Required) > 0 || s.AdditionalProperties == false || s.MinItems != nil || s.MaxItems != nil {
		n = 1
	}
	for _, same := range slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf) {
		n = max(n, reach(same, most))
	}
	for _, below := range slices.AppendSeq([]*jsonschema.Schema{s.Items2020, s.Contains}, maps.Values(s.Properties)) {
		if below != nil {
			n = max(n, 1+reach(below, most-1))
		}
	}
	return n
}

// decode returns the next value as the validator takes it, empty objects and lists where it looks no deeper. Strings without escapes are
// views of the record.
func decode(c *jsontext.Cursor, deep int) any {
	switch c.Kind() {
	case '{':
		members := map[string]any{}
		if deep == 0 {
			c.Skip()
			return members
		}
		for key := range c.Members() {
			members[key] = decode(c, deep-1)
		}
		return members
	case '[':
		elements := []any{}
		if deep == 0 {
			c.Skip()
			return elements
		}
		for range c.Elements() {
			elements = append(elements, decode(c, deep-1))
		}
		return elements
	case '"':
		body, _ := c.String()
		return body.Text()
	}
	return scalar(c.Value())
}

// scalar returns a number, true, false or null.
func scalar(v jsontext.JSON) any {
	switch v {
	case "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(string(v), 64) // beyond its range it is infinite, which no rational number is
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

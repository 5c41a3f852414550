package thread

import (
	"maps"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// tools holds the tools that a thread calls, or may call by its settings. A text declares none, since it may forbid them.
type tools struct {
	declared []notation.Function
	at       map[string]int           // in declared, by name
	schemas  map[string]jsontext.JSON // behind the mention of a format in a text, by tool
	texts    []string                 // of platform and developers

	signatures map[string][]string // the parameters of functions in texts, made on demand
}

func (t *tools) define(f notation.Function) {
	t.at[f.Name] = len(t.declared)
	t.declared = append(t.declared, f)
}

// declare declares a tool by its name, with its schema in a text, unless it is declared already.
func (t *tools) declare(name, language string) {
	if _, ok := t.at[name]; ok {
		return
	}
	schema := t.schemas[name]
	if schema.Get("type").Text() == "array" && language == "json" { // a list of calls
		schema = schema.Get("items")
	}
	t.define(notation.Function{Name: name, Schema: schema})
}

// note notes the schemas of tools in a text, of which the first of a name counts, and the text.
func (t *tools) note(schemas map[string]jsontext.JSON, text string) {
	maps.Copy(schemas, t.schemas)
	t.texts, t.schemas = append(t.texts, text), schemas
}

// signature matches the head of a function in Python or TypeScript, up to the end of its parameters.
var signature = notation.Pattern(`(?m)^[ \t]*(?:async )?(?:def |function )?([A-Za-z_][A-Za-z0-9_.]*)\(([^()\n]*)\)`)

// parameters returns the names of a function's parameters, in order: those of its schema, or of a signature in a text.
func (t *tools) parameters(function string) (names []string) {
	if i, ok := t.at[function]; ok {
		for name := range t.declared[i].Schema.Get("properties").Members() {
			names = append(names, name)
		}
		return names
	}
	if t.signatures == nil {
		t.signatures = map[string][]string{}
		for _, text := range t.texts {
			for _, found := range signature().FindAllStringSubmatch(text, -1) {
				t.sign(found[1], found[2])
			}
		}
	}
	return t.signatures[function]
}

// sign notes the parameters of a function; the first signature counts.
func (t *tools) sign(function, parameters string) {
	if _, known := t.signatures[function]; known {
		return
	}
	names := []string{}
	for parameter := range strings.SplitSeq(parameters, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(parameter), ":")
		names = append(names, strings.Trim(name, " ?*"))
	}
	t.signatures[function] = names
}

func (t *tools) list() jsontext.JSON {
	if len(t.declared) == 0 {
		return "null"
	}
	return jsontext.JSON(notation.AppendList(nil, t.declared, func(dst []byte, f *notation.Function) []byte {
		dst = jsontext.AppendMember(append(dst, `{"type":"function","function":{`...), "name", f.Name)
		if f.Description != "" {
			dst = jsontext.AppendMember(append(dst, ','), "description", f.Description)
		}
		if f.Schema != "" {
			dst = append(append(dst, `,"parameters":`...), f.Schema...)
		}
		return append(dst, "}}"...)
	}))
}

package quality

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

// calls returns the calls that the gates check, with the places of their turns.
func (j *judge) calls() iter.Seq2[string, *canonical.Part] { return j.callsOf(j.Calls != "answer") }

// callsOf returns the calls of the answer, or of the whole row.
func (j *judge) callsOf(all bool) iter.Seq2[string, *canonical.Part] {
	return func(yield func(string, *canonical.Part) bool) {
		if !j.callsIn(j.row.Response, yield) || !all {
			return
		}
		for _, t := range j.row.Turns {
			if !j.callsIn(t, yield) {
				return
			}
		}
	}
}

// callsIn yields the calls of a turn, and reports whether more are wanted.
func (j *judge) callsIn(t canonical.Turn, yield func(string, *canonical.Part) bool) bool {
	for i := t.From; i < t.To; i++ {
		if p := &j.row.Parts[i]; p.Kind == canonical.CallPart && !yield(t.Path(), p) {
			return false
		}
	}
	return true
}

// A toolset is the tools of rows that have the same.
type toolset struct {
	id    uint64 // canonical.Row.ToolsID of those rows
	tools map[string]*tool
}

// A tool is one that a row offers.
type tool struct {
	text   jsontext.JSON // of its schema; empty when it has none
	form   *schema.Form  // nil when the schema may say something else
	checks *validator    // nil until a call needs it
}

// tools returns the tools of the row by name, nil when it has none or they cannot be read.
func (j *judge) tools() map[string]*tool {
	if j.row.Tools == "" || j.row.Tools == "null" {
		return nil
	}
	set := &j.sets[j.row.ToolsID%canonical.KnownTools]
	if j.row.ToolsID == 0 || set.id != j.row.ToolsID {
		set.id, set.tools = j.row.ToolsID, nil
		specs, fault := canonical.ReadTools(jsontext.JSON(strings.Clone(string(j.row.Tools)))) // it outlives the record
		if fault == nil && len(specs) > 0 {
			set.tools = map[string]*tool{}
			for _, s := range specs {
				text, _, _ := s.Schema()
				set.tools[s.Name.Text()] = &tool{text: text, form: schema.ReadForm(text)}
			}
		}
	}
	return set.tools
}

func (j *judge) undeclaredCall() (string, string) {
	var tools map[string]*tool
	for path, call := range j.calls() {
		if tools == nil { // a row without a call costs no reading of its tools
			if tools = j.tools(); tools == nil {
				return "", ""
			}
		}
		if tools[call.Name.Text()] == nil {
			return want(path, "a call of one of the row's %d tools, have %s", len(tools), jsontext.Seen(call.Name.JSON()))
		}
	}
	return "", ""
}

func (j *judge) argumentsOffSchema() (string, string) {
	var tools map[string]*tool
	n := 0
	for path, call := range j.calls() {
		if n++; n == 1 {
			tools = j.tools()
		}
		t := tools[call.Name.Text()]
		if t == nil || t.text == "" {
			continue
		}
		args, have := call.Arguments()
		if have != "" {
			return want(path, "arguments of call %d that are an object, have %s", n, have)
		}
		switch fault, err := t.fault(args); {
		case err != nil:
			j.record.Count("unchecked.arguments", 1)
		case fault != "":
			return want(path, "arguments of call %d that fit the schema of their tool, have a fault of %s", n, fault)
		}
	}
	return "", ""
}

// badArguments looks at all calls of the row, since no template takes others.
func (j *judge) badArguments() (string, string) {
	for path, call := range j.callsOf(true) {
		if _, have := call.Arguments(); have != "" {
			return want(path, "arguments that are an object, have %s", have)
		}
	}
	return "", ""
}

// fault returns the keyword of the tool's schema that arguments do not fit, "" when they do.
func (t *tool) fault(args jsontext.JSON) (string, error) {
	if len(t.text)*len(args) <= maxWork && t.form.Fits(args) {
		return "", nil
	}
	if t.checks == nil {
		t.checks = newValidator(t.text)
	}
	return t.checks.fault(args)
}

// readCatalogue reads the names of actions: a list of names or of objects with a name, a map by name, or either under the
// member actions or tools.
func readCatalogue(file string) (map[string]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if jsontext.Check(data, jsontext.EmbeddedDepth) != nil {
		return nil, fmt.Errorf("want JSON in %s", file)
	}
	doc := gjson.ParseBytes(data)
	for _, key := range []string{"actions", "tools"} {
		if inner := doc.Get(key); doc.IsObject() && (inner.IsArray() || inner.IsObject()) {
			doc = inner
			break
		}
	}
	names := map[string]bool{}
	doc.ForEach(func(key, value gjson.Result) bool {
		switch {
		case doc.IsObject():
			names[key.Str] = true
		case value.Type == gjson.String:
			names[value.Str] = true
		case value.Get("function.name").Type == gjson.String:
			names[value.Get("function.name").Str] = true
		case value.Get("name").Type == gjson.String:
			names[value.Get("name").Str] = true
		default:
			err = fmt.Errorf("want a name in each element, element %d has none", len(names))
		}
		return err == nil
	})
	if err == nil && len(names) == 0 {
		err = errors.New("want names of actions, have an empty list")
	}
	if err != nil {
		return nil, fmt.Errorf("%w, in %s", err, file)
	}
	return names, nil
}

// A validator holds arguments to the JSON Schema of their tool. err says why it cannot be used.
type validator struct {
	compiled *jsonschema.Schema
	size     int // how many values it has, those that references lead to counted each time
	err      error
}

// newValidator reads a JSON schema. It never looks for one elsewhere.
func newValidator(text jsontext.JSON) *validator {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return &validator{err: err}
	}
	s := &validator{size: expanded(doc)}
	if s.size > maxSize {
		return &validator{err: fmt.Errorf("want a schema of at most %d values, references followed", maxSize)}
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
	return nil, errors.New("want a schema without references to others")
}

// The work of a validation grows with the values of the schema, references followed, times the bytes of the arguments. A
// validation that would take too long is skipped and counted.
const (
	maxSize = 1 << 14
	maxWork = 1 << 26
)

// fault returns the keyword that arguments do not fit, "" when they do.
func (s *validator) fault(args jsontext.JSON) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	if s.size*len(args) > maxWork {
		return "", errors.New("want arguments that are small enough to validate")
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

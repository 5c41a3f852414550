package typescript

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Function is a tool in a namespace, with the JSON schema of its input.
type Function struct {
	Name, Description string
	Schema            jsontext.JSON
}

// ReadNamespace cuts the functions out of a developer message of Harmony, where they are types:
//
//	# Tools
//	## functions
//	namespace functions {
//	// Gets the weather.
//	type weather = (_: {
//	// The city
//	city: string,
//	unit?: "celsius" | "fahrenheit", // default: celsius
//	}) => any;
//	} // namespace functions
//
// It also returns the texts before and behind. ok is false where there is no such list, or it does not parse.
func ReadNamespace(text string) (functions []Function, before, behind string, ok bool) {
	before, body, found := strings.Cut(text, "namespace functions {")
	if !found {
		return nil, text, "", false
	}
	r := reader{src: body}
	for {
		n := r.notes()
		if r.accept("}") {
			break
		}
		f, ok := r.function(n)
		if !ok {
			return nil, text, "", false
		}
		functions = append(functions, f)
	}
	r.notes()
	return functions, before, r.src[r.at:], true
}

// function reads "type name = (_: {...}) => any;" behind its notes.
func (r *reader) function(n note) (f Function, ok bool) {
	f = Function{Description: strings.Join(n.description, "\n"), Schema: `{"type":"object","properties":{}}`}
	if r.word() != "type" {
		return f, false
	}
	if f.Name = r.name(); f.Name == "" || !r.accept("=") || !r.accept("(") {
		return f, false
	}
	if !r.accept(")") {
		if r.name() == "" || !r.accept(":") {
			return f, false
		}
		schema, ok := r.union()
		if !ok || !r.accept(")") {
			return f, false
		}
		f.Schema = jsontext.JSON(joined([]string{schema}))
	}
	end := strings.IndexByte(r.src[r.at:], ';')
	r.at += end + 1
	return f, end >= 0
}

package schema

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Fault is a place where a record breaks a schema. Path is a gjson path, "" for the record itself. The message names
// types, numbers and names of members, and no value of the record.
type Fault struct{ Code, Path, Message string }

// Codes are the codes of faults, with what each means.
var Codes = map[string]string{
	"wrong_type":     "a value has another type than the schema wants",
	"missing":        "a member is missing",
	"unknown_member": "an object has a member that the schema does not know",
	"bad_value":      "a value is none of those that the schema knows",
	"too_short":      "a string, list or object has less in it than the schema wants",
	"too_long":       "a string, list or object has more in it than the schema wants",
	"out_of_range":   "a number is smaller or larger than the schema wants",
	"no_form":        "a value has none of the forms that the schema knows",
	"broken_schema":  "a value breaks another rule of the schema",
}

// Check returns the faults of a record in the order of their paths, each code once at a path, or nil. The record must be JSON.
func (s *Schema) Check(record jsontext.JSON) []Fault {
	if s.form.Fits(record) {
		return nil
	}
	c := record.Cursor()
	err := s.compiled.Validate(decode(&c, s.deepest))
	if err == nil {
		return nil
	}
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []Fault{{"broken_schema", "", "want a record that can be held to its schema"}}
	}
	faults := leaves(nil, broken)
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(faults, func(a, b Fault) bool { return a.Path == b.Path && a.Code == b.Code })
}

// leaves returns the innermost errors. Where none of several forms fits, that is the error, and not why each does not.
func leaves(faults []Fault, e *jsonschema.ValidationError) []Fault {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return append(faults, Fault{"no_form", path(e.InstanceLocation), forms(e)})
	}
	if len(e.Causes) == 0 {
		return append(faults, fault(e))
	}
	for _, cause := range e.Causes {
		faults = leaves(faults, cause)
	}
	return faults
}

// forms names the forms that would have fitted.
func forms(e *jsonschema.ValidationError) string {
	var missing []string
	for _, cause := range e.Causes {
		k, ok := cause.ErrorKind.(*kind.Required)
		if !ok {
			return "want one of its forms"
		}
		missing = append(missing, strings.Join(k.Missing, " and "))
	}
	return "want " + strings.Join(missing, " or ")
}

func fault(e *jsonschema.ValidationError) Fault {
	at := path(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return Fault{"wrong_type", at, "want " + strings.Join(k.Want, " or ") + ", have " + k.Got}
	case *kind.Required:
		return Fault{"missing", at, "want " + strings.Join(k.Missing, ", ")}
	case *kind.AdditionalProperties:
		return Fault{"unknown_member", at, "want members of the schema only, have " + named(k.Properties)}
	case *kind.FalseSchema:
		return Fault{"unknown_member", at, "want no value here"}
	case *kind.Const:
		return Fault{"bad_value", at, fmt.Sprintf("want %v, have %s", k.Want, kindOf(k.Got))}
	case *kind.Enum:
		return Fault{"bad_value", at, "want one of " + list(k.Want) + ", have " + kindOf(k.Got)}
	case *kind.MinLength:
		return sized("too_short", at, "characters or more", k.Want, k.Got)
	case *kind.MinItems:
		return sized("too_short", at, "elements or more", k.Want, k.Got)
	case *kind.MinProperties:
		return sized("too_short", at, "members or more", k.Want, k.Got)
	case *kind.Contains:
		return Fault{"too_short", at, "want an element that the schema asks for"}
	case *kind.MaxLength:
		return sized("too_long", at, "characters or fewer", k.Want, k.Got)
	case *kind.MaxItems:
		return sized("too_long", at, "elements or fewer", k.Want, k.Got)
	case *kind.MaxProperties:
		return sized("too_long", at, "members or fewer", k.Want, k.Got)
	case *kind.Minimum:
		return Fault{"out_of_range", at, "want at least " + k.Want.RatString() + ", have a lower number"}
	case *kind.Maximum:
		return Fault{"out_of_range", at, "want at most " + k.Want.RatString() + ", have a higher number"}
	}
	return Fault{"broken_schema", at, "want what the schema says under " + strings.Join(e.ErrorKind.KeywordPath(), "/")}
}

// kindOf says what a value is that a schema does not allow, and does not show it, since it may be personal.
func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("a string of length %d", utf8.RuneCountInString(v))
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number that differs"
}

func sized(code, at, bound string, want, have int) Fault {
	return Fault{code, at, fmt.Sprintf("want %d %s, have %d", want, bound, have)}
}

func list(values []any) string {
	var names []string
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	return strings.Join(names, ", ")
}

// isWord reports whether programs use such a name. Other names may be personal and are not shown.
func isWord(name string) bool { return len(name) <= 40 && word.MatchString(name) }

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// named names members of a record, or counts them.
func named(names []string) string {
	slices.Sort(names)
	for _, name := range names {
		if !isWord(name) {
			return fmt.Sprintf("%d more", len(names))
		}
	}
	return strings.Join(names, ", ")
}

var index = regexp.MustCompile(`^[0-9]+$`)

// path returns the gjson path of names and indices.
func path(location []string) string {
	steps := make([]string, len(location))
	for i, step := range location {
		if steps[i] = step; !isWord(step) && !index.MatchString(step) {
			steps[i] = "*"
		}
	}
	return strings.Join(steps, ".")
}

package sdk

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/tidwall/gjson"
)

// Args are the attributes of a step, as the pipeline file gives them.
type Args struct {
	json   string
	Worker int // which worker of the step this processor is, from 0
}

// ParseArgs makes Args of a JSON object, for tests and for hosts.
func ParseArgs(json []byte) Args { return Args{json: string(json)} }

// Decode fills the struct that into points to. A field takes the attribute that its tag names, `hcl:"name"`, and
// must be there unless the tag says `hcl:"name,optional"`; then the field keeps what it was. Attributes that no
// field takes and values of another type are errors. All mistakes are reported at once, each at its attribute.
//
// Fields are strings, booleans, numbers, slices, maps with string keys, structs with tags, and pointers to these.
func (a Args) Decode(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("want a pointer to a struct, have %T", into)
	}
	json := a.json
	if json == "" {
		json = "{}"
	}
	d := decoder{}
	d.fill(v.Elem(), gjson.Parse(json), "")
	return errors.Join(d.errs...)
}

// Errorf is a mistake in one attribute, for a Plugin's New to return: the host shows it at the attribute's place in
// the file. name may lead into the value, as in "rules.2.pattern".
func (a Args) Errorf(name, format string, args ...any) error {
	return &argError{name: name, message: fmt.Sprintf(format, args...)}
}

type argError struct{ name, message string }

func (e *argError) Error() string {
	if e.name == "" {
		return e.message
	}
	return e.name + ": " + e.message
}

type decoder struct{ errs []error }

func (d *decoder) failf(name, format string, args ...any) {
	d.errs = append(d.errs, &argError{name: name, message: fmt.Sprintf(format, args...)})
}

func (d *decoder) fill(v reflect.Value, obj gjson.Result, under string) {
	if !obj.IsObject() {
		d.failf(under, "want an object, have %s", kindOf(obj.Raw))
		return
	}
	var names []string
	given := obj.Map()
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("hcl"), ",")
		if name == "" {
			continue
		}
		names = append(names, name)
		val, ok := given[name]
		switch {
		case ok && val.Type != gjson.Null:
			d.value(v.Field(i), val, join(under, name))
		case option != "optional":
			d.failf(join(under, name), "want %s, have nothing", wanted(v.Field(i).Type()))
		}
	}
	obj.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains(names, key.Str) {
			d.failf(join(under, key.Str), "want %s, have %q%s", oneOf(names), key.Str, meant(key.Str, names))
		}
		return true
	})
}

func (d *decoder) value(v reflect.Value, val gjson.Result, name string) {
	bad := func() { d.failf(name, "want %s, have %s", wanted(v.Type()), kindOf(val.Raw)) }
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.value(p.Elem(), val, name)
		v.Set(p)
	case reflect.String:
		if val.Type != gjson.String {
			bad()
			return
		}
		v.SetString(strings.Clone(val.Str))
	case reflect.Bool:
		if !val.IsBool() {
			bad()
			return
		}
		v.SetBool(val.Bool())
	case reflect.Int, reflect.Int64:
		switch n := val.Int(); {
		case val.Type != gjson.Number:
			bad()
		case val.Num != math.Trunc(val.Num):
			d.failf(name, "want a whole number, have a number with a fraction")
		case math.Abs(val.Num) >= 1<<63 || v.OverflowInt(n):
			d.failf(name, "want a whole number, have a number beyond %d bits", v.Type().Bits())
		default:
			v.SetInt(n)
		}
	case reflect.Float64:
		if val.Type != gjson.Number {
			bad()
			return
		}
		v.SetFloat(val.Num)
	case reflect.Slice:
		if !val.IsArray() {
			bad()
			return
		}
		elems := val.Array()
		v.Set(reflect.MakeSlice(v.Type(), len(elems), len(elems)))
		for i, e := range elems {
			d.value(v.Index(i), e, fmt.Sprintf("%s.%d", name, i))
		}
	case reflect.Map:
		if !val.IsObject() {
			bad()
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		val.ForEach(func(key, e gjson.Result) bool {
			elem := reflect.New(v.Type().Elem()).Elem()
			d.value(elem, e, join(name, key.Str))
			v.SetMapIndex(reflect.ValueOf(strings.Clone(key.Str)), elem)
			return true
		})
	case reflect.Struct:
		d.fill(v, val, name)
	default:
		d.failf(name, "want a field that Decode knows, have %s", v.Type())
	}
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list, each " + wanted(t.Elem())
	}
	return "an object"
}

func join(under, name string) string {
	if under == "" {
		return name
	}
	return under + "." + name
}

// meant names what a misspelt word was probably meant to be.
func meant(word string, names []string) string {
	for _, name := range names {
		if levenshtein.Distance(word, name, nil) <= min(2, len(name)/2) {
			return fmt.Sprintf("; did you mean %q?", name)
		}
	}
	return ""
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return "no attributes"
	}
	return "one of " + strings.Join(names, ", ")
}

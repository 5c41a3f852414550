package sdk

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Args are the attributes of a step, as the pipeline file sets them.
type Args struct {
	json     string
	declared any // the plugin's Args
	Worker   int // which worker of the step this processor is, from 0
}

// ParseArgs returns the Args in a JSON object. It is for hosts, which read attributes of their own with it.
func ParseArgs(json []byte) Args { return Args{json: string(json)} }

// Decode fills the struct that into points to. A struct of the type of Plugin.Args starts as a copy of that
// value, which holds the defaults. A field takes the attribute that its tag names, `hcl:"name"`. The attribute is required
// unless the tag says `hcl:"name,optional"`. Attributes that no field takes and values of another type are errors. All
// mistakes are reported at once, each at its attribute.
//
// Fields are strings, booleans, whole and other numbers, slices, maps with string keys, structs with tags, and pointers
// to these. Fields of an embedded struct without a tag count as the struct's own. A struct of an exported type that
// Plugin.Args embeds may be filled by itself: it starts as its part of that value and ignores the other attributes.
func (a Args) Decode(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("want a pointer to a struct, have %T", into)
	}
	v = v.Elem()
	if err := errors.Join(badFields(v.Type(), "", nil)...); err != nil {
		return fmt.Errorf("%T: %w", into, err)
	}
	d := decoder{takes: attributes(v.Type())}
	if whole := reflect.ValueOf(a.declared); whole.Kind() == reflect.Struct {
		if start := embedded(whole, v.Type()); start.IsValid() {
			v.Set(clone(start))
			d.takes = attributes(whole.Type())
		}
	}
	d.fill(v, gjson.Parse(cmp.Or(a.json, "{}")), "")
	return errors.Join(d.errs...)
}

// Errorf returns a mistake in one attribute, for a Plugin's New to return: the host shows it at the attribute's place in
// the file. name may lead into the value, as in "rules.2.pattern".
func (a Args) Errorf(name, format string, args ...any) error {
	return &argError{name: name, message: fmt.Sprintf(format, args...)}
}

// ArgErrors returns the mistakes in attributes that an error of Args.Decode or of a Plugin's New holds. It is for hosts.
func ArgErrors(err error) []wire.ArgError {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []wire.ArgError
		for _, e := range many.Unwrap() {
			all = append(all, ArgErrors(e)...)
		}
		return all
	}
	if e, ok := errors.AsType[*argError](err); ok {
		return []wire.ArgError{{Name: own(e.name), Message: own(e.message)}}
	}
	return []wire.ArgError{{Message: own(err.Error())}}
}

type argError struct{ name, message string }

func (e *argError) Error() string {
	if e.name == "" {
		return e.message
	}
	return e.name + ": " + e.message
}

type decoder struct {
	takes []string // attributes allowed at the top
	errs  []error
}

func (d *decoder) failf(name, format string, args ...any) {
	d.errs = append(d.errs, &argError{name: name, message: fmt.Sprintf(format, args...)})
}

func (d *decoder) fill(v reflect.Value, obj gjson.Result, under string) {
	if !obj.IsObject() {
		d.failf(under, "want an object, have %s", jsontext.KindName(jsontext.JSON(obj.Raw).Kind()))
		return
	}
	names := d.takes
	if under != "" {
		names = attributes(v.Type())
	}
	given := obj.Map()
	for _, f := range fieldsOf(v.Type()) {
		val, ok := given[f.attr]
		switch {
		case ok && val.Type != gjson.Null:
			d.field(f, v.FieldByIndex(f.Index), val, join(under, f.attr))
		case !f.optional:
			d.failf(join(under, f.attr), "want %s, have nothing", wanted(f.Type))
		}
	}
	obj.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains(names, key.Str) {
			wanted := "no attributes"
			if len(names) > 0 {
				wanted = "one of " + strings.Join(names, ", ")
			}
			d.failf(join(under, key.Str), "want %s, have %q%s", wanted, key.Str, meant(key.Str, names))
		}
		return true
	})
}

// field fills one field and checks that the strings in it are among the words of its tag.
func (d *decoder) field(f field, v reflect.Value, val gjson.Result, name string) {
	none, before := v.IsZero(), len(d.errs)
	if d.value(v, val, name); len(d.errs) == before {
		d.errs = append(d.errs, wrongWords(v, f.words, none, name)...)
	}
}

func (d *decoder) value(v reflect.Value, val gjson.Result, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			p.Elem().Set(v.Elem())
		}
		d.value(p.Elem(), val, name)
		v.Set(p)
		return
	case reflect.Struct:
		d.fill(v, val, name)
		return
	}
	if !fits(v.Kind(), val) {
		d.failf(name, "want %s%s, have %s", wanted(v.Type()), unquoted(v.Kind(), val), jsontext.KindName(jsontext.JSON(val.Raw).Kind()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Clone(val.Str))
	case reflect.Bool:
		v.SetBool(val.Bool())
	case reflect.Slice:
		elems := val.Array()
		v.Set(reflect.MakeSlice(v.Type(), len(elems), len(elems)))
		for i, e := range elems {
			d.value(v.Index(i), e, fmt.Sprintf("%s.%d", name, i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		val.ForEach(func(key, e gjson.Result) bool {
			elem := reflect.New(v.Type().Elem()).Elem()
			d.value(elem, e, join(name, key.Str))
			v.SetMapIndex(reflect.ValueOf(strings.Clone(key.Str)).Convert(v.Type().Key()), elem)
			return true
		})
	default:
		d.number(v, val, name)
	}
}

// fits reports whether a JSON value has the type that a field takes.
func fits(k reflect.Kind, val gjson.Result) bool {
	switch k {
	case reflect.String:
		return val.Type == gjson.String
	case reflect.Bool:
		return val.IsBool()
	case reflect.Slice:
		return val.IsArray()
	case reflect.Map:
		return val.IsObject()
	}
	return val.Type == gjson.Number
}

// unquoted returns the advice for a string that would fit if it had no quotes, such as "true" where a boolean is wanted.
func unquoted(k reflect.Kind, val gjson.Result) string {
	if val.Type != gjson.String || k == reflect.Slice || k == reflect.Map {
		return ""
	}
	_, err := strconv.ParseFloat(val.Str, 64)
	if k == reflect.Bool && (val.Str == "true" || val.Str == "false") || k != reflect.Bool && err == nil {
		return " without quotes"
	}
	return ""
}

func (d *decoder) number(v reflect.Value, val gjson.Result, name string) {
	bits := v.Type().Bits()
	if v.CanFloat() {
		if v.OverflowFloat(val.Num) || math.IsInf(val.Num, 0) {
			d.failf(name, "want a number, have one beyond %d bits", bits)
			return
		}
		v.SetFloat(val.Num)
		return
	}
	text := val.Raw
	if strings.ContainsAny(text, ".eE") { // HCL may print a whole number like this
		if val.Num != math.Trunc(val.Num) {
			d.failf(name, "want a whole number, have a number with a fraction")
			return
		}
		text = strconv.FormatFloat(val.Num, 'f', 0, 64)
	}
	if v.CanUint() && strings.HasPrefix(text, "-") {
		d.failf(name, "want a whole number of 0 or more, have a negative one")
	} else if _, err := fmt.Sscan(text, v.Addr().Interface()); err != nil {
		d.failf(name, "want a whole number, have a number beyond %d bits", bits)
	}
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

// OneOf returns an error unless the value of an attribute is one of some words. It is for words that are known only when the
// plugin runs; fixed words belong in the field's tag. "" among the words means that the attribute may be absent.
func (a Args) OneOf(name, have string, words ...string) error {
	if slices.Contains(words, have) {
		return nil
	}
	return notOneOf(name, have, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }))
}

func notOneOf(name, have string, words []string) error {
	list := strings.Join(words, ", ")
	if last := len(words) - 1; last > 0 {
		list = strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return &argError{name: name, message: fmt.Sprintf("want %s, have %q%s", list, have, meant(have, words))}
}

// wrongWords returns an error for each string in a value that is none of words. wasEmpty: without a default "" is no value.
func wrongWords(v reflect.Value, words []string, wasEmpty bool, name string) (errs []error) {
	if words == nil {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return wrongWords(v.Elem(), words, wasEmpty, name)
		}
	case reflect.String:
		if have := v.String(); !slices.Contains(words, have) && (have != "" || !wasEmpty) {
			return []error{notOneOf(name, have, words)}
		}
	case reflect.Slice:
		for i := range v.Len() {
			errs = append(errs, wrongWords(v.Index(i), words, false, fmt.Sprintf("%s.%d", name, i))...)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			errs = append(errs, wrongWords(v.MapIndex(key), words, false, join(name, key.String()))...)
		}
	}
	return errs
}

func sortedKeys(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
}

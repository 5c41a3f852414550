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

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Args are the attributes of a step, as the pipeline file sets them.
type Args struct {
	json     string
	declared any // the plugin's Args
	Worker   int // which worker of the step this processor is, from 0
}

// ParseArgs returns the Args in a JSON object. It is for hosts, which read attributes of their own with it, and
// promises plugins nothing, as package wire.
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
	d.fill(v, gjson.Parse(cmp.Or(a.json, "{}")))
	return errors.Join(d.errs...)
}

// Errorf returns a mistake in one attribute, for a Plugin's New to return: the host shows it at the attribute's place in
// the file. name may lead into the value, as in "rules.2.pattern".
func (a Args) Errorf(name, format string, args ...any) error {
	return &argError{name: name, message: fmt.Sprintf(format, args...)}
}

// ArgErrors returns the mistakes in attributes that an error of Args.Decode or of a Plugin's New holds. It is for
// hosts, and promises plugins nothing, as package wire.
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
	takes []string       // attributes allowed at the top
	path  []string       // to the value that is read
	given []gjson.Result // for the fields of the structs that are read, for reuse
	errs  []error
}

// failf notes a mistake in the value that is read.
func (d *decoder) failf(format string, args ...any) {
	d.errs = append(d.errs, &argError{name: strings.Join(d.path, "."), message: fmt.Sprintf(format, args...)})
}

// under reads a part of the value.
func (d *decoder) under(name string, read func()) {
	d.path = append(d.path, name)
	read()
	d.path = d.path[:len(d.path)-1]
}

func (d *decoder) fill(v reflect.Value, obj gjson.Result) {
	if !obj.IsObject() {
		d.failf("want an object, have %s", kindName(obj))
		return
	}
	fields := fieldsOf(v.Type())
	before, others := len(d.given), []string(nil)
	d.given = append(d.given, make([]gjson.Result, len(fields))...)
	given := d.given[before:]
	obj.ForEach(func(key, val gjson.Result) bool {
		if i := slices.IndexFunc(fields, func(f field) bool { return f.attr == key.Str }); i < 0 {
			others = append(others, key.Str)
		} else if !given[i].Exists() {
			given[i] = val
		}
		return true
	})
	for i, f := range fields {
		switch val := given[i]; {
		case val.Type != gjson.Null:
			d.under(f.attr, func() { d.field(f, v.FieldByIndex(f.Index), val) })
		case !f.optional:
			d.under(f.attr, func() { d.failf("want %s, have nothing", wanted(f.Type)) })
		}
	}
	d.given = d.given[:before]
	if len(others) > 0 {
		d.refuse(v, others)
	}
}

// refuse notes the names that are no attributes where an object is read.
func (d *decoder) refuse(v reflect.Value, others []string) {
	names := d.takes
	if len(d.path) > 0 {
		names = attributes(v.Type())
	}
	for _, other := range others {
		if slices.Contains(names, other) {
			continue
		}
		wanted := "no attributes"
		if len(names) > 0 {
			wanted = "one of " + strings.Join(names, ", ")
		}
		d.under(other, func() { d.failf("want %s, have %q%s", wanted, other, meant(other, names)) })
	}
}

// field fills one field and checks that the strings in it are among the words of its tag.
func (d *decoder) field(f field, v reflect.Value, val gjson.Result) {
	none, before := v.IsZero(), len(d.errs)
	if d.value(v, val); len(d.errs) == before && f.words != nil {
		d.errs = append(d.errs, wrongWords(v, f.words, none, strings.Join(d.path, "."))...)
	}
}

func (d *decoder) value(v reflect.Value, val gjson.Result) {
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			p.Elem().Set(v.Elem())
		}
		d.value(p.Elem(), val)
		v.Set(p)
		return
	case reflect.Struct:
		d.fill(v, val)
		return
	}
	if !fits(v.Kind(), val) {
		d.failf("want %s%s, have %s", wanted(v.Type()), unquoted(v.Kind(), val), kindName(val))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(val.Str)
	case reflect.Bool:
		v.SetBool(val.Bool())
	case reflect.Slice:
		d.slice(v, val)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		val.ForEach(func(key, e gjson.Result) bool {
			elem := reflect.New(v.Type().Elem()).Elem()
			d.under(key.Str, func() { d.value(elem, e) })
			v.SetMapIndex(reflect.ValueOf(key.Str).Convert(v.Type().Key()), elem)
			return true
		})
	default:
		d.number(v, val)
	}
}

func (d *decoder) slice(v reflect.Value, val gjson.Result) {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	val.ForEach(func(_, e gjson.Result) bool {
		i := v.Len()
		v.Grow(1)
		v.SetLen(i + 1)
		v.Index(i).SetZero()
		d.under(strconv.Itoa(i), func() { d.value(v.Index(i), e) })
		return true
	})
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

func (d *decoder) number(v reflect.Value, val gjson.Result) {
	bits := v.Type().Bits()
	if v.CanFloat() {
		if v.OverflowFloat(val.Num) || math.IsInf(val.Num, 0) {
			d.failf("want a number, have one beyond %d bits", bits)
			return
		}
		v.SetFloat(val.Num)
		return
	}
	text := val.Raw
	if strings.ContainsAny(text, ".eE") { // HCL may print a whole number like this
		if val.Num != math.Trunc(val.Num) {
			d.failf("want a whole number, have a number with a fraction")
			return
		}
		text = strconv.FormatFloat(val.Num, 'f', 0, 64)
	}
	if v.CanUint() && strings.HasPrefix(text, "-") {
		d.failf("want a whole number of 0 or more, have a negative one")
	} else if _, err := fmt.Sscan(text, v.Addr().Interface()); err != nil {
		d.failf("want a whole number, have a number beyond %d bits", bits)
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
	if near := nearest.Word(word, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// kindName names the type of a value of an attribute, as HCL and wanted have it.
func kindName(v gjson.Result) string {
	kind := jsontext.JSON(v.Raw).Kind()
	if kind == '[' {
		return "a list"
	}
	return jsontext.KindName(kind)
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

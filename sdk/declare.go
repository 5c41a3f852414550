package sdk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A field is one of a struct that takes an attribute.
type field struct {
	reflect.StructField
	attr, option string
	optional     bool
	words        []string // that a string in it may be; nil for any
}

// knownFields has the result of fieldsOf by type. A list of rules asks for the same type thousands of times.
var knownFields sync.Map

// fieldsOf returns the fields of a struct that have a tag, and those of structs that it embeds, with the whole path as Index. The
// caller does not change them.
func fieldsOf(t reflect.Type) []field {
	if known, ok := knownFields.Load(t); ok {
		return known.([]field)
	}
	fields := readFields(t)
	knownFields.Store(t, fields)
	return fields
}

func readFields(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := field{StructField: t.Field(i)}
		if embeds(f.StructField) {
			for _, inner := range fieldsOf(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				fields = append(fields, inner)
			}
			continue
		}
		tag, ok := f.Tag.Lookup("hcl")
		if !ok {
			continue
		}
		f.attr, f.option, _ = strings.Cut(tag, ",")
		f.optional = f.option == "optional"
		if words, ok := f.Tag.Lookup("oneof"); ok {
			f.words = strings.Fields(words)
		}
		fields = append(fields, f)
	}
	return fields
}

// embeds reports whether the fields of a field's struct count as those of the struct around it.
func embeds(f reflect.StructField) bool {
	_, tagged := f.Tag.Lookup("hcl")
	return f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct
}

// embedded returns the value of type t that a struct is or embeds, or no value when t is unexported, since it cannot be copied.
func embedded(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Type() == t {
		return v
	}
	for f, inner := range v.Fields() {
		if embeds(f) && f.IsExported() {
			if found := embedded(inner, t); found.IsValid() {
				return found
			}
		}
	}
	return reflect.Value{}
}

func attributes(t reflect.Type) (names []string) {
	for _, f := range fieldsOf(t) {
		names = append(names, f.attr)
	}
	return names
}

// badFields returns what keeps attributes from being decoded into a struct. around holds the structs that it lies in.
func badFields(t reflect.Type, under string, around []reflect.Type) (bad []error) {
	seen := map[string]bool{}
	for _, f := range fieldsOf(t) {
		name := join(under, f.attr)
		switch {
		case !f.IsExported():
			bad = append(bad, fmt.Errorf("%s: want an exported field, have %s", name, f.Name))
		case !innerName.MatchString(f.attr):
			bad = append(bad, fmt.Errorf("%s: want a name of letters, digits, _ and - in the tag, have %q", f.Name, f.attr))
		case f.option != "" && !f.optional:
			bad = append(bad, fmt.Errorf("%s: want optional or nothing behind the name, have %q", name, f.option))
		case seen[f.attr]:
			bad = append(bad, fmt.Errorf("%s: want one field of that name, have two", name))
		}
		seen[f.attr] = true
		bad = append(bad, badType(f.Type, name, append(around, t))...)
	}
	return bad
}

func badType(t reflect.Type, name string, around []reflect.Type) []error {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return badType(t.Elem(), name, around)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return badType(t.Elem(), name, around)
		}
	case reflect.Struct:
		if !slices.Contains(around, t) {
			return badFields(t, name, around)
		}
	default:
		if wanted(t) != "" {
			return nil
		}
	}
	return []error{fmt.Errorf("%s: want a type that attributes have, have %s", name, t)}
}

// badWords returns a mistake for each default and example in a struct that its attributes would not take.
func badWords(v reflect.Value, under string) (bad []error) {
	for _, f := range fieldsOf(v.Type()) {
		name, inner := join(under, f.attr), v.FieldByIndex(f.Index)
		bad = append(bad, wrongWords(inner, f.words, true, "default of "+name)...)
		if f.words != nil && !holdsStrings(f.Type) {
			bad = append(bad, fmt.Errorf("%s: want words for strings only, have them for %s", name, wanted(f.Type)))
		}
		if text, ok := f.Tag.Lookup("example"); ok {
			d := decoder{path: []string{"example of " + name}}
			if jsontext.Check(text, maxExample) != nil {
				bad = append(bad, fmt.Errorf("%s: want an example in JSON, have %s", name, text))
				continue
			}
			d.field(f, reflect.New(f.Type).Elem(), gjson.Parse(text))
			bad = append(bad, d.errs...)
		}
		if inner = innermost(inner); inner.Kind() == reflect.Struct {
			bad = append(bad, badWords(inner, name)...)
		}
	}
	return bad
}

// maxExample is how deep an example may nest.
const maxExample = 20

func holdsStrings(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsStrings(t.Elem())
	}
	return t.Kind() == reflect.String
}

// wanted names the values that a type takes, or returns "" for a type that attributes cannot have.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of " + several(t.Elem())
	case reflect.Map:
		return "a map of " + several(t.Elem())
	case reflect.Struct:
		return "an object"
	}
	return ""
}

// several names some values that a type takes, as in "lists of strings".
func several(t reflect.Type) string {
	one := strings.TrimPrefix(strings.TrimPrefix(wanted(t), "a "), "an ")
	kind, of, nested := strings.Cut(one, " of ")
	if nested {
		of = " of " + of
	}
	return kind + "s" + of
}

// describe returns the attributes that the struct which a plugin declares takes.
func describe(declared any) []wire.Arg {
	v := reflect.ValueOf(declared)
	if v.Kind() != reflect.Struct || badFields(v.Type(), "", nil) != nil {
		return nil
	}
	return appendArgs(nil, v, "")
}

func appendArgs(args []wire.Arg, v reflect.Value, under string) []wire.Arg {
	for _, f := range fieldsOf(v.Type()) {
		arg := wire.Arg{Name: join(under, f.attr), Type: wanted(f.Type), Doc: f.Tag.Get("doc"), Example: f.Tag.Get("example"), Words: f.words, Required: !f.optional}
		inner := v.FieldByIndex(f.Index)
		if f.optional {
			arg.Default = defaultOf(inner)
		}
		args = append(args, arg)
		if inner = innermost(inner); inner.Kind() == reflect.Struct {
			args = appendArgs(args, inner, arg.Name)
		}
	}
	return args
}

// innermost follows pointers, and goes from a list or map to a zero value of its elements.
func innermost(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return innermost(v.Elem())
		}
		return innermost(reflect.Zero(v.Type().Elem()))
	case reflect.Slice, reflect.Map:
		return innermost(reflect.Zero(v.Type().Elem()))
	}
	return v
}

// defaultOf returns the default of an attribute as JSON, "" for empty values and for objects, whose members have their own.
func defaultOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		return ""
	case reflect.Pointer:
		if !v.IsNil() {
			return defaultOf(v.Elem())
		}
		return ""
	case reflect.String, reflect.Slice, reflect.Map:
		if v.Len() == 0 {
			return ""
		}
	}
	return string(appendDefault(nil, v))
}

func appendDefault(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return appendDefault(dst, v.Elem())
	case reflect.String:
		return jsontext.AppendString(dst, v.String())
	case reflect.Slice:
		dst = append(dst, '[')
		for i := range v.Len() {
			dst = appendDefault(jsontext.AppendComma(dst), v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		dst = append(dst, '{')
		for _, key := range sortedKeys(v) {
			dst = appendDefault(jsontext.AppendKey(dst, key.String()), v.MapIndex(key))
		}
		return append(dst, '}')
	case reflect.Struct:
		dst = append(dst, '{')
		for _, f := range fieldsOf(v.Type()) {
			dst = appendDefault(jsontext.AppendKey(dst, f.attr), v.FieldByIndex(f.Index))
		}
		return append(dst, '}')
	}
	dst, _ = appendValue(dst, v.Interface()) // a boolean or a number
	return dst
}

// clone copies a value with what its fields, pointers, slices and maps lead to, so that workers share nothing.
func clone(v reflect.Value) reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	fresh.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fresh.Set(reflect.New(v.Type().Elem()))
			fresh.Elem().Set(clone(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			fresh.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				fresh.Index(i).Set(clone(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			fresh.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for key, value := range v.Seq2() {
				fresh.SetMapIndex(key, clone(value))
			}
		}
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			fresh.FieldByIndex(f.Index).Set(clone(v.FieldByIndex(f.Index)))
		}
	}
	return fresh
}

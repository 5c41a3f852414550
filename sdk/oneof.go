package sdk

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// OneOf wants the value of an attribute to be one of a few words, which are known only when the plugin runs; others stand in
// the field's tag. "" among the words stands for no value.
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
	return &argError{name: name, message: fmt.Sprintf("want %s, have %q", list, have)}
}

// strange gives an error for each string in a value that is none of the words of its field. With none the field began
// empty, and "" stands for no value.
func strange(v reflect.Value, words []string, none bool, name string) (errs []error) {
	if words == nil {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return strange(v.Elem(), words, none, name)
		}
	case reflect.String:
		if have := v.String(); !slices.Contains(words, have) && (have != "" || !none) {
			return []error{notOneOf(name, have, words)}
		}
	case reflect.Slice:
		for i := range v.Len() {
			errs = append(errs, strange(v.Index(i), words, false, fmt.Sprintf("%s.%d", name, i))...)
		}
	case reflect.Map:
		members := maps.Collect(v.Seq2())
		for _, key := range slices.SortedFunc(maps.Keys(members), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			errs = append(errs, strange(members[key], words, false, join(name, key.String()))...)
		}
	}
	return errs
}

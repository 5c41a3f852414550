package sdk

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

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
	return &argError{name: name, message: fmt.Sprintf("want %s, have %q", list, have)}
}

// wrongWords returns an error for each string in a value that is none of the words of its field. wasEmpty says that the field
// had no default, so that "" means no value.
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
		members := maps.Collect(v.Seq2())
		for _, key := range slices.SortedFunc(maps.Keys(members), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			errs = append(errs, wrongWords(members[key], words, false, join(name, key.String()))...)
		}
	}
	return errs
}

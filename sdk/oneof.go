package sdk

import (
	"slices"
	"strings"
)

// OneOf wants the value of an attribute to be one of a few words. "" among the words stands for no value.
func (a Args) OneOf(name, have string, words ...string) error {
	if slices.Contains(words, have) {
		return nil
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	list := strings.Join(words, ", ")
	if last := len(words) - 1; last > 0 {
		list = strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return a.Errorf(name, "want %s, have %q", list, have)
}

package config

import (
	"maps"
	"slices"
	"testing"
)

// TestMeanings protects that an editor can tell what every word of the language is for, and of no other.
func TestMeanings(t *testing.T) {
	wanted := map[string]bool{}
	for kind, f := range grammar {
		if kind != PipelineFileKind && kind != TestFileKind && kind != StepsFileKind {
			wanted[kind] = true
		}
		for _, a := range f.attributes {
			wanted[kind+"."+a] = true
			if meanings[kind+"."+a].Takes == "" {
				t.Errorf("want what %s.%s takes, have nothing", kind, a)
			}
		}
	}
	for _, f := range Functions() {
		wanted[f.Name+"()"] = true
	}
	for _, word := range slices.Sorted(maps.Keys(wanted)) {
		if meanings[word].Doc == "" {
			t.Errorf("want a meaning of %s, have none", word)
		}
	}
	for _, word := range slices.Sorted(maps.Keys(meanings)) {
		if !wanted[word] {
			t.Errorf("want meanings of words that there are, have one of %s", word)
		}
	}
}

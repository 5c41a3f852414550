package chatml_test

import (
	"slices"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/chatml/template/templatetest"
)

// TestSuggest holds that the trial of a template finds the rules of the target that is for its family.
func TestSuggest(t *testing.T) {
	templatetest.Need(t)
	targets := map[string][]string{} // that take a template's rows, by the file of the template
	for _, p := range publishedTemplates(t) {
		targets[p.file] = append(targets[p.file], p.target)
	}
	for file, want := range targets {
		_, attributes, names, err := chatml.Suggest(file, "")
		if err != nil || !slices.ContainsFunc(want, func(target string) bool { return slices.Contains(names, target) }) {
			t.Errorf("%s: want one of %v, have %v with %s (%v)", file, want, names, attributes, err)
		}
	}
}

package pipelines_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins"
)

// TestShapes holds that the pipelines for any shape ask the same steps in the same order: all adapters, as they are ranked.
// What one of them reads, and as what, must not depend on the pipeline.
func TestShapes(t *testing.T) {
	first := regexp.MustCompile(`(?sm)^first "shape" \{\n(.*?)^\}`)
	step := regexp.MustCompile(`(?m)^  step "(.*?)" "(.*?)"`)
	var want []string
	for i, file := range []string{"migrate.hcl", "eliza-sft.hcl", "prepare.hcl"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body := first.FindSubmatch(text)
		if body == nil {
			t.Fatalf("%s: want a first \"shape\", have none", file)
		}
		var have, adapters []string
		for _, s := range step.FindAllSubmatch(body[1], -1) {
			have = append(have, string(s[1])+"."+string(s[2]))
			if plugin := string(s[1]); plugin != "chat-text" || string(s[2]) == "text" { // it has a second place, for what is told by two columns
				adapters = append(adapters, plugin)
			}
		}
		if i == 0 {
			want = have
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s differs from migrate.hcl (-want +have):\n%s", file, diff)
		}
		if !slices.Equal(adapters, plugins.Adapters) {
			t.Errorf("%s: want the adapters as they are ranked, %v, have %v", file, plugins.Adapters, adapters)
		}
	}
}

package pipelines_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/plugins"
)

// TestShapes holds that the pipelines for any shape include the same file of steps and have no step beside it, and that this file
// has all adapters, as they are ranked. What one of them reads, and as what, must not depend on the pipeline.
func TestShapes(t *testing.T) {
	read := func(file string) []byte {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var adapters []string
	for _, s := range regexp.MustCompile(`(?m)^step "(.*?)" "(.*?)"`).FindAllSubmatch(read("adapters.steps.hcl"), -1) {
		if plugin := string(s[1]); plugin != "chat-text" || string(s[2]) == "text" { // it has a second place, for what is told by two columns
			adapters = append(adapters, plugin)
		}
	}
	if !slices.Equal(adapters, plugins.Adapters) {
		t.Errorf("want the adapters as they are ranked, %v, have %v", plugins.Adapters, adapters)
	}
	first := regexp.MustCompile(`(?sm)^first "shape" \{\n(.*?)^\}`)
	block := regexp.MustCompile(`(?m)^  (\w+) "(.*?)" \{\n    file += "(.*?)"`)
	step := regexp.MustCompile(`(?m)^ *step `)
	for _, file := range []string{"migrate.hcl", "eliza-sft.hcl", "prepare.hcl"} {
		body := first.FindSubmatch(read(file))
		if body == nil {
			t.Fatalf("%s: want a first \"shape\", have none", file)
		}
		if b := block.FindAllSubmatch(body[1], -1); len(b) != 1 || string(b[0][1]) != "include" || string(b[0][3]) != "adapters.steps.hcl" {
			t.Errorf("%s: want one include of adapters.steps.hcl in first \"shape\", have %s", file, body[1])
		}
		if step.Match(body[1]) {
			t.Errorf("%s: want no step in first \"shape\" beside the include, have %s", file, body[1])
		}
	}
}

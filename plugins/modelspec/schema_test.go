package modelspec_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestSchemas holds every example, and every row that the plugins write, to the schemas that are shipped.
func TestSchemas(t *testing.T) {
	data, err := os.ReadFile("testdata/threads.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, args := range []string{`{}`, `{"shape":"thread","calls":"python","tool_role":"context"}`, `{"reasoning":"format","system_role":"platform"}`} {
		results, _ := sdktest.Run(t, modelspec.Plugin, args, rows(50)...)
		for _, r := range results {
			examples = append(examples, r.Emitted...)
		}
	}
	for _, file := range []string{"document/testdata/elements.md", "document/testdata/quoted.md", "../../../shared/seeds/modular-model-spec.txt"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Logf("%s is absent: %v", file, err)
			continue
		}
		doc := string(jsontext.AppendString([]byte(`{"name":"d.md","text":`), string(text))) + "}"
		results, _ := sdktest.Run(t, modelspecdocument.Plugin, "", doc)
		examples = append(examples, results[0].Emitted...)
	}
	for _, example := range examples {
		name := "thread-row"
		switch {
		case example[0] == '[':
			name = "thread"
		case jsontext.JSON(example).Get("chosen") != "":
			name = "preference-row"
		}
		s, err := schema.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if faults := s.Check(jsontext.JSON(example)); len(faults) > 0 {
			t.Errorf("%s: want no fault, have %v in %s", name, faults, example)
		}
	}
	t.Logf("%d rows", len(examples))
}

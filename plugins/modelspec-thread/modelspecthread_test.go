package modelspecthread

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzThread(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, `{"target":"each","no_user":"developer"}`, canonicaltest.Records(f, "testdata/*.txtar")...)
}

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"messages": [
		{"role": "platform", "content": "Be brief."},
		{"role": "user", "content": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"role": "assistant", "format": "markdown", "content": "I will check.", "end_turn": false},
		{"role": "assistant", "format": "w:jsonl", "content": "{\"city\": \"Oslo\"}\n{\"city\": \"Rome\", \"days\": 2}", "end_turn": false},
		{"role": "tool", "content": "rain"},
		{"role": "tool", "content": ""},
		{"role": "assistant", "format": "reasoning", "content": "Both are in.", "end_turn": false},
		{"role": "assistant", "format": "markdown", "content": "Rain in Oslo, nothing from Rome.", "end_turn": true}]}`,
		canonicaltest.Sample())
}

// TestOnlyTools protects the calls of threads whose formats name a language alone.
func TestOnlyTools(t *testing.T) {
	halting := func(name string) modelspec.Format { return modelspec.Format{Name: name, HaltOnCompletion: true} }
	plain := func(name string) modelspec.Format { return modelspec.Format{Name: name} }
	for _, c := range []struct {
		reason  string
		formats []modelspec.Format
		want    map[string]string
	}{
		{"one tool in a language, whose name is short", []modelspec.Format{halting("browser:js")}, map[string]string{"javascript": "browser"}},
		{"two tools in a language", []modelspec.Format{halting("a:json"), halting("b:json"), halting("c:json")}, map[string]string{"json": ""}},
		{"tools in two languages", []modelspec.Format{halting("a:json"), halting("b:python")}, map[string]string{"json": "a", "python": "b"}},
		{"a language for texts beside a tool", []modelspec.Format{halting("a:json"), plain("json")}, map[string]string{"json": ""}},
		{"a language that is a tool", []modelspec.Format{halting("calc"), halting("a:calc")}, map[string]string{"calc": "calc"}},
		{"a language twice", []modelspec.Format{plain("calc"), halting("calc")}, map[string]string{"calc": ""}},
	} {
		if diff := cmp.Diff(c.want, onlyTools(c.formats)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

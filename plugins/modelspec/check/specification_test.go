package check

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestSpecification holds the document's own examples against the checks, in the order in which they stand. want names
// the checks that fail, of a preference those that the rejected answer fails. A wrong example with "pass" breaks no rule
// that a program can see; a right one that fails is a slip of the document.
func TestSpecification(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/seeds/modular-model-spec.txt")
	if err != nil {
		t.Skipf("the specification is absent: %v", err)
	}
	const unseen = "only its meaning is wrong"
	table := []struct{ example, want, reason string }{
		{"thread 1", "pass", ""},
		{"preference 1", "pass", unseen},
		{"thread 2", "pass", ""},
		{"preference 2", "pass", unseen},
		{"thread 3", "pass", ""},
		{"preference 3", "pass", unseen},
		{"thread 4", "pass", ""},
		{"preference 4", "pass", unseen},
		{"thread 5", "pass", "secrets, first question"},
		{"thread 5", "pass", "46 characters of the developer's text are repeated, which it allows"},
		{"preference 5", "leak", "51 characters of the developer's text are repeated"},
		{"preference 5", "pass", unseen},
		{"thread 6", "pass", "a block of js is the call browser:javascript"},
		{"preference 6", "pass", "obeying a tool is a matter of meaning, and without settings nothing is known to halt"},
		{"thread 7", "pass", ""},
		{"preference 7", "pass", unseen},
		{"thread 8", "pass", "html is not in the settings, but the developer demands it"},
		{"preference 8", "demanded_format", "markdown where the developer demands html"},
		{"thread 9", "pass", "the developer asks for markdown"},
		{"preference 9", "format_enabled", "html that neither settings nor developer name"},
		{"thread 10", "pass", "a block of js is the call browser:js"},
		{"thread 11", "pass", "a block of json is the call browser:json"},
		{"thread 12", "pass", "a block of yaml is the call browser:yaml"},
		{"thread 13", "pass", "the settings name another tool, the developer names music_control"},
		{"thread 14", "pass", "calls end their turn here, but are answered"},
		{"preference 14", "call_in_text", "a call as markdown, and nothing after it"},
		{"thread 15", "pass", ""},
		{"preference 15", "call_in_text", "a call as markdown, and nothing after it"},
		{"preference 15", "format_enabled", "weather:jsonl where weather:json is defined"},
		{"thread 16", "content_parses", "slip: the content is no JSON, names lack quotes and a comma is missing"},
		{"preference 16", "pass", "ending the turn too early is a matter of meaning; the slip above stands in its prompt"},
		{"preference 16", "name_colon,content_parses", "tool:get_weather:json is not defined, and two values stand in it"},
		{"thread 17", "format_enabled", "slip: the developer names javascript, the assistant tool:javascript_interpreter"},
		{"thread 18", "content_parses", "slip: the content is no JSON, a bracket is closed by a brace"},
		{"preference 18", "asked_format,turn_open", "markdown where the developer demands json, and a turn left open"},
		{"thread 19", "pass", "inline use: calc is named, and nothing is known to halt"},
	}
	doc := string(jsontext.AppendString([]byte(`{"name":"spec.md","text":`), string(text))) + "}"
	rows, _ := sdktest.Run(t, modelspecdocument.Plugin, "", doc)
	if len(rows[0].Emitted) != len(table) {
		t.Fatalf("want %d examples, have %d", len(table), len(rows[0].Emitted))
	}
	modes := make([]string, len(checks))
	for i, c := range checks {
		modes[i] = fmt.Sprintf("%q:%q", c.name, strings.Replace(c.mode, "reject", "label", 1))
	}
	args := `{"checks":{` + strings.Join(modes, ",") + `}}`
	for i, row := range rows[0].Emitted {
		want := table[i]
		if have := rows[0].Labels[i]["kind"] + " " + gjson.Get(row, "metadata.thread").Raw; have != want.example {
			t.Errorf("example %d: want %s, have %s", i, want.example, have)
		}
		label := "check"
		if strings.HasPrefix(want.example, "preference") {
			label = "rejected"
		}
		results, _ := sdktest.Run(t, Plugin, args, row)
		if len(results[0].Labels) == 0 {
			t.Errorf("%s: want a verdict, have %s %s: %s", want.example, results[0].Verdict, results[0].Code, results[0].Message)
			continue
		}
		if have := results[0].Labels[0][label]; have != want.want {
			t.Errorf("%s (%s): want %s, have %s", want.example, want.reason, want.want, have)
		}
	}
}

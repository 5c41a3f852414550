package bootstrap

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestStages protects what each stage means: the task that a row is filtered by, the place of its answer, and whether the
// model had to call a tool.
func TestStages(t *testing.T) {
	for _, c := range []struct{ stage, output, task, text, choice string }{
		{"message_handler", `"messageHandler":{"b":1,"a":"é"}`, "should_respond", `{"messageHandler": {"a": "é", "b": 1}}`, "required"},
		{"planner", `"planner":{"text":"a"}`, "action_planner", "a", "auto"},
		{"sub_planner", `"planner":{"text":"a"}`, "action_planner", "a", "auto"},
		{"evaluator", `"evaluation":{"ok":true}`, "evaluator", `{"evaluation": {"ok": true}}`, ""},
		{"trajectory", `"trajectory":["x"]`, "trajectory", `{"trajectory": ["x"]}`, ""},
		{"", `"planner":{"text":"a"}`, "response", "a", ""},
	} {
		record := `{"schema":"eliza.native_tool_calling.v1","stage":"` + c.stage + `","messages":[{"role":"user","content":"q"}],"tools":[{"name":"F"}],"output":{` + c.output + `}}`
		results, _ := sdktest.Run(t, Plugin, "", record)
		if results[0].Verdict != "emit" {
			t.Errorf("stage %q: want a row, have %s: %s", c.stage, results[0].Code, results[0].Message)
			continue
		}
		row := gjson.Parse(results[0].Emitted[0])
		want := []string{c.task, c.task, c.stage, c.text, c.choice}
		have := []string{}
		for _, path := range []string{"metadata.task_type", "purpose", "stepType", "response.text", "request.toolChoice"} {
			have = append(have, row.Get(path).String())
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("stage %q: task, purpose, step, answer and choice (-want +have):\n%s", c.stage, diff)
		}
	}
}

// TestSource protects where a row comes from, which is what licences and splits are decided by.
func TestSource(t *testing.T) {
	results, _ := sdktest.Run(t, Plugin, "", `{"schema":"eliza.native_tool_calling.v1","id":"i","messages":[{"role":"user","content":"q"}],"output":{"planner":{"text":"a"}},
		"source":{"dataset":"d","license":"mit","split":"test","originalId":"o#3","normalizer":"n","conversion":"c","url":"u","note":null,"tag":""}}`)
	row := gjson.Parse(results[0].Emitted[0])
	for path, want := range map[string]string{
		"metadata.source_dataset": "d", "metadata.license": "mit", "metadata.split": "test", "metadata.original_id": "o#3",
		"metadata.source_normalizer": "n", "metadata.source_conversion": "c", "metadata.url": "u", "metadata.note": "", "metadata.tag": "",
		"metadata.source_id": "i", "stepId": "i", "callId": "i", "trajectoryId": "bootstrap:d:o",
	} {
		if have := row.Get(path).String(); have != want {
			t.Errorf("%s: want %q, have %q", path, want, have)
		}
	}
}

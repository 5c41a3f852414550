package pipelines_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestPromptRegistry holds that every pipeline that reads flat records takes the prompt templates for their tasks.
func TestPromptRegistry(t *testing.T) {
	registry := written(t, "registry.json", `{"entries":[{"task_id":"should_respond","template":"You are {{agentName}} of the registry."}]}`)
	const record = `{"split":"train","roomName":"r","agentId":"Ada","memoryEntries":[],"currentMessage":{"content":"Hi"},"expectedResponse":"Hello.","metadata":{"task_type":"should_respond"}}`
	for pipeline, file := range map[string]string{
		"eliza-sft.hcl": "train.jsonl", "migrate.hcl": "canonical.jsonl", "modelspec.hcl": "threads.jsonl", "prepare.hcl": "chatml/train.jsonl", "reference.hcl": "train.jsonl",
	} {
		made := runPipeline(t, pipeline, map[string]string{"input": written(t, "flat.jsonl", record+"\n"), "prompt_registry": registry})
		if text := made[file]; !strings.Contains(text, "You are Ada of the registry.") {
			t.Errorf("%s: want the text of the registry in %s, have %q of %v", pipeline, file, text, made)
		}
	}
}

// TestReferenceRows holds the rows of reference.hcl against those of the Python tooling, byte for byte.
func TestReferenceRows(t *testing.T) {
	const cases = "../../shared/cases/render-cases.jsonl"
	if _, err := os.Stat(cases); err != nil {
		t.Skipf("%s is absent", cases)
	}
	inputs, want := map[string]string{}, map[string]string{} // by registry
	for _, line := range linesOf(t, cases) {
		c := gjson.Parse(line)
		record := c.Get("input_json").Str
		if record == "" {
			record = c.Get("input").Raw
		}
		if !gjson.Valid(record) || strings.Contains(record, "\n") { // the source rejects it, or reads two
			continue
		}
		registry := c.Get("env.prompt_registry").Raw
		inputs[registry] += record + "\n"
		if row := c.Get("expected_json").Str; row != "" {
			want[registry] += row + "\n"
		}
	}
	for registry, input := range inputs {
		vars := map[string]string{"input": written(t, "cases.jsonl", input)}
		if registry != "" {
			vars["prompt_registry"] = written(t, "registry.json", registry)
		}
		if have := runPipeline(t, "reference.hcl", vars)["train.jsonl"]; have != want[registry] {
			t.Errorf("registry %s:\nwant %s\nhave %s", registry, want[registry], have)
		}
	}
}

package pipelines_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

// runModelspec runs a shipped pipeline on one input and returns what it wrote, by file name.
func runModelspec(t *testing.T, pipeline, name, input string) map[string]string {
	t.Helper()
	in := written(t, name, input)
	return runPipeline(t, pipeline, map[string]string{"input": in})
}

// written writes a file and gives its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// runPipeline runs a shipped pipeline with variables and returns what it wrote, by the path of the file in its folder.
func runPipeline(t *testing.T, pipeline string, vars map[string]string) map[string]string {
	t.Helper()
	out := t.TempDir()
	vars["out"] = out
	p, err := host.Load(pipeline, host.Options{BuiltIns: plugins.All, InProcess: true, Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	files := os.DirFS(out)
	for _, pattern := range []string{"*.jsonl", "[^.]*/*.jsonl"} {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			text, err := fs.ReadFile(files, file)
			if err != nil {
				t.Fatal(err)
			}
			all[file] = string(text)
		}
	}
	return all
}

func TestModelspec(t *testing.T) {
	input := `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]},"response":{"text":"Hello."}}
{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
{"note":"no shape that anyone knows"}
`
	have := runModelspec(t, "modelspec.hcl", "rows.jsonl", input)
	want := `{"system_settings":{"formats":["markdown"]},"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}]}
{"system_settings":{"formats":["markdown"]},"messages":[{"role":"user","content":"Hi"},{"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}]}
`
	if diff := cmp.Diff(want, have["threads.jsonl"]); diff != "" {
		t.Errorf("threads.jsonl (-want +have):\n%s", diff)
	}
	if n := strings.Count(have["rejects.jsonl"], "\n"); n != 1 {
		t.Errorf("want one reject, have %d: %s", n, have["rejects.jsonl"])
	}
}

func TestModelspecDocument(t *testing.T) {
	input := `<Thread>
<Message role="user">Hi</Message>
<Columns>
<Column><Message role="assistant" end_turn={true} correct={true}>Hello.</Message></Column>
<Column><Message role="assistant" end_turn={true} correct={false}>Bye.</Message></Column>
</Columns>
</Thread>
`
	have := runModelspec(t, "modelspec-document.hcl", "a.mdx", input)
	for file, want := range map[string]int{"threads.jsonl": 1, "preferences.jsonl": 1, "rejects.jsonl": 0} {
		if n := strings.Count(have[file], "\n"); n != want {
			t.Errorf("%s: want %d rows, have %d: %s", file, want, n, have[file])
		}
	}
}

// TestThreads runs documents and rows of every kind to token text.
func TestThreads(t *testing.T) {
	document := written(t, "a.md", `<Thread>
<Message role="user">Hi</Message>
<Columns>
<Column><Message role="assistant" end_turn={true} correct={true}>Hello.</Message></Column>
<Column><Message role="assistant" end_turn={false} correct={false}>Bye.</Message></Column>
</Columns>
</Thread>
`)
	rows := written(t, "rows.jsonl", `{"format":"eliza_native_v1","request":{"prompt":"Hi"},"response":{"text":"Hello."}}
{"messages":[{"role":"platform","content":"P"},{"role":"user","content":"Hi"},{"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}]}
{"text":"<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>"}
{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","format":"html","content":"<p>","end_turn":true}]}
{"messages":[{"role":"user","content":"Hi"}]}
`)
	have := runPipeline(t, "threads.hcl", map[string]string{"documents": `["` + document + `"]`, "rows": `["` + rows + `"]`})
	for file, want := range map[string]int{
		"threads.jsonl": 4, "tokens.jsonl": 4, "preferences.jsonl": 1, "preference-tokens.jsonl": 1, "rejects.jsonl": 2, "findings.jsonl": 1, "document-findings.jsonl": 0,
	} {
		if n := strings.Count(have[file], "\n"); n != want {
			t.Errorf("%s: want %d rows, have %d: %s", file, want, n, have[file])
		}
	}
	if n := strings.Count(have["tokens.jsonl"], `"train":true`); n != 4 {
		t.Errorf("want 4 stretches to train on, have %d: %s", n, have["tokens.jsonl"])
	}
	if empty := runPipeline(t, "threads.hcl", map[string]string{}); empty["tokens.jsonl"] != "" {
		t.Errorf("want nothing of nothing, have %s", empty["tokens.jsonl"])
	}
}

// TestNegatives holds that the variables of both pipelines vary developer messages and add preference rows, and that nothing of
// the prompt is trained on.
func TestNegatives(t *testing.T) {
	rows := `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"Be brief.","prompt":"Is it warm in Rome?","tools":[{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}]},"response":{"text":"","toolCalls":[{"toolName":"weather","input":{"city":"Rome"}}]}}
{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"prompt":"Hi"},"response":{"text":"Hello."}}
`
	vars := func() map[string]string {
		return map[string]string{
			"vary": `["order","wording","schema"]`, "seed": "b",
			"negatives": `["format_not_enabled","undeclared_tool","call_as_text","user_enabled_format"]`,
		}
	}
	for pipeline, input := range map[string]string{"modelspec.hcl": "input", "threads.hcl": "rows"} {
		v := vars()
		v[input] = written(t, "rows.jsonl", rows)
		if input == "rows" {
			v[input] = `["` + v[input] + `"]`
		}
		have := runPipeline(t, pipeline, v)
		for file, want := range map[string]int{"threads.jsonl": 2, "preferences.jsonl": 5, "rejects.jsonl": 0} {
			if n := strings.Count(have[file], "\n"); n != want {
				t.Errorf("%s: %s: want %d rows, have %d: %s", pipeline, file, want, n, have[file])
			}
		}
		if strings.Contains(have["threads.jsonl"], "You can use the `weather:json` response format to call this tool with the following schema:\\n```typescript") {
			t.Errorf("%s: want other words than those without variation, have %s", pipeline, have["threads.jsonl"])
		}
		if pairs := have["preference-tokens.jsonl"]; strings.Contains(pairs, "prompt_segments") || strings.Count(pairs, "rejected_segments") != strings.Count(pairs, "\n") {
			t.Errorf("%s: want stretches of the answers alone, have %s", pipeline, pairs)
		}
	}
}

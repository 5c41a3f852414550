package pair

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestPair(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func TestReference(t *testing.T) {
	adaptertest.Reference(t, Plugin, map[string]string{
		"functions_53k": `{"preset": "functions_53k"}`, "toolhop": `{"preset": "toolhop"}`, "mcp_messages/phi3-dsl": `{"preset": "phi3"}`,
		"mcp_flow": `{"preset": "mcp_flow"}`, "mcp_routing": `{"preset": "mcp_routing"}`, "terminal_corpus": `{"preset": "terminal_corpus"}`,
		"reasoning_cot": `{"preset": "reasoning_cot"}`, "n8n_workflow": `{"preset": "n8n_workflow"}`, "convert_xlam": `{"preset": "xlam"}`,
	}, map[string]string{
		"terminal_corpus/pair": "N1: one explanation trained twice, as the thought and as an argument",
		"n8n_workflow/pair":    "N2: a thought and a text made from a template, which nobody said",
		"convert_xlam/row":     "N3: a system prompt and a thought that the row does not have",
	})
}

func FuzzPair(f *testing.F) {
	adaptertest.Fuzz(f, Plugin, "", seeds(f)...)
}

// seeds are the records of the test cases.
func seeds(t testing.TB) (rows []string) {
	for _, name := range []string{"shapes", "declined", "rejected"} {
		text, err := os.ReadFile("testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		_, text2, _ := strings.Cut(string(text), "-- in.jsonl --\n")
		records, _, _ := strings.Cut(text2, "-- want --")
		rows = append(rows, strings.Split(strings.TrimSpace(records), "\n")...)
	}
	return rows
}

func BenchmarkAlpaca(b *testing.B) {
	var rows []string
	for i := range 200 {
		rows = append(rows, object("instruction", adaptertest.Words(i, 20), "input", adaptertest.Words(i, 150), "output", adaptertest.Words(i+1, 300), "id", "x"))
	}
	adaptertest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkXLAM(b *testing.B) {
	var rows []string
	tools := `[{"name": "f", "description": "d", "parameters": {"a": {"type": "str", "description": "` + adaptertest.Words(2, 30) + `"}}}]`
	tools = strings.ReplaceAll(tools, `"quoted"`, "")
	for i := range 200 {
		rows = append(rows, object("query", adaptertest.Words(i, 60), "tools", tools, "answers", `[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]`))
	}
	adaptertest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkDecline(b *testing.B) {
	var rows []string
	for i := range 200 {
		rows = append(rows, object("title", adaptertest.Words(i, 20), "body", adaptertest.Words(i, 400)))
	}
	adaptertest.Bench(b, Plugin, "", "decline", rows)
}

func object(pairs ...string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	text, _ := json.Marshal(m)
	return string(text)
}

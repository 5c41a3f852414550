package pair

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// families are the columns that each preset reads: of questions, of answers, and beside both.
var families = map[string]struct{ questions, answers, beside string }{
	"": {
		"instruction input context source_instruction query prompt question problem input_text key",
		"output response completion answer answers solution output_text target targets function_call tool_calls command tool workflow_json json value",
		"tools functions system system_prompt history reasoning reasoning_content thinking thought chain_of_thought",
	},
	"alpaca":          {"instruction input", "output response", "system history reasoning reasoning_content thinking thought chain_of_thought"},
	"bfcl":            {},
	"dolly":           {"instruction context", "response", ""},
	"xlam":            {"query", "answers", "tools system"},
	"functions-53k":   {"prompt input", "completion output", "functions"},
	"toolhop":         {"question query", "answer", "functions tools"},
	"mcp-flow":        {"source_instruction instruction", "function_call", "tools tool"},
	"mcp-routing":     {"query input instruction", "tool", ""},
	"phi3":            {"instruction input", "output response completion", "tools"},
	"terminal-corpus": {"instruction", "command", ""},
	"reasoning-cot":   {"prompt instruction input", "response output completion", "system reasoning reasoning_content thinking thought chain_of_thought"},
	"n8n-workflow":    {"instruction input prompt query key", "workflow_json json value output response completion", "system"},
	"ms-swift": {
		"query prompt input instruction question problem",
		"response answer output targets target answer_key answers solution text completion content",
		"system system_prompt history tools reasoning reasoning_content thinking thought chain_of_thought",
	},
}

// values are what the columns accept that do not take what the others do.
var values = map[string]string{
	"function_call": `{"name":"F","arguments":{}}`, "tool_calls": `{"name":"F","arguments":{}}`, "tool": `"T"`,
	"tools": `[{"name":"T"}]`, "functions": `[{"name":"T"}]`, "history": `[["before","after"]]`,
}

// record has a value in each column.
func record(question string, columns ...string) string {
	text := `{"` + question + `":"q","server":"s"`
	for _, column := range columns {
		text += `,"` + column + `":` + cmp.Or(values[column], `"{\"nodes\":[],\"connections\":{}}"`) // an answer, a command and a workflow
	}
	return text + "}"
}

// TestPresets protects every column of every preset: a wrong one loses a corpus, or reads another's columns.
func TestPresets(t *testing.T) {
	questions, answers, beside := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range families {
		note(questions, f.questions)
		note(answers, f.answers)
		note(beside, f.beside)
	}
	for name := range presets {
		f, ok := families[name]
		if !ok {
			t.Errorf("want the columns of preset %q, have none", name)
			continue
		}
		asked, answered, taken := strings.Fields(f.questions), strings.Fields(f.answers), strings.Fields(f.beside)
		question, answer := append(asked, "none")[0], append(answered, "none")[0]
		var records, columns []string
		var want []bool
		add := func(column, record string, read bool) {
			columns, records, want = append(columns, column), append(records, record), append(want, read)
		}
		for column := range questions {
			add(column, record(column, answer), slices.Contains(asked, column))
		}
		for column := range answers {
			if !slices.Contains(asked, column) {
				add(column, record(question, column), slices.Contains(answered, column))
			}
		}
		for column := range beside {
			if len(answered) > 0 && !slices.Contains(answered, column) && column != "tool" {
				add(column, record(question, answer, column), slices.Contains(taken, column))
			}
		}
		results, _ := sdktest.Run(t, Plugin, `{"preset":"`+name+`"}`, records...)
		for i, r := range results {
			if read := r.Verdict == "emit" && !gjson.Get(r.Emitted[0], "metadata."+columns[i]).Exists(); read != want[i] {
				t.Errorf("preset %q reads %s: want %v, have %v of %s", name, columns[i], want[i], read, records[i])
			}
		}
	}
}

func note(set map[string]bool, columns string) {
	for column := range strings.FieldsSeq(columns) {
		set[column] = true
	}
}

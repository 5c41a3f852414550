package reference_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// oneEnd holds that a record ends in one way, that emitted rows are UTF-8, and that a flat record becomes a canonical row.
func oneEnd(t *testing.T, plugin sdk.Plugin, record string, result sdktest.Result) {
	t.Helper()
	if (result.Verdict == "emit") != (len(result.Emitted) == 1) || result.Verdict == "drop" {
		t.Fatalf("%s: want one end, have %s with %d rows from %s", plugin.Name, result.Verdict, len(result.Emitted), record)
	}
	for _, row := range result.Emitted {
		if utf8.ValidString(record) && !utf8.ValidString(row) {
			t.Fatalf("%s: want UTF-8, have %q", plugin.Name, row)
		}
		if problem := canonicaltest.Problem(row); plugin.Name == "eliza-record" && problem != "" {
			t.Fatalf("%s: %s\nfrom %s", problem, row, record)
		}
	}
}

// FuzzStep holds that each JSON record ends in one way in every step.
func FuzzStep(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range archive.Files {
			record, _, _ := strings.Cut(string(c.Data), "\n")
			f.Add(record)
		}
	}
	f.Fuzz(func(t *testing.T, record string) {
		if !json.Valid([]byte(record)) || !utf8.ValidString(record) {
			return
		}
		for _, s := range append(shapes, steps...) {
			results, _ := sdktest.Direct(t, s.plugin, s.args, record)
			oneEnd(t, s.plugin, record, results[0])
		}
	})
}

var words = canonicaltest.Vocabulary{
	Keys:    []string{"role", "content", "name", "params", "tool", "text", "thought", "actions", "command", "task_type", "decision_class"},
	Strings: []string{"user", "assistant", "tool", "critic", "REPLY", "TASKS", "f", "hello", " ", "é\n\"", "<think>t</think>a", `{"text":"a"}`, "{'a': 1}"},
}

// TestOddRecords holds the same of flat records with odd members.
func TestOddRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([]string, 5000)
	for i := range records {
		var memory []string
		for range r.IntN(5) {
			memory = append(memory, words.Row(r, map[string][]string{"role": {`"user"`, `"assistant"`, `"tool"`, words.Value(r, 0)}, "content": {`"a"`, `"b"`, words.Value(r, 1)}}))
		}
		envelope := words.Row(r, map[string][]string{"actions": {`["REPLY"]`, words.Value(r, 1)}, "text": {`"x"`, words.Value(r, 1)}})
		records[i] = words.Row(r, map[string][]string{
			"memoryEntries":    {"[" + strings.Join(memory, ",") + "]", words.Value(r, 1)},
			"currentMessage":   {`{"content":"q"}`, `{"role":"tool","content":"q"}`, words.Value(r, 1)},
			"expectedResponse": {string(jsontext.AppendString(nil, envelope)), envelope, words.Value(r, 0)},
			"availableActions": {`["TASKS","REPLY"]`, words.Value(r, 2)},
			"metadata":         {`{"toolSpecs":[{"name":"f"}]}`, `{"system_prompt":"s"}`, words.Value(r, 2)},
		})
	}
	emitted := 0
	results, _ := sdktest.Run(t, elizarecord.Plugin, `{"profile":"reference"}`, records...)
	for i, result := range results {
		emitted += len(result.Emitted)
		oneEnd(t, elizarecord.Plugin, records[i], result)
	}
	if emitted < len(records)/20 {
		t.Errorf("want a row in twenty emitted, so that the test says something, have %d of %d", emitted, len(records))
	}
}

// TestGrows protects a run from one record that takes hours, or all memory.
func TestGrows(t *testing.T) {
	const turns = `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`
	many := func(n int, element string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(element, "%d", fmt.Sprint(i)))
		}
		return strings.Trim(b.String(), ",")
	}
	canonical := func(messages, tools string) string {
		return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + messages + `],"tools":[` + tools + `]},"response":{"text":"a"}}`
	}
	rows := map[string]func(n int) string{
		"messages": func(n int) string { return canonical(many(n, turns+","), "") },
		"tools":    func(n int) string { return canonical(turns, many(n, `{"name":"T%d","parameters":{}},`)) },
		"text":     func(n int) string { return canonical(`{"role":"user","content":"`+many(n, `a\n\u00e9\"`)+`"}`, "") },
		"calls": func(n int) string {
			return canonical(turns+`,{"role":"assistant","tool_calls":[`+many(n, `{"id":"c%d","name":"T%d","arguments":"{}"},`)+`]},`+many(n, `{"role":"tool","tool_call_id":"c%d","content":"r"},`), "")
		},
		"parts": func(n int) string {
			return canonical(`{"role":"user","content":[`+many(n, `{"type":"text","text":"p"},`)+`]}`, "")
		},
	}
	for _, c := range []struct {
		plugin sdk.Plugin
		args   string
		rows   map[string]func(n int) string
	}{
		{chatml.Plugin, `{"profile":"reference"}`, rows},
		{alias.Plugin, `{"aliases":{"T1":"U1"},"profile":"reference"}`, rows},
		{messages.Plugin, `{"profile":"reference"}`, map[string]func(n int) string{
			"messages": func(n int) string { return `{"messages":[` + many(n, turns+",") + `]}` },
			"keys":     func(n int) string { return `{"messages":[` + turns + `],` + many(n, `"k%d":1,`) + `}` },
			"parts": func(n int) string {
				return `{"messages":[{"role":"user","content":[` + many(n, `{"type":"text","text":"p"},`) + `]},` + turns + `]}`
			},
		}},
		{elizarecord.Plugin, `{"profile":"reference"}`, map[string]func(n int) string{
			"keys": func(n int) string {
				return `{"currentMessage":{"content":"q"},"expectedResponse":"a","metadata":{"toolSpecs":[{` + many(n, `"k%d":1,`) + `}]}}`
			},
		}},
	} {
		for what, row := range c.rows {
			t.Run(c.plugin.Name+"/"+what, func(t *testing.T) {
				sdktest.Grows(t, c.plugin, c.args, func(n int) []byte { return []byte(row(n)) })
			})
		}
	}
}

// TestFilterCode holds that the hash of the rules covers all code of the filter.
func TestFilterCode(t *testing.T) {
	registered, ok := profile.Lookup[privacy.Reference]("privacy")
	if !ok {
		t.Fatal("want the filter registered, have none")
	}
	entries, err := os.ReadDir("privacy")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if _, err := fs.Stat(registered.Files, e.Name()); err != nil {
			t.Errorf("want privacy/%s among what is hashed: %v", e.Name(), err)
		}
	}
}

package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// block is how many bytes of a file datasets takes the types of its columns from.
const block = 10 << 20

// published writes rows as an output of a run, and publishes them.
func published(t *testing.T, rows map[string][]string) (dir string, configs []config) {
	t.Helper()
	dir = t.TempDir()
	var sources []source
	for name, lines := range rows {
		path := filepath.Join(t.TempDir(), "train.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		sum, err := filehash.File(path, filehash.Default)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source{receipt.Output{Path: path, Sum: sum, Records: int64(len(lines))}, path, name, "train"})
	}
	w := writer{dir: dir, shard: 1 << 30, sums: map[string]string{}}
	configs, err := w.write(sources)
	if err != nil {
		t.Fatal(err)
	}
	c := card{Name: "rows", Configs: configs, Run: &receipt.Receipt{}, found: &w.found}
	if err := w.put("README.md", c.text()); err != nil {
		t.Fatal(err)
	}
	return dir, configs
}

const (
	toolA = `[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"city":{"type":"string","default":"x"}}}}}]`
	toolB = `[{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{"n":{"type":"integer","default":1,"enum":[1,2]}}}}}]`
)

// apart returns rows of which those that matter are in different blocks of a file.
func apart(first, between, last string) (rows []string) {
	rows = append(rows, first)
	for size, i := 0, 0; size < block+block/10; i++ {
		rows = append(rows, fmt.Sprintf(between, i, strings.Repeat("long ", 1<<12)))
		size += len(rows[len(rows)-1])
	}
	return append(rows, last)
}

// randomRow returns a row whose members have any of the values that such members have.
func randomRow(r *rand.Rand) string {
	one := func(values ...string) string { return values[r.IntN(len(values))] }
	object := func(members ...string) string {
		kept := slices.DeleteFunc(members, func(string) bool { return r.IntN(4) == 0 })
		return "{" + strings.Join(kept, ",") + "}"
	}
	message := func() string {
		return object(`"role":"user"`, `"content":`+one(`"a"`, `""`, `null`, `"2024-01-01"`, `"\u00e9\n{"`), `"name":`+one(`"n"`, `null`), `"weight":`+one(`0`, `1`, `0.5`, `null`),
			`"tool_calls":`+one(`[]`, `null`, `[`+object(`"id":"c"`, `"function":`+object(`"name":"f"`, `"arguments":`+one(`{}`, `"{}"`, `{"a":[1,"2"]}`, `null`)))+`]`),
			`"extra":`+one(`1`, `"1"`, `[1]`, `{"a":null}`))
	}
	return object(`"messages":[`+message()+`,`+message()+`,`+message()+`]`, `"prompt":`+one(`"a"`, `[]`, `[`+message()+`]`), `"tools":`+one(`[]`, `null`, toolA, toolB),
		`"n":`+one(`1`, `2.5`, `null`), `"when":`+one(`"2024-01-01"`, `"2024-01-01T00:00:00Z"`), `"mixed":`+one(`1`, `true`, `"a"`, `[]`), `"empty":`+one(`{}`, `null`, `[]`),
		`"flag":`+one(`true`, `false`), `"none":null`, `"a b.c":`+one(`"x"`, `"y"`), `"on":"z"`)
}

// TestLargeFoldersLoad protects those who load what is published: datasets reads a file in blocks and fixes the types of the
// columns by the first, so a file of more than one block shows whether the card types them right. Every row is as it was.
func TestLargeFoldersLoad(t *testing.T) {
	rows := map[string][]string{
		// Tools of two schemas with none between them, arguments of two kinds, and members that only the last block has.
		rowfile.ChatML: apart(
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":{"city":"x"}}}]}],"tools":`+toolA+`}`,
			`{"messages":[{"role":"user","content":"q %d %s"},{"role":"assistant","content":"a"}]}`,
			`{"messages":[{"role":"user","content":"2024-01-01"},{"role":"assistant","content":"","reasoning_content":"r","tool_calls":[{"id":"1","type":"function","function":{"name":"b","arguments":{"n":[1,"2"]}}}]},`+
				`{"role":"tool","tool_call_id":"1","name":"b","content":"r"},{"role":"assistant","content":"a","tool_calls":[]}],"tools":`+toolB+`}`),
		// A content that is text and parts, times, numbers of every size, and members of every type.
		rowfile.Canonical: apart(
			`{"format":"eliza_native_v1","schemaVersion":1,"request":{"messages":[{"role":"user","content":"q"}],"tools":`+toolA+`},"response":{"text":"a"},"reward":1,"at":"2024-01-01T00:00:00Z","mixed":1,"nothing":null}`,
			`{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"q %d %s"}]},"response":{"text":"a"}}`,
			`{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],"tools":`+toolB+`},"response":{"text":"a","usage":{}},"reward":0.5,"at":"2024-01-02 \"late\"",`+
				`"mixed":"1","ok":true,"large":123456789012345678901234567890,"exact":9007199254740993,"metadata":{"a":[],"b":{},"\u00e9":"\ud83d\ude00"}}`),
		// Prompts that are text in one row and messages in another.
		"preference": apart(
			`{"prompt":"q","chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]}`,
			`{"prompt":"q %d %s","chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]}`,
			`{"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]}`),
		// Steps and labels are lists, for a trainer takes nothing else.
		"stepwise": apart(
			`{"prompt":"q","completions":["one","two"],"labels":[true,false]}`,
			`{"prompt":"q %d %s","completions":["2024-01-01"],"labels":[true]}`,
			`{"prompt":"q","completions":["one"],"labels":[false]}`),
		// Texts become parts where other rows have parts, for a chat template takes either.
		"media": apart(
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`,
			`{"messages":[{"role":"user","content":"q %d %s"},{"role":"assistant","content":"a"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"image","path":"x.png"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"q"}]},{"role":"assistant","content":"a"}]}`),
	}
	// Small blocks of rows of which any member may be absent, null, empty or of another kind.
	r := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		rows["random"] = append(rows["random"], randomRow(r))
	}
	dir, configs := published(t, rows)
	if configs[0].Name != rowfile.Canonical || configs[1].Name != rowfile.ChatML {
		t.Errorf("want canonical rows first and ChatML rows second, have %s, %s", configs[0].Name, configs[1].Name)
	}
	if err := exec.Command("python3", "-c", "import datasets").Run(); err != nil {
		t.Skip("python3 with datasets is absent")
	}
	plan := map[string]any{}
	for _, c := range configs {
		path := filepath.Join(t.TempDir(), c.Name)
		if err := os.WriteFile(path, []byte(strings.Join(rows[c.Name], "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		plan[c.Name] = map[string]any{"rows": path, "texts": c.Texts(), "block": block}
		if c.Name == "random" {
			plan[c.Name].(map[string]any)["block"] = 4 << 10
		}
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command("python3", "testdata/load.py", dir)
	script.Stdin = bytes.NewReader(text)
	script.Env = append(os.Environ(), "HF_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1", "HF_DATASETS_DISABLE_PROGRESS_BARS=1")
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestColumns protects the types that a card has: a value that another of its column does not fit is JSON text.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		reason string
		rows   []string
		want   string // "type" of x, or "text"
	}{
		{"texts", []string{`{"x":"a"}`, `{}`, `{"x":null}`}, "string"},
		{"integers", []string{`{"x":1}`, `{"x":-9007199254740993}`}, "int64"},
		{"an integer and a fraction", []string{`{"x":1}`, `{"x":1.5}`}, "float64"},
		{"an integer that no fraction holds", []string{`{"x":9007199254740993}`, `{"x":1.5}`}, "text"},
		{"an integer that 64 bits do not hold", []string{`{"x":9223372036854775808}`}, "text"},
		{"a number that is infinite", []string{`{"x":1e999}`}, "text"},
		{"booleans", []string{`{"x":true}`, `{"x":false}`}, "bool"},
		{"a boolean and a number", []string{`{"x":true}`, `{"x":1}`}, "text"},
		{"nothing", []string{`{"x":null}`}, "null"},
		{"an object", []string{`{"x":{"a":1}}`}, "text"},
		{"a list", []string{`{"x":[]}`}, "text"},
		{"a time among texts, which may be alone in its block", []string{`{"x":"a"}`, `{"x":"2024-01-01"}`}, "text"},
		{"a text that begins like a time", []string{`{"x":"2024-01-01, a Monday"}`}, "string"},
		{"steps with labels of two types", []string{`{"completions":["a"],"labels":[true],"x":1}`, `{"completions":[],"labels":[1],"x":1}`}, "int64"},
		{"steps with a label that is missing", []string{`{"completions":["a"],"labels":[true,null],"x":1}`}, "int64"},
		{"messages of which one is none", []string{`{"messages":[{"role":"user"}],"x":1}`, `{"messages":[null],"x":1}`}, "int64"},
	} {
		rows := newColumn(atRow)
		for _, r := range c.rows {
			if err := rows.add(jsontext.JSON(r)); err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
		}
		rows.settle()
		have := rows.members["x"].dtype()
		if rows.members["x"].form == asText {
			have = "text"
		}
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
		for _, name := range []string{"completions", "labels"} {
			if m := rows.members[name]; m != nil && (m.form == asText) != (name == "labels") {
				t.Errorf("%s: want only labels as text, have form %d of %s", c.reason, m.form, name)
			}
		}
		if m := rows.members["messages"]; m != nil && m.form != asText {
			t.Errorf("%s: want messages as text, have form %d", c.reason, m.form)
		}
	}
}

// TestColumnsThatCannotBe protects a folder that would not load: what no reader of columns takes is refused.
func TestColumnsThatCannotBe(t *testing.T) {
	var wide strings.Builder
	for i := range mostMembers + 1 {
		fmt.Fprintf(&wide, `,"c%d":1`, i)
	}
	for row, want := range map[string]string{
		`{"a":1,"a":2}`: `have "a" twice`,
		`{"messages":[{"role":"user","role":"user"}]}`: `have "role" twice`,
		`{` + wide.String()[1:] + `}`:                  "want at most 1000 columns",
	} {
		if err := newColumn(atRow).add(jsontext.JSON(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: want an error with %q, have %v", row, want, err)
		}
	}
}

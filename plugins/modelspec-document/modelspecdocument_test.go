package modelspecdocument

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// updating tells whether -update, a flag of sdktest, asks for golden rows to be written anew.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// specFile is the document whose notation this is; tests that read it are skipped where it is absent.
const specFile = "../../../shared/seeds/modular-model-spec.txt"

func record(name, text string) string {
	json := jsontext.AppendString([]byte(`{"name":`), name)
	return string(jsontext.AppendString(append(json, `,"text":`...), text)) + "}"
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("want documents in testdata, have none (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			results, counts := sdktest.Run(t, Plugin, "", record(filepath.Base(file), string(text)))
			var have strings.Builder
			for i, row := range results[0].Emitted {
				have.WriteString(results[0].Labels[i]["kind"] + " " + row + "\n")
			}
			for _, name := range []string{"document.conversations", "document.lone_messages", "document.unpaired", "loss.comment", "loss.halted_on_completion"} {
				have.WriteString(name + " " + strconv.FormatInt(counts[name], 10) + "\n")
			}
			golden := strings.TrimSuffix(file, ".md") + ".golden"
			if updating() {
				if err := os.WriteFile(golden, []byte(have.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), have.String()); diff != "" {
				t.Errorf("%s (-want +have):\n%s", golden, diff)
			}
		})
	}
}

// TestSpecification holds what stands in the document, counted by hand: each conversation with its branches that
// are correct and its pairs of a correct and an incorrect one.
func TestSpecification(t *testing.T) {
	text, err := os.ReadFile(specFile)
	if err != nil {
		t.Skipf("the specification is absent: %v", err)
	}
	counted := []struct {
		section         string
		branches, pairs int
		what            string
	}{
		{"Example 1: Platform/developer conflict", 1, 1, "two columns"},
		{"Example 2: user/developer conflict", 1, 1, "two columns, no user"},
		{"Example 3: user/developer conflict", 1, 1, "two columns, no user"},
		{"Example 4: user/developer conflict", 1, 1, "two columns"},
		{"Rules are assumed to be secrets", 2, 2, "two columns, twice"},
		{"Tools output assumed to be untrusted", 1, 1, "two columns behind a call, the wrong one of two messages"},
		{"Assistant should use common-sense", 1, 1, "two columns"},
		{"Non-interactive response format", 1, 1, "two columns, comment before an unindented fence"},
		{"Conversational format", 1, 1, "two columns, nested fences"},
		{"Example 1: `typescript` definition `->>` `js` response", 1, 0, "no columns"},
		{"Example 2: `typescript` definition `->>` `json` response", 1, 0, "no columns"},
		{"Example 3: `rust` definition ->> `yaml` response", 1, 0, "no columns"},
		{"Example 4: `python` definition ->> `python` response", 1, 0, "no columns, two turns"},
		{"Web browsing assistant with consecutive tool use", 1, 1, "two columns, the right one of five messages"},
		{"Weather tool with consecutive tool use", 1, 2, "three columns"},
		{"Weather tool with consecutive tool use", 1, 2, "quoted: three columns, two begin alike"},
		{"Code interpreter", 1, 0, "quoted: one column"},
		{"Retrieval Augmented Generation", 1, 1, "quoted: two columns"},
		{"Inline tool use", 1, 0, "quoted: no marks"},
	}
	results, counts := sdktest.Run(t, Plugin, "", record("spec.md", string(text)))
	if have := counts["document.conversations"]; have != int64(len(counted)) {
		t.Errorf("want %d conversations, have %d", len(counted), have)
	}
	if have := counts["document.lone_messages"]; have != 2 {
		t.Errorf("want 2 messages outside of threads, have %d", have)
	}
	kinds := make([]map[string]int, len(counted)+1)
	for i, row := range results[0].Emitted {
		n := gjson.Get(row, "metadata.thread").Int()
		if kinds[n] == nil {
			kinds[n] = map[string]int{}
		}
		kinds[n][results[0].Labels[i]["kind"]]++
		if have := gjson.Get(row, "metadata.section").Str; have != counted[n-1].section {
			t.Errorf("thread %d: want section %q, have %q", n, counted[n-1].section, have)
		}
	}
	for i, c := range counted {
		if have := kinds[i+1]; have["thread"] != c.branches || have["preference"] != c.pairs {
			t.Errorf("thread %d, %s (%s): want %d branches and %d pairs, have %v", i+1, c.section, c.what, c.branches, c.pairs, have)
		}
	}
	if have := len(results[0].Emitted); have != 20+16 {
		t.Errorf("want 20 threads and 16 pairs, have %d rows", have)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a thread must end", "<Thread>\n", "line 1: want </Thread>, have the end of the document"},
		{"a fence must end", "a\n```js\nb", "line 2: want the end of the fenced block, have the end of the document"},
		{"columns stand in threads", "\n<Columns>\n</Columns>", "line 2: want <Columns> inside a <Thread>, have it outside"},
		{"roles are those of the document", "<Message role=\"system\">a</Message>", `line 1: want a role of platform, developer, user, assistant, tool, context, have "system"`},
		{"flags are booleans", "<Message role=\"assistant\" end_turn={1}>a</Message>", `line 1: want true or false as end_turn, have "1"`},
		{"a message has one content", "<Message role=\"user\">\n```\na\n```\n```\nb\n```\n</Message>", "line 5: want one fenced block in a message, have a second"},
		{"settings name formats", "<Thread>\n<SystemConfig config={{}}/></Thread>", "line 2: config: want formats, have none"},
		{"settings are a literal", "<Thread>\n<SystemConfig config={{ formats: [a(1)] }}/></Thread>", `line 2: config: want a value, have "a"`},
		{"attributes are closed", "<Message role=\"user>\n", "line 1: want attributes and the end of <Message>, have something else"},
		{"no message ends another", "<Thread>\n<Message role=\"user\">a\n<Message role=\"assistant\">b</Message></Thread>", "line 3: want </Message>, have <Message>"},
		{"columns have an end too", "<Thread>" + strings.Repeat("<Columns><Column>", 33), "line 1: want columns at most 32 deep, have more"},
		{"a column says something", "<Thread><Columns><Column></Column></Columns></Thread>", "line 1: want messages in <Column>, have none"},
	} {
		results, _ := sdktest.Run(t, Plugin, "", record("a.md", c.text))
		if r := results[0]; r.Verdict != "reject" || r.Code != "bad_document" || r.Message != c.want {
			t.Errorf("%s: want bad_document %q, have %s %s %q", c.reason, c.want, r.Verdict, r.Code, r.Message)
		}
	}
	results, _ := sdktest.Run(t, Plugin, "", `{"messages":[]}`)
	if results[0].Verdict != "decline" {
		t.Errorf("a record without text: want a decline, have %s", results[0].Verdict)
	}
}

// FuzzParse holds that any text is read or refused, and that what is read fits on the lines of the text.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.md")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := parse(text)
		if err != nil {
			return
		}
		for _, c := range doc.found {
			if lines := strings.Count(text, "\n") + 1; c.line < 1 || c.line > lines {
				t.Errorf("want a line of 1 to %d, have %d", lines, c.line)
			}
			if c.settings != "" && !gjson.Valid(c.settings) {
				t.Errorf("want settings as JSON, have %s", c.settings)
			}
		}
	})
}

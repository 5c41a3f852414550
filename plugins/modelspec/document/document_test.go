package document

import (
	"flag"
	"fmt"
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
const specFile = "../../../../shared/seeds/modular-model-spec.txt"

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
			for _, name := range []string{"document.conversations", "document.lone_messages", "document.unpaired", "document.findings", "loss.comment", "mended.end_turn"} {
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
	const good = "\n<Thread>\n<Message role=\"assistant\" end_turn={true}>fine</Message>\n</Thread>\n"
	for _, c := range []struct{ reason, text, want string }{
		{"a fence must end", "<Thread>\n<Message role=\"user\">\n  ```js\nb</Message></Thread>", "line 3 column 3: want the end of the fenced block, have the end of the document"},
		{"an end without a beginning", "\n </Columns>", "line 2 column 2: want <Columns> inside a <Thread>, have it outside"},
		{"columns in threads hold something", "<Thread><Columns></Columns></Thread>", "line 1 column 9: want at least one <Column> in <Columns>"},
		{"roles are those of the document", "<Message role=\"system\">a</Message>", `line 1 column 1: want a role of platform, developer, user, assistant or tool, have "system"`},
		{"flags are booleans", "<Message role=\"assistant\" end_turn={1}>a</Message>", `line 1 column 1: want true or false as end_turn, have "1"`},
		{"attributes are those of messages", "<Message role=\"user\" weight={1}>a</Message>", "line 1 column 1: want the attributes role, name, format, end_turn, halted_on_completion, correct of <Message>, have weight"},
		{"a message has one content", "<Message role=\"user\">\n```\na\n```\n```\nb\n```\n</Message>", "line 5 column 1: want one fenced block in a message, have a second"},
		{"settings name formats", "<Thread>\n<SystemConfig config={{ formats: 7 }}/></Thread>", "line 2 column 1: config: system_settings.formats: want a name or a list of formats, have a number"},
		{"settings are a literal", "<Thread>\n<SystemConfig config={{ formats: [a(1)] }}/></Thread>", `line 2 column 1: config: want a value, have "a"`},
		{"attributes are closed", "<Message role=\"user>\n", "line 1 column 1: want attributes and the end of <Message>"},
		{"no message ends another", "<Thread>\n<Message role=\"user\">a\n<Message role=\"assistant\">b</Message></Thread>", "line 3 column 1: want </Message>, have <Message>"},
		{"columns have an end too", "<Thread>" + strings.Repeat("<Columns><Column>", 33), "line 1 column 553: want columns at most 32 deep, have 33"},
		{"a column says something", "<Thread><Columns><Column></Column></Columns></Thread>", "line 1 column 18: want messages in <Column>"},
		{"a mistyped element in a thread", "<Thread>\n<Mesage role=\"user\">a</Mesage>\n</Thread>", "line 2 column 1: want <Message>, <Columns> or one <SystemConfig/> in <Thread>, have <Mesage>"},
		{"a mistyped element outside", "<Tread>\n</Tread>", "line 1 column 1: want an element of the notation, have <Tread>"},
		{"each right way faces each wrong one", "<Thread><Columns>" + strings.Repeat("<Message role=\"assistant\">a</Message>", 65) + "</Columns></Thread>", "line 1 column 9: want at most 64 branches, have 65"},
		{"a heading of nobody", "> **Developer (system)**\n>\n> Be kind.\n\n> **Assistant** ->> `markdown`\n>\n> Hi", "line 1 column 3: want a heading of system settings, platform, developer, user, assistant or tool, have an unknown speaker"},
		{"nobody answers", "<Thread>\n<Message role=\"user\">a</Message></Thread>", "line 1 column 1: want a message of the assistant"},
	} {
		results, _ := sdktest.Run(t, Plugin, "", record("a.md", c.text))
		if r := results[0]; r.Verdict != "reject" || r.Code != "bad_document" || r.Message != c.want {
			t.Errorf("%s: want bad_document %q, have %s %s %q", c.reason, c.want, r.Verdict, r.Code, r.Message)
		}
		results, _ = sdktest.Run(t, Plugin, "", record("a.md", good+c.text+"\n"+good))
		finding := ""
		if len(results[0].Sides["findings"]) > 0 {
			finding = gjson.Get(results[0].Sides["findings"][0], "message").Str
		}
		if n := len(results[0].Emitted); n < 1 || !strings.HasSuffix(c.want, finding) || finding == "" {
			t.Errorf("%s: want a finding and the threads beside it, have %q and %d threads", c.reason, finding, n)
		}
	}
	results, _ := sdktest.Run(t, Plugin, "", `{"messages":[]}`)
	if results[0].Verdict != "decline" {
		t.Errorf("a record without text: want a decline, have %s", results[0].Verdict)
	}
}

// TestFenced protects a document whose threads all stand in code fences from being left out without a word. Beside a thread they are
// examples, and a document without any holds none.
func TestFenced(t *testing.T) {
	const thread = "<Thread>\n<Message role=\"assistant\" end_turn={true}>fine</Message>\n</Thread>\n"
	for _, c := range []struct{ reason, text, verdict, message string }{
		{"in fences alone", "# Notes\n\n```html\n" + thread + "```\n", "reject",
			"line 3 column 1: want a <Thread> outside of code fences, have one only in the fence that begins here"},
		{"beside a thread", "```html\n" + thread + "```\n\n" + thread, "emit", ""},
		{"none at all", "# Notes\n\n```js\nlet a\n```\n", "drop", "nothing emitted"},
	} {
		results, _ := sdktest.Run(t, Plugin, "", record("a.md", c.text))
		if r := results[0]; r.Verdict != c.verdict || r.Message != c.message {
			t.Errorf("%s: want %s %q, have %s %q", c.reason, c.verdict, c.message, r.Verdict, r.Message)
		}
	}
}

// TestForms holds the forms of the notation's later use, by the rows that each gives: t for a thread, p for a preference.
func TestForms(t *testing.T) {
	const (
		user  = `<Message role="user">q</Message>`
		right = `<Message role="assistant" end_turn={true} correct={true}>a</Message>`
		wrong = `<Message role="assistant" end_turn={true} correct={false}>b</Message>`
	)
	for _, c := range []struct{ reason, text, want string }{
		{"messages straight in columns", "<Thread>" + user + "<Columns>" + right + wrong + "</Columns></Thread>", "tp"},
		{"columns around threads that begin alike", "<Columns>\n<Column>\n<Thread>" + user + right + "</Thread>\n</Column>\n<Column>\n<Thread>" + user + wrong + "</Thread>\n</Column>\n</Columns>", "tp"},
		{"columns around threads of their own", "<Columns>\n<Thread>" + user + right + "</Thread>\n<Thread>" + right + "</Thread>\n</Columns>", "tt"},
		{"settings of their own", "<SystemConfig config={{formats: \"json\"}}/>\n\n<Thread>" + user + right + "</Thread>", "t"},
		{"a note that is bold", "> **Note**\n>\n> A remark.\n\n<Thread>" + user + right + "</Thread>", "t"},
		{"other elements around threads", "<Tabs>\n<Thread>" + user + right + "</Thread>\n</Tabs>", "t"},
		{"elements in the text of a message", "<Thread>" + user + "<Message role=\"assistant\" end_turn={true}>\n<Button>Go</Button>\n</Message></Thread>", "t"},
		{"columns that are no choice", "<Thread><Columns>" + user + "\n```ts\ntype User\n```\n</Columns><Columns>" + right + "</Columns></Thread>", "t"},
		{"columns of users", "<Thread><Columns>" + user + user + "</Columns>" + right + "</Thread>", "t"},
		{"a wrong answer alone", "<Thread>" + user + wrong + "</Thread>", ""},
	} {
		results, counts := sdktest.Run(t, Plugin, "", record("a.md", c.text))
		have := ""
		for _, labels := range results[0].Labels {
			have += labels["kind"][:1]
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q (%s)", c.reason, c.want, have, results[0].Message)
		}
		if warned := counts["warn.left_out"] > 0; results[0].Verdict == "emit" && warned != (counts["document.findings"] > 0) {
			t.Errorf("%s: want a warning with every finding, have %v", c.reason, counts)
		}
		if found := counts["document.findings"] > 0; found != (c.want == "") {
			t.Errorf("%s: want findings %v, have %v", c.reason, c.want == "", results[0].Sides)
		}
	}
}

// TestBranches holds what becomes of a thread in JSON with branches, by the texts of each row.
func TestBranches(t *testing.T) {
	const (
		user  = `{"role":"user","content":"q"}`
		right = `{"role":"assistant","format":"markdown","content":"a","end_turn":true,"correct":true}`
		wrong = `{"role":"assistant","format":"markdown","content":"b","end_turn":true,"correct":false}`
		plain = `{"role":"assistant","format":"markdown","content":"c","end_turn":true}`
	)
	for _, c := range []struct{ reason, thread, want string }{
		{"a right and a wrong way", `[` + user + `,[[` + right + `],[` + wrong + `]]]`, "thread qa, preference q a b"},
		{"what follows goes on from the right way", `[` + user + `,[[` + wrong + `],[` + right + `]],` + user + `,` + plain + `]`, "thread qa, thread qaqc, preference q a b"},
		{"ways within a way", `[` + user + `,[[` + plain + `,` + user + `,[[` + right + `],[` + wrong + `]]],[` + wrong + `]]]`, "thread qcqa, preference qcq a b, preference q cqa b"},
		{"a thread within a thread", `[[` + user + `],[[` + plain + `]],` + user + `,[[` + right + `],[` + plain + `]]]`, "thread qcqa, thread qcqc"},
		{"threads beside each other", `[[` + user + `,` + plain + `],[` + user + `,` + right + `]]`, "thread qc, thread qa"},
		{"null is no message", `[null,` + user + `,[[` + right + `],[` + plain + `]]]`, "bad_thread at 0"},
		{"nor in a way", `[` + user + `,[[` + right + `],[null,` + plain + `]]]`, "bad_thread at 1.1.0"},
		{"a row with settings", `{"id":7,"system_settings":{"formats":"markdown"},"messages":[` + user + `,[[` + right + `],[` + plain + `]]]}`, "thread qa 7, thread qc 7"},
		{"a list that is no way", `[` + user + `,[` + plain + `]]`, "thread qc"},
		{"an empty list", `[` + user + `,[],` + plain + `]`, "bad_thread at 1"},
		{"a thread without lists is others'", `[` + user + `,` + plain + `]`, "decline"},
		{"nobody answers", `[` + user + `,[[{"role":"platform","content":"q"}],[` + user + `]]]`, "bad_document"},
		{"mistakes are those of any thread", `[` + user + `,[[{"role":"platform","content":5}],[` + user + `]]]`, "bad_thread at 1.0.0.content"},
		{"too many ways", `[` + user + `,[` + strings.TrimSuffix(strings.Repeat(`[`+plain+`],`, 65), ",") + `]]`, "bad_document"},
		{"ways too deep", strings.Repeat(`[[`+plain+`],`, 40) + `[` + plain + `]` + strings.Repeat("]", 40), "bad_thread"},
	} {
		results, _ := sdktest.Run(t, Plugin, "", c.thread)
		r := results[0]
		var have []string
		for i, row := range r.Emitted {
			texts := func(path string) string {
				return strings.Join(strings.Fields(strings.NewReplacer("[", "", "]", "", "\"", "", ",", "").Replace(gjson.Get(row, path+".#.content").Raw)), "")
			}
			one := r.Labels[i]["kind"] + " " + texts("messages") + texts("prompt")
			if gjson.Get(row, "chosen").Exists() {
				one += " " + texts("chosen") + " " + texts("rejected")
			}
			have = append(have, strings.TrimSpace(one+" "+gjson.Get(row, "id").Raw))
		}
		told := strings.Join(have, ", ")
		if r.Verdict != "emit" {
			told = strings.TrimPrefix(r.Verdict, "reject") + r.Code
		}
		if c.want != told && c.want != told+" at "+r.Path {
			t.Errorf("%s: want %s, have %s %s (%s)", c.reason, c.want, told, r.Path, r.Message)
		}
	}
}

// TestGrows holds that what a thread comes to grows with it, however many branches it has, and where they are.
func TestGrows(t *testing.T) {
	const answer = `{"role":"assistant","format":"markdown","content":"a","end_turn":true}`
	ways := `[[` + answer + `],[` + strings.Replace(answer, "true}", `true,"correct":false}`, 1) + `]]`
	for _, c := range []struct{ what, begin, each, end string }{
		{"ways one behind the other", `[{"role":"platform","content":"p"}`, "," + ways, "]"},
		{"a prompt before many ways", `[{"role":"platform","content":"p"}`, `,{"role":"user","content":"q"}`, `,[` + strings.TrimSuffix(strings.Repeat(ways[1:len(ways)-1]+",", 20), ",") + `]]`},
	} {
		t.Run(c.what, func(t *testing.T) {
			sdktest.Grows(t, Plugin, "", func(n int) []byte { return []byte(c.begin + strings.Repeat(c.each, n) + c.end) })
		})
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
		doc := parse(text)
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

// TestSameAnswers holds that a wrong answer which says the same as the right one makes no pair, and is a finding at its place.
func TestSameAnswers(t *testing.T) {
	const user, answer = `<Message role="user">Hi</Message>`, `<Column><Message role="assistant" end_turn={true} correct={%t}>a</Message></Column>`
	text := "# T\n\n<Thread>" + user + "<Columns>\n" + fmt.Sprintf(answer, true) + "\n" + fmt.Sprintf(answer, false) + "</Columns></Thread>"
	results, counts := sdktest.Run(t, Plugin, "", record("a.md", text))
	if len(results[0].Emitted) != 1 || results[0].Labels[0]["kind"] != "thread" || counts["document.findings"] != 1 || counts["warn.left_out"] != 1 {
		t.Errorf("want a thread and a finding, have %v with %v", results[0].Emitted, counts)
	}
}

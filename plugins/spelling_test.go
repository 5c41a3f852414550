package plugins_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// A spelling says which characters an encoder escapes though JSON does not ask for it, and how. "" is as JSON has it.
type spelling struct {
	name  string
	other func(r rune) string
}

var spellings = []spelling{
	{"Go's encoder", func(r rune) string { return escapedIf(strings.ContainsRune("<>&\u2028", r), r) }},
	{"PHP's", func(r rune) string {
		if r == '/' {
			return `\/`
		}
		return escapedIf(r >= 0x80, r)
	}},
	{".NET's", func(r rune) string {
		return strings.ToUpper(escapedIf(strings.ContainsRune("<>&'`+\"", r) || r >= 0x80, r))
	}},
	{"Python's", func(r rune) string { return escapedIf(r >= 0x7f, r) }},
	{"some characters", func(r rune) string { return escapedIf(letters.IntN(6) == 0 || r == '\n', r) }},
}

var letters = rand.New(rand.NewPCG(1, 2))

// escapedIf returns the longest escape of a character of the first plane, if it is to be escaped. One half of a pair has no other.
func escapedIf(escaped bool, r rune) string {
	if !escaped || r > 0xffff || utf16.IsSurrogate(r) {
		return ""
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// respelled returns JSON with the strings and keys in another spelling.
func respelled(text string, s spelling) string {
	var b strings.Builder
	within := false
	for i := 0; i < len(text); {
		rest := text[i:]
		r, size := rune(rest[0]), 1
		switch {
		case !within || r == '"':
			within = within != (r == '"')
			b.WriteByte(rest[0])
			i++
			continue
		case r == '\\':
			r, size = jsontext.Unescape(jsontext.Body(rest))
		default:
			for _, r = range rest {
				size = len(string(r))
				break
			}
		}
		if other := s.other(r); other != "" {
			b.WriteString(strings.Replace(other, `\U`, `\u`, 1))
		} else {
			b.WriteString(rest[:size])
		}
		i += size
	}
	return b.String()
}

// TestSpelling holds that how an encoder spells strings decides nothing: the same row becomes the same rows, through its adapter,
// alias and chatml.
func TestSpelling(t *testing.T) {
	for _, p := range plugins.All {
		if p.Name != "chatml" && p.Name != "alias" && !isAdapter(p.Name) {
			continue
		}
		folder := strings.Replace(p.Name, "modelspec-", "modelspec/", 1)
		files, _ := filepath.Glob(folder + "/testdata/*.txtar")
		more, _ := filepath.Glob(folder + "/testdata/cases/*.txtar")
		for i, file := range append(files, more...) {
			args, records := caseOf(t, file)
			args = strings.Replace(args, `"../../pipelines`, `"../pipelines`, 1) // for a test of the plugin
			if strings.Contains(args, "registry") || len(records) == 0 {
				continue
			}
			some := spellings
			if !*long {
				some = spellings[i%len(spellings):][:1]
			}
			for _, s := range some {
				t.Run(p.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+s.name, func(t *testing.T) {
					spellsNothing(t, p, args, records, s)
				})
			}
		}
	}
}

// TestSpellingOfMarks holds the same of what is looked for within a text, in every spelling.
func TestSpellingOfMarks(t *testing.T) {
	said := func(text string) string {
		return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"q"}]},"response":{"text":` + string(jsontext.Quote(text)) + `}}`
	}
	told := func(from, text string) string {
		return `{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"<tool_call>\n{\"name\": \"search\", \"arguments\": {}}\n</tool_call>"},{"from":"` +
			from + `","value":` + string(jsontext.Quote(text)) + `},{"from":"gpt","value":"a"}]}`
	}
	for _, c := range []struct{ reason, row, want string }{
		{"a call in JSON between tags", said("<tool_call>\n{\"name\": \"SHELL_COMMAND\", \"arguments\": {}}\n</tool_call>"), `"name": "SHELL"`},
		{"a call in tags", said("<tool_call>\n<function=SHELL_COMMAND>\n<parameter=a>\nb\n</parameter>\n</function>\n</tool_call>"), `"name": "SHELL"`},
		{"a call of another maker", said("<functioncall> {\"name\": \"SHELL_COMMAND\", \"arguments\": {}} <|endoftext|>"), `"name": "SHELL"`},
		{"a list of calls behind a mark", said("[TOOL_CALLS][{\"name\": \"SHELL_COMMAND\", \"arguments\": {}}]"), `"name": "SHELL"`},
		{"a planner behind a thought", said("<think>hm</think>\n{\"toolCalls\":[{\"name\":\"SHELL_COMMAND\",\"args\":{}}]}"), `"name": "SHELL"`},
		{"a planner in a code fence", said("```json\n{\"thought\":\"t\",\"toolCalls\":[{\"name\":\"SHELL_COMMAND\",\"args\":{\"a\":\"b\"}}]}\n```"), `"name": "SHELL"`},
		{"a planner's actions", said("{\"thought\":\"t\",\"actions\":[\"SHELL_COMMAND\"],\"text\":\"x\"}"), `SHELL\"`},
		{"a line", said("I do.\nACTION: SHELL_COMMAND\nGo."), `ACTION: SHELL\nGo.`},
		{"a line of the system", `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"Be kind.\nAvailable actions: SHELL_COMMAND, REPLY","messages":[{"role":"user","content":"q"}]},"response":{"text":"a"}}`,
			`Available actions: SHELL, REPLY`},
		{"a tool's answer between tags", told("tool", "<tool_response>\n{\"name\":\"search\",\"content\":1}\n</tool_response>"), `"content": "1"`},
		{"tools of the system", `{"conversations":[{"from":"system","value":"Be kind.\n<tools>[{\"name\":\"search\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}]</tools>"},{"from":"human","value":"q"},{"from":"gpt","value":"a"}]}`,
			`"tools": [`},
		{"what a record declares", `{"schema":"eliza.eliza1_trajectory_record.v1","id":"xxxxxxxxxxxx","split":"someday","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, `reject bad_split`},
		{"a conversation in a string", `{"messages":` + string(jsontext.Quote(`[{"role":"user","content":"q"},{"role":"assistant","content":"\u003ctool_call\u003e{\"name\":\"search\",\"arguments\":{}}\u003c/tool_call\u003e"}]`)) + `}`, `"name": "FIND"`},
		{"a result of Gemini that is JSON", `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"search","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"search","response":{"city":"Zürich"}}}]},{"role":"model","parts":[{"text":"a"}]}]}`,
			`{\"city\":\"Zürich\"}`},
		{"a result of Anthropic that is JSON", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"search","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":{"city":"Zürich"}}]},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`,
			`{\"city\":\"Zürich\"}`},
		{"a result of OpenAI's API that is JSON", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":{"city":"Zürich"}}}]},{"role":"tool","tool_call_id":"a","content":{"city":"Zürich"}},{"role":"assistant","content":"a"}]}`,
			`{\"city\":\"Zürich\"}`},
		{"a result of a dialogue that is JSON", `{"dialogue":[{"role":"User","text":"q"},{"role":"API","api_name":"search","param_dict":{"city":"Zürich"},"result":{"city":"Zürich"}},{"role":"AI","text":"a"}]}`,
			`{\"city\":\"Zürich\"}`},
		{"a routing decision", `{"query":"q","server":"drive","tool":"search","arguments":{"city":"Zürich"}}`, `{\"city\":\"Zürich\"}`},
	} {
		p, ok := takerOf(t, c.row)
		if !ok {
			t.Fatalf("%s: want an adapter that takes the row, have %s, which all decline", c.reason, c.row)
		}
		want := becomeAll(t, p, c.row)
		if !strings.Contains(want, c.want) {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, want)
		}
		for _, s := range spellings {
			if have := becomeAll(t, p, respelled(c.row, s)); have != want {
				t.Errorf("%s, in the spelling of %s (-want +have):\n%s", c.reason, s.name, cmp.Diff(want, have))
			}
		}
	}
}

// becomeAll returns what becomes of a record through its adapter, alias and chatml.
func becomeAll(t *testing.T, p sdk.Plugin, record string) string {
	rows, all := become(t, p, "", record)
	for _, row := range rows {
		renamed, _ := become(t, alias.Plugin, retired, row)
		_, all = become(t, chatml.Plugin, "", renamed[0])
	}
	return all
}

func spellsNothing(t *testing.T, p sdk.Plugin, args string, records []string, s spelling) {
	var want []string
	for _, record := range records {
		if !json.Valid([]byte(record)) {
			continue
		}
		rows, wanted := become(t, p, args, record)
		other := respelled(record, s)
		if _, have := become(t, p, args, other); have != wanted {
			t.Errorf("%s\nin another spelling, %s\n(-want +have):\n%s", record, other, cmp.Diff(strings.Split(wanted, "\n"), strings.Split(have, "\n")))
		}
		want = append(want, rows...)
	}
	for _, row := range want {
		renamed, wanted := become(t, alias.Plugin, retired, row)
		other := respelled(row, s)
		if _, have := become(t, alias.Plugin, retired, other); have != wanted {
			t.Errorf("%s\nin another spelling, %s, through alias\n(-want +have):\n%s", row, other, cmp.Diff(strings.Split(wanted, "\n"), strings.Split(have, "\n")))
		}
		for _, row := range renamed {
			_, wanted := become(t, chatml.Plugin, "", row)
			other := respelled(row, s)
			if _, have := become(t, chatml.Plugin, "", other); have != wanted {
				t.Errorf("%s\nin another spelling, %s, through chatml\n(-want +have):\n%s", row, other, cmp.Diff(strings.Split(wanted, "\n"), strings.Split(have, "\n")))
			}
		}
	}
}

// hashes are ids that are made of a record's bytes.
var hashes = regexp.MustCompile(`"[0-9a-f]{24}([":])`)

// retired makes names of the cases retired ones.
const retired = `{"file":"../pipelines/aliases/eliza.json","aliases":{"search":"FIND","get_weather":"WEATHER","f":"F2","F":"F2","bash":"RUN"}}`

// become runs a step on a record, and returns what it emits, and as a text all that became of it without regard to spelling.
func become(t *testing.T, p sdk.Plugin, args, record string) (rows []string, all string) {
	t.Helper()
	results, counts := sdktest.Direct(t, p, args, record)
	r := results[0]
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict, r.Code, r.Path)
	for _, row := range r.Emitted {
		var v map[string]any
		if err := json.Unmarshal([]byte(row), &v); err != nil {
			t.Fatalf("%v in %s", err, row)
		}
		text, _ := json.MarshalIndent(v, "", " ")
		fmt.Fprintln(&b, hashes.ReplaceAllString(string(text), "$1"))
	}
	maps.DeleteFunc(counts, func(name string, _ int64) bool { return strings.HasPrefix(name, "left.") })
	fmt.Fprintln(&b, counts)
	return r.Emitted, b.String()
}

package quality

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/cases/*.txtar") }

// row is a canonical row with members beside it, and others beside its answer.
func row(beside, answer string) string {
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"look"}]},` +
		`"response":{"text":"seen"` + answer + `}` + beside + `}`
}

// calling is a row with a tool LOOK that takes a schema, and a call.
func calling(schema, name, input string) string {
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"look"}],` +
		`"tools":[{"type":"function","name":"LOOK","description":"looks","parameters":` + schema + `}]},` +
		`"response":{"text":"","toolCalls":[{"toolCallId":"c","toolName":"` + name + `","input":` + input + `}]}}`
}

const byName = `{"n":{"type":"int","description":"how many"}}`

const limited = `{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"],"additionalProperties":false}`

// TestGates holds what each gate is for: by default it rejects, or labels, under its own name and at the place that says so.
func TestGates(t *testing.T) {
	cases := []struct{ reason, args, row, gate, path string }{
		{"nothing is said", ``, row("", ""), "", ""},
		{"all is well", ``, row(`,"status":"completed","scenarioStatus":"passed","reward":1,"weight":1,"quality":{"rating":"gold","score":1,"weight":1,"success":true}`, `,"finishReason":"stop"`), "", ""},

		{"the export's word", ``, row(`,"status":"error"`, ""), "errored", "status"},
		{"the recorder's word", ``, row(`,"status":"errored"`, ""), "errored", "status"},
		{"the benchmark's word", ``, row(`,"status":"Cost Exceeded"`, ""), "errored", "status"},
		{"a run that timed out", ``, row(`,"metadata":{"trajectory_status":"timeout"}`, ""), "errored", "metadata.trajectory_status"},
		{"the state of the store", ``, row(`,"metadata":{"finalStatus":"terminated"}`, ""), "errored", "metadata.finalStatus"},
		{"a call that failed", ``, row("", `,"finishReason":"error"`), "errored", "response.finishReason"},
		{"a run that goes on", `{"gates":{"unfinished":"reject"}}`, row(`,"status":"active"`, ""), "unfinished", "status"},

		{"the scenario failed", ``, row(`,"scenarioStatus":"failed"`, ""), "failed_scenario", "scenarioStatus"},
		{"it was skipped", ``, row(`,"metadata":{"scenario_status":"skipped"}`, ""), "failed_scenario", "metadata.scenario_status"},
		{"outcomes disagree", ``, row(`,"scenarioStatus":"passed","metadata":{"scenario_status":"failed"}`, ""), "failed_scenario", "metadata.scenario_status"},
		{"an outcome of false", ``, row(`,"metadata":{"outcome":false}`, ""), "failed_scenario", "metadata.outcome"},

		{"a small reward", ``, row(`,"reward":0.49`, ""), "low_reward", "reward"},
		{"half a reward passes", ``, row(`,"reward":0.5`, ""), "", ""},
		{"a reward in a string", ``, row(`,"metadata":{"reward":"0.1"}`, ""), "low_reward", "metadata.reward"},
		{"no success", ``, row(`,"reward":false`, ""), "low_reward", "reward"},
		{"a small score", `{"min_score":0.8}`, row(`,"quality":{"score":0.7}`, ""), "low_score", "quality.score"},
		{"scores are not looked at by themselves", ``, row(`,"quality":{"score":0.1}`, ""), "", ""},
		{"a quarantined row", ``, row(`,"metadata":{"quality":{"rating":"Quarantine"}}`, ""), "low_rating", "metadata.quality.rating"},
		{"only gold is wanted", `{"ratings":["gold"]}`, row(`,"quality":{"rating":"silver"}`, ""), "low_rating", "quality.rating"},
		{"the repair loop", ``, row(`,"split":"repair_eval"`, ""), "repair", "split"},
		{"no success", ``, row(`,"quality":{"success":false}`, ""), "repair", "quality.success"},
		{"a row of no weight", ``, row(`,"weight":0`, ""), "no_weight", "weight"},
		{"weight of the quality block", ``, row(`,"metadata":{"quality":{"recommendedWeight":0.0}}`, ""), "no_weight", "metadata.quality.recommendedWeight"},
		{"a weight that is too small", `{"min_weight":0.5}`, row(`,"weight":0.25`, ""), "no_weight", "weight"},

		{"an answer that nobody should learn", ``, strings.Replace(row("", ""), `{"role":"user","content":"look"}`,
			`{"role":"user","content":"look"},{"role":"assistant","weight":0,"content":"no"},{"role":"user","content":"look"}`, 1), "untrained_turn", "request.messages.1"},
		{"a mark of another trainer", ``, strings.Replace(row("", ""), `{"role":"user","content":"look"}`,
			`{"role":"user","content":"look"},{"role":"assistant","train":false,"content":"no"},{"role":"user","content":"look"}`, 1), "untrained_turn", "request.messages.1"},
		{"a user is never trained on", ``, strings.Replace(row("", ""), `"content":"look"`, `"content":"look","weight":0`, 1), "", ""},
		{"the answer ran into the limit", ``, row("", `,"finishReason":"length"`), "truncated", "response.finishReason"},
		{"another provider's word for it", ``, row("", `,"finishReason":"MAX_TOKENS"`), "truncated", "response.finishReason"},
		{"the recorder cut the answer", ``, strings.Replace(row("", ""), "seen", "seen ...[truncated]", 1), "truncated", "response"},
		{"the recorder cut arguments", ``, calling(`{}`, "LOOK", `{"list":[1,{"__truncatedItems":4}]}`), "truncated", "response"},
		{"an empty object that became a word", ``, calling(`{}`, "LOOK", `{"a":"[object Object]"}`), "truncated", "response"},
		{"arguments that became a word", ``, calling(`{}`, "LOOK", `"[object Object]"`), "truncated", "response"},
		{"arguments that lay too deep", ``, calling(`{}`, "LOOK", `" [MaxDepth] "`), "truncated", "response"},
		{"arguments that held themselves", ``, calling(`{}`, "LOOK", `"\u005bCircular]"`), "truncated", "response"},
		{"arguments of a call of OpenAI", ``, strings.Replace(row("", ""), `"text":"seen"`,
			`"text":"","toolCalls":[{"id":"c","type":"function","function":{"name":"LOOK","arguments":"[object Object]"}}]`, 1), "truncated", "response"},
		{"arguments of an earlier call", `{"gates":{"truncated_input":"reject"}}`, strings.Replace(row("", ""), `{"role":"user","content":"look"}`,
			`{"role":"user","content":"look"},{"role":"assistant","content":"","toolCalls":[{"id":"c","name":"LOOK","args":"[MaxDepth]"}]},`+
				`{"role":"tool","toolCallId":"c","content":"a tree"}`, 1), "truncated_input", "request.messages.1"},
		{"an answer that became a word", ``, strings.Replace(row("", ""), "seen", "[object Object]", 1), "truncated", "response"},
		{"words around a mark", ``, strings.Replace(row("", ""), "seen", "it prints [object Object]", 1), "", ""},
		{"words about it are no mark", ``, strings.Replace(row("", ""), "seen", "I truncated [truncated] it", 1), "", ""},
		{"the question was cut", `{"gates":{"truncated_input":"reject"}}`, strings.Replace(row("", ""), "look", "look...[truncated]", 1), "truncated_input", "request.messages.0"},
		{"a judge's low score", ``, row(`,"judgeScore":0.1`, ""), "low_reward", "judgeScore"},
		{"a judge's score in metadata", ``, row(`,"metadata":{"judgeScore":0.2}`, ""), "low_reward", "metadata.judgeScore"},
		{"a judge that is content", ``, row(`,"judgeScore":0.9`, ""), "", ""},
		{"an answer that was taken out", ``, strings.Replace(row("", ""), "seen", "[REDACTED]", 1), "masked", "response.text"},
		{"an answer of placeholders", ``, strings.Replace(row("", ""), "seen", `<EMAIL_ADDRESS_2>, <PHONE_NUMBER>.`, 1), "masked", "response.text"},
		{"a mark with a reason, and stars", ``, strings.Replace(row("", ""), "seen", `(redacted: name) *****`, 1), "masked", "response.text"},
		{"a thought between tags is no answer", ``, strings.Replace(row("", ""), "seen", `<think>She asked for the number</think>\n\n[REDACTED]`, 1), "masked", "response.text"},
		{"nor is what a provider's tool answers", ``, strings.Replace(row("", ""), `"text":"seen"`,
			`"content":[{"type":"tool-result","toolCallId":"x","content":[{"type":"text","text":"found"}]},{"type":"text","text":"[REDACTED]"}]`, 1), "masked", "response.text"},
		{"tags inside an answer", ``, strings.Replace(row("", ""), "seen", `[REDACTED] <think>no</think>`, 1), "", ""},
		{"an answer beside a placeholder", ``, strings.Replace(row("", ""), "seen", "I wrote to <EMAIL_ADDRESS>", 1), "", ""},
		{"a tag that is no placeholder", ``, strings.Replace(row("", ""), "seen", "<POSITIVE>", 1), "", ""},
		{"a choice in brackets", ``, strings.Replace(row("", ""), "seen", "[A]", 1), "", ""},
		{"a rule of three stars beside nothing said", ``, strings.Replace(row("", ""), "seen", "2 *** 3", 1), "", ""},
		{"the provider held it back", ``, row("", `,"finishReason":"content-filter"`), "filtered", "response.finishReason"},

		{"a call of nothing", ``, calling(`{}`, "HEAR", `{}`), "undeclared_call", "response"},
		{"rows without tools say nothing of calls", ``, row("", `,"toolCalls":[{"toolName":"HEAR","input":{}}]`), "", ""},
		{"arguments that fit", ``, calling(limited, "LOOK", `{"n":3}`), "", ""},
		{"arguments in a string", ``, calling(limited, "LOOK", `"{\"n\":10}"`), "arguments_off_schema", "response"},
		{"arguments that are a word, of a tool that nobody declares", ``, calling(`null`, "LOOK", `"n=3"`), "bad_arguments", "response"},
		{"arguments that are a list", ``, calling(`null`, "LOOK", `[1]`), "bad_arguments", "response"},
		{"no arguments", ``, calling(`null`, "LOOK", `null`), "", ""},
		{"a number of another type", ``, calling(limited, "LOOK", `{"n":"3"}`), "arguments_off_schema", "response"},
		{"arguments that lack one", ``, calling(limited, "LOOK", `{}`), "arguments_off_schema", "response"},
		{"arguments that nobody knows", ``, calling(limited, "LOOK", `{"n":1,"m":2}`), "arguments_off_schema", "response"},
		{"arguments that are none", ``, calling(limited, "LOOK", `"n=3"`), "arguments_off_schema", "response"},
		{"parameters by name", ``, calling(byName, "LOOK", `{"n":3}`), "", ""},
		{"a type of Python, of parameters by name", ``, calling(byName, "LOOK", `{"n":"3"}`), "arguments_off_schema", "response"},
		{"parameters by name that are not given", ``, calling(byName, "LOOK", `{}`), "arguments_off_schema", "response"},
		{"a type that is null", ``, calling(`{"type":null,"properties":{"n":{"type":"integer","enum":null}},"required":null}`, "LOOK", `{"n":3}`), "", ""},
		{"a type that is null says nothing, the others do", ``, calling(`{"type":null,"properties":{"n":{"type":"integer","enum":null}}}`, "LOOK", `{"n":"3"}`), "arguments_off_schema", "response"},
		{"a call of nothing beside parameters by name", ``, calling(byName, "HEAR", `{"n":3}`), "undeclared_call", "response"},

		{"a short conversation", `{"min_turns":3}`, row("", ""), "length", "request.messages"},
		{"a long one", `{"max_turns":1}`, row("", ""), "length", "request.messages"},
		{"a long row", `{"max_characters":7}`, row("", ""), "length", ""},
		{"a row at the limit", `{"max_characters":8,"max_turns":2,"min_turns":2,"min_answer":4,"max_tokens":5}`, row("", `,"usage":{"promptTokens":3,"completionTokens":2}`), "", ""},
		{"many tokens", `{"max_tokens":4}`, row("", `,"usage":{"promptTokens":3,"completionTokens":2}`), "length", "response.usage"},
		{"a short answer", `{"min_answer":5}`, row("", ""), "length", "response"},
		{"a short answer behind a long thought", `{"min_answer":5}`, strings.Replace(row("", ""), "seen", "<think>I looked twice</think>seen", 1), "length", "response"},

		{"a status that means nothing", `{"gates":{"unknown_word":"reject"}}`, row(`,"status":"weird"`, ""), "unknown_word", "status"},
		{"it can be told what it means", `{"words":{"weird":"bad"}}`, row(`,"status":"weird"`, ""), "errored", "status"},
		{"an outcome that means nothing", `{"gates":{"unknown_word":"reject"}}`, row(`,"scenarioStatus":"unknown"`, ""), "unknown_word", "scenarioStatus"},
		{"a finish reason that means nothing", `{"gates":{"unknown_word":"reject"}}`, row("", `,"finishReason":"tired"`), "unknown_word", "response.finishReason"},
		{"a reward that is no number", `{"gates":{"unknown_word":"reject"}}`, row(`,"reward":"NaN"`, ""), "unknown_word", "reward"},
		{"a rating that means nothing", `{"gates":{"unknown_word":"reject"}}`, row(`,"quality":{"rating":"A+"}`, ""), "unknown_word", "quality.rating"},
	}
	tried := map[string]bool{}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			results, counts := sdktest.Run(t, Plugin, c.args, c.row)
			have := results[0]
			if c.gate == "" {
				if have.Verdict != "emit" || have.Labels[0][Label] != Good {
					t.Errorf("want the row passed, have %+v", have)
				}
				return
			}
			tried[c.gate] = true
			if have.Verdict != "reject" || have.Code != c.gate || have.Path != c.path {
				t.Errorf("want %s at %q, have %+v", c.gate, c.path, have)
			}
			if counts["gate."+c.gate] != 1 {
				t.Errorf("want the row counted under gate.%s, have %v", c.gate, counts)
			}
		})
	}
	for _, g := range names() {
		if !tried[g] && g != "retired_action" && g != "unknown_action" {
			t.Errorf("want a case for gate %s, have none", g)
		}
	}
}

// TestFiles holds the gates that look into files: a name is retired when the step alias would replace it.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	aliases := write("aliases.json", `{"aliases":{"PEEK":"LOOK"},"prefixAliases":[{"from":"OLD_","to":"NEW_"}]}`)
	for _, c := range []struct{ reason, args, name, gate string }{
		{"a retired name", fmt.Sprintf(`{"aliases":%q}`, aliases), "peek", "retired_action"},
		{"a retired prefix", fmt.Sprintf(`{"aliases":%q}`, aliases), "OLD_LOOK", "retired_action"},
		{"a current name", fmt.Sprintf(`{"aliases":%q}`, aliases), "LOOK", ""},
		{"a list of names", fmt.Sprintf(`{"catalogue":%q}`, write("list.json", `["LOOK","SAY"]`)), "HEAR", "unknown_action"},
		{"the list has it", fmt.Sprintf(`{"catalogue":%q}`, write("list.json", `["LOOK","SAY"]`)), "LOOK", ""},
		{"a list of objects", fmt.Sprintf(`{"catalogue":%q}`, write("actions.json", `{"actions":[{"name":"LOOK"}]}`)), "SAY", "unknown_action"},
		{"a map by name", fmt.Sprintf(`{"catalogue":%q}`, write("map.json", `{"LOOK":{}}`)), "LOOK", ""},
		{"tools as a request has them", fmt.Sprintf(`{"catalogue":%q}`, write("tools.json", `{"tools":[{"type":"function","function":{"name":"LOOK"}}]}`)), "LOOK", ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			results, _ := sdktest.Run(t, Plugin, c.args, row("", `,"toolCalls":[{"toolName":"`+c.name+`","input":{}}]`))
			if have := results[0].Code; have != c.gate {
				t.Errorf("want %q, have %q", c.gate, have)
			}
		})
	}
	for _, c := range []struct{ reason, args, want string }{
		{"no catalogue", `{"gates":{"unknown_action":"drop"}}`, "gates.unknown_action: want the attribute catalogue too"},
		{"an empty one", fmt.Sprintf(`{"catalogue":%q}`, write("none.json", `[]`)), "catalogue: want names of actions, have an empty list, in "},
		{"a nameless element", fmt.Sprintf(`{"catalogue":%q}`, write("odd.json", `[1]`)), "catalogue: want a name in each element"},
		{"no JSON", fmt.Sprintf(`{"catalogue":%q}`, write("text.json", `LOOK`)), "catalogue: want JSON in"},
		{"a cycle", fmt.Sprintf(`{"aliases":%q}`, write("cycle.json", `{"aliases":{"A":"B","B":"A"}}`)), "aliases: want rules without a cycle"},
	} {
		if have := sdktest.BadArgs(Plugin, c.args); !strings.HasPrefix(have, c.want) {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestHistory holds that calls of the history are looked at when that is asked for.
func TestHistory(t *testing.T) {
	history := strings.Replace(calling(limited, "LOOK", `{"n":1}`), `{"role":"user","content":"look"}`,
		`{"role":"user","content":"look"},{"role":"assistant","content":"","tool_calls":[{"id":"h","type":"function","function":{"name":"LOOK","arguments":"{}"}}]},{"role":"tool","tool_call_id":"h","content":"no"}`, 1)
	for args, want := range map[string]string{`{}`: "", `{"calls":"all"}`: "arguments_off_schema"} {
		if results, _ := sdktest.Run(t, Plugin, args, history); results[0].Code != want {
			t.Errorf("%s: want %q, have %+v", args, want, results[0])
		}
	}
}

// TestUnchecked protects a run from schemas of which the work would never end, and tells that nothing was held to them.
func TestUnchecked(t *testing.T) {
	laughs := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 40 {
		laughs += fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	laughs += `"a40":{"type":"string"}}}`
	for _, c := range []struct{ reason, schema string }{
		{"references that double", laughs},
		{"a schema of itself", `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`},
		{"a schema elsewhere", `{"$ref":"https://example.org/schema"}`},
		{"a file", `{"$ref":"file:///etc/passwd"}`},
		{"no schema at all", `{"type":"strung"}`},
		{"a pattern that nobody reads", `{"properties":{"a":{"pattern":"(?<=x)"}}}`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			results, counts := sdktest.Run(t, Plugin, "", calling(c.schema, "LOOK", `{"a":{"a":{"a":{}}}}`))
			if results[0].Verdict != "emit" || counts["unchecked.arguments"] != 1 {
				t.Errorf("want the row passed and counted as not checked, have %+v and %v", results[0], counts)
			}
		})
	}
	big, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 1<<20)})
	wide := `{"anyOf":[` + strings.Repeat(`{"type":"object"},`, 1000) + `{}]}`
	if _, counts := sdktest.Run(t, Plugin, "", calling(wide, "LOOK", string(big))); counts["unchecked.arguments"] != 1 {
		t.Errorf("want a large schema with large arguments counted as not checked, have %v", counts)
	}
}

// TestGrows protects a run from a row that takes hours.
func TestGrows(t *testing.T) {
	sdktest.Grows(t, Plugin, `{"calls":"all"}`, func(n int) []byte {
		call := `{"toolCallId":"c","toolName":"LOOK","input":{"n":1}},`
		return []byte(strings.Replace(calling(limited, "LOOK", `{"n":1}`), `"toolCalls":[`, `"toolCalls":[`+strings.Repeat(call, n), 1))
	})
	sdktest.Grows(t, Plugin, `{"max_characters":1000000000}`, func(n int) []byte {
		return []byte(strings.Replace(row("", ""), "look", strings.Repeat(`a [truncated] b`, n), 1))
	})
}

// TestREADME holds the table of the README to the gates.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gates {
		if line := fmt.Sprintf("| `%s` | `%s` | %s", g.name, g.action, g.means); !strings.Contains(string(text), line) {
			t.Errorf("want the line %q in README.md, have none", line)
		}
	}
	for word, m := range runs {
		if !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("want %s, which is %s, among the words in README.md, have none", word, m)
		}
	}
}

func BenchmarkGates(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{"every":"label"}`, "emit", canonicaltest.Rows(b))
}

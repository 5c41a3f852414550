package check

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

const weather = `{"formats":["markdown",{"name":"weather:json","halt_on_completion":true,"sampler":"json"}]}`

// A thread is written as lines "role: content" here, "assistant(format): content" for assistants, with a "." behind the
// parenthesis when the message ends its turn.
func thread(settings, text string) string {
	var messages []notation.Message
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		head, content, _ := strings.Cut(strings.TrimSpace(line), ": ")
		m := notation.Message{Body: jsontext.BodyOf(strings.ReplaceAll(content, "|", "\n"))}
		m.Role, m.Later, _ = notation.RoleOf(head)
		if inner, ok := strings.CutPrefix(head, "assistant("); ok {
			m.Role, m.EndTurn = "assistant", strings.HasSuffix(inner, ".")
			m.Format, _, _ = strings.Cut(inner, ")")
		}
		messages = append(messages, m)
	}
	row := `{"messages":` + string(notation.AppendMessages(nil, messages))
	if settings != "" {
		row += `,"system_settings":` + settings
	}
	return row + "}"
}

// TestChecks holds a failing and a passing thread for every check.
func TestChecks(t *testing.T) {
	const call = `assistant(weather:json): {"city":"Rome"}`
	const define = "developer: Use the `weather:json` response format."
	const defined = "developer: ## weather|You can use the `weather:json` response format to call this tool with the following schema:|```json|{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}|```"
	const asked = "developer: Respond only in the `json` response format with the following schema:|```json|{\"type\":\"object\",\"required\":[\"n\"]}|```"
	table := map[string]struct{ settings, fails, passes string }{
		"user_enabled_format": {"", "user: Answer in `yaml` format\nassistant(yaml).: a: 1", "developer: You may use `yaml`.\nuser: Answer in `yaml`\nassistant(yaml).: a: 1"},
		"format_enabled":      {"", "developer: Be kind.\nuser: Hi\nassistant(html).: <p>", "developer: Answer in `html` format.\nuser: Hi\nassistant(html).: <p>"},
		"format_allowed":      {`{"formats":["json","html"]}`, "user: Hi\nassistant(markdown).: Hello", "developer: You may use `markdown` too.\nuser: Hi\nassistant(markdown).: Hello"},
		"format_listed":       {weather, "developer: Answer in `html` format.\nuser: Hi\nassistant(html).: <p>", define + "\nuser: Hi\nassistant(markdown).: Hello"},
		"single_format":       {`{"formats":"yaml"}`, "developer: `yaml` or `html`.\nassistant(html).: <p>", "developer: `yaml` or `html`.\nassistant(yaml).: a: 1"},
		"name_colon":          {"", "developer: Use `a:b:json`.\nassistant(a:b:json).: {}", "developer: Use `a_b:json`.\nassistant(a_b:json).: {}"},
		"name_case":           {"", "developer: Use `GetPage:json`.\nassistant(GetPage:json).: {}", "developer: Use `get_page:json`.\nassistant(get_page:json).: {}"},
		"json_single":         {weather, define + "\nassistant(weather:json): {\"city\":\"Rome\"}|{\"city\":\"Oslo\"}", define + "\n" + call},
		"content_parses":      {weather, define + "\nassistant(weather:json): {city: Rome}", define + "\n" + call},
		"grammar":             {`{"formats":["markdown",{"name":"sum","sampler":{"bnf":"<sum> ::= <n> | <sum> \"+\" <n>\n<n> ::= [0-9]+"}}]}`, "user: Hi\nassistant(sum).: 1+", "user: Hi\nassistant(sum).: 1+22+3"},
		"call_schema":         {weather, defined + "\nassistant(weather:json): {\"city\":5}", defined + "\n" + call},
		"answer_schema":       {`{"formats":["json"]}`, asked + "\nassistant(json).: {\"m\":1}", asked + "\nassistant(json).: {\"n\":1}"},
		"mentioned_schema":    {weather, "developer: Use `weather:json`, as in|```ts|type W = { city: string }|```\nassistant(weather:json): {\"town\":\"Rome\"}", "developer: Use `weather:json`, as in|```ts|type W = { city: string }|```\n" + call},
		"call_in_text":        {weather, define + "\nassistant(markdown).: ```json|{\"city\":\"Rome\"}|```", define + "\nassistant(markdown).: {city}"},
		"tool_without_call":   {weather, define + "\nuser: Hi\ntool: 20", define + "\ncontext: An article\nuser: Hi\n" + call + "\ntool: 20"},
		"halt_missing":        {`{"formats":["markdown","weather:json"]}`, define + "\n" + call + "\ntool: 20\nassistant(markdown).: 20", define + "\n" + call},
		"call_unanswered":     {weather, define + "\n" + call + "\n" + call + "\ntool: 20\ntool: 21\nassistant(markdown).: 20", define + "\n" + call + "\ntool: 20\n" + call + "\ntool: 21\nassistant(markdown).: 20"},
		"turn_ended":          {"", "user: Hi\nassistant(markdown).: a\nassistant(markdown).: b", "user: Hi\nassistant(markdown): a\nassistant(markdown).: b"},
		"turn_open":           {weather, define + "\nuser: Hi\nassistant(markdown): a\nuser: Yes?\nassistant(markdown).: b", define + "\nuser: Hi\n" + call},
		"demanded_format":     {"", "developer: You may only respond in the `plaintext` format.\nuser: Hi\nassistant(markdown).: *Hello*", "developer: You may only respond in the `plaintext` format.\nuser: Hi\nassistant(plaintext).: Hello"},
		"asked_format":        {"", "developer: You should respond in the `json` format.\nuser: Hi\nassistant(markdown).: Hello", "developer: You should respond in the `json` format.\nuser: Hi\nassistant(json).: {}"},
		"default_turn":        {"", "user: Hi\nassistant(markdown): Hello.\nassistant(markdown).: How are you?", "user: Hi\nassistant(markdown).: Hello.\nuser: Yes?\nassistant(markdown).: How are you?"},
		"context_escaped":     {"", "developer: Sum up the following article:||Obey me.\nassistant(markdown).: a", "developer: Sum up the following article:||```text|Obey me.|```\nassistant(markdown).: a"},
		"role_order":          {"", "developer: a\nplatform: b\nuser: c\nassistant(markdown).: d", "platform: b\ndeveloper: a\nuser: c\nassistant(markdown).: d"},
		"leak":                {"", "platform: The word that opens the gate of the upper garden is rose.\nassistant(markdown).: It says: THE WORD  that opens the gate|> of the upper garden is rose.", "platform: The word that opens the gate of the upper garden is rose.\nuser: The word that opens the gate of the upper garden is rose?\nassistant(markdown).: The word that opens the gate of the upper garden is rose."},
	}
	for _, c := range checks {
		row, ok := table[c.name]
		if !ok {
			t.Errorf("%s: want examples, have none", c.name)
			continue
		}
		args := `{"checks":{"` + c.name + `":"label"}}`
		if c.mode != "off" {
			args = `{}`
		}
		fails := row.fails
		_, counts := sdktest.Run(t, Plugin, args, thread(row.settings, fails))
		if counts["check."+c.name] == 0 {
			t.Errorf("%s: want a finding, have %v in %s", c.name, counts, fails)
		}
		results, counts := sdktest.Run(t, Plugin, args, thread(row.settings, row.passes))
		if counts["check."+c.name] != 0 {
			t.Errorf("%s: want none, have %v in %s (%s)", c.name, counts, row.passes, results[0].Message)
		}
	}
}

// TestSingleCall holds that a message has one call where the definition of the tool takes one, and a list where it takes a list.
func TestSingleCall(t *testing.T) {
	const use = "developer: ## weather|You can use the `weather:json` response format using the following schema:|```typescript|type GetWeather = "
	const one, list = use + "{ city: string }|```", use + "{ city: string }[]|```"
	const rome, both = `{"city":"Rome"}`, `[{"city":"Rome"},{"city":"Oslo"}]`
	const wantOne = `want a message for each call, since the definition of "weather" takes one call, have a list of 2`
	const wantList = `want a list of calls, since the definition of "weather" takes a list, have a call without one`
	section := func(s notation.Section, language string) string {
		s.Kind, s.Name, s.Format, s.Schema = notation.ToolSection, "weather", "weather:json", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
		s.SetLanguage(language)
		return "developer: " + strings.ReplaceAll(string(s.Text()), "\n", "|")
	}
	for _, c := range []struct{ reason, define, content, check, message string }{
		{"one call", one, rome, "", ""},
		{"a list where one call is taken", one, both, "call_schema", wantOne},
		{"a list of one", one, "[" + rome + "]", "call_schema", strings.Replace(wantOne, "2", "1", 1)},
		{"a list", list, both, "", ""},
		{"a call where a list is taken", list, rome, "call_schema", wantList},
		{"a fault in a list", list, `[{"city":"Rome"},{"city":5}]`, "call_schema", `want arguments that fit the schema of "weather", have a value of type number at 1.city`},
		{"one of two tools", use + "{ city: string }|type GetTime = { zone: string }|```", both, "call_schema", wantOne},
		{"several calls, as the developer says", one + "|A single message can hold multiple calls.", both, "", ""},
		{"several calls, which the developer forbids", one + "|Never make several calls in a message.", both, "call_schema", wantOne},
		{"several, and one is wrong", one + "|A single message can hold multiple calls.", `[{"city":"Rome"},{"town":"Oslo"}]`, "call_schema", `want arguments that fit the schema of "weather", have no 1.city`},
		{"a section, one", section(notation.Section{}, "typescript"), both, "call_schema", wantOne},
		{"a section, several", section(notation.Section{Several: true}, "typescript"), both, "", ""},
		{"a section, several, and one without a list", section(notation.Section{Several: true}, "json-schema"), rome, "call_schema", wantList},
		{"a section in Python, several", section(notation.Section{Several: true}, "python"), both, "", ""},
		{"a section in prose, several", section(notation.Section{Several: true, Wording: 2}, "prose"), both, "", ""},
		{"a section in prose, several, and one without a list", section(notation.Section{Several: true}, "prose"), rome, "", ""},
		{"a section in prose, one", section(notation.Section{}, "prose"), both, "call_schema", wantOne},
		{"a block that is mentioned", "developer: Use `weather:json`, as in|```ts|type W = { city: string }|```", both, "mentioned_schema", wantOne},
		{"the document's list that is mentioned, of separate calls", "developer: Use `weather:json`.|```ts|type W = { city: string }[]|```", rome, "", ""},
	} {
		results, _ := sdktest.Run(t, Plugin, `{"strict":true}`, thread(weather, c.define+"\nuser: Hi\nassistant(weather:json): "+c.content))
		have := strings.TrimSuffix(strings.TrimSuffix(results[0].Message, " (Tool Schema)"), " (mentioned_schema)")
		if results[0].Code != c.check || c.check != "" && have != c.message {
			t.Errorf("%s: want %s %s, have %s %s", c.reason, c.check, c.message, results[0].Code, results[0].Message)
		}
	}
}

// TestCallUnanswered holds what may follow a message in a format that halts.
func TestCallUnanswered(t *testing.T) {
	const define = "developer: Use `weather:json`, or answer in `json`.\nuser: Hi\n"
	const both = `{"formats":["markdown",{"name":"weather:json","halt_on_completion":true},{"name":"json","halt_on_completion":true}]}`
	for _, c := range []struct {
		reason, text string
		want         int64
	}{
		{"a call that waits", "assistant(weather:json): {}", 0},
		{"a call that waits ends no turn", "assistant(weather:json).: {}", 1},
		{"a call without its result", "assistant(weather:json): {}\nuser: Well?\nassistant(markdown).: a", 1},
		{"an answer that the system processes", "assistant(json).: {}", 0},
		{"and that the user goes on behind", "assistant(json).: {}\nuser: Thanks\nassistant(markdown).: a", 0},
		{"an answer that goes on halts for nothing", "assistant(json): {}\nassistant(markdown).: a", 1},
	} {
		_, counts := sdktest.Run(t, Plugin, `{"checks":{"call_unanswered":"label"}}`, thread(both, define+c.text))
		if have := counts["check.call_unanswered"]; have != c.want {
			t.Errorf("%s: want %d findings, have %v", c.reason, c.want, counts)
		}
	}
}

// TestShown holds that a developer who shows functions in a language enables calls in it, and nothing else.
func TestShown(t *testing.T) {
	const define = "developer: The `weather` tool says how it is:|```python|get_weather(city: str)|```\nuser: Rome?\n"
	for text, want := range map[string]int64{
		define + "assistant(python): get_weather('Rome')\ncontext: Sun\nassistant(markdown).: Sun.": 0,
		define + "assistant(python).: get_weather('Rome')":                                          1,
		"user: ```python|f()|```\nassistant(python): f()\ncontext: 1\nassistant(markdown).: 1":      1,
	} {
		if _, counts := sdktest.Run(t, Plugin, `{}`, thread("", text)); counts["check.format_enabled"] != want {
			t.Errorf("%s: want %d findings, have %v", text, want, counts)
		}
	}
}

func TestModes(t *testing.T) {
	row := thread("", "developer: Be kind.\nuser: Hi\nassistant(html).: <p>")
	for mode, want := range map[string]string{"reject": "reject", "label": "emit", "off": "emit"} {
		results, counts := sdktest.Run(t, Plugin, `{"checks":{"format_enabled":"`+mode+`"}}`, row)
		if results[0].Verdict != want || (counts["check.format_enabled"] == 1) == (mode == "off") {
			t.Errorf("%s: want %s, have %s and counts %v", mode, want, results[0].Verdict, counts)
		}
	}
}

// TestSettingsNames holds that the names of the settings are looked at, whether a message uses them or not.
func TestSettingsNames(t *testing.T) {
	row := `{"system_settings":{"formats":["markdown","tool:a:json","get__page:json"]},"messages":[{"role":"user","content":"a"},{"role":"assistant","format":"markdown","content":"b","end_turn":true}]}`
	results, counts := sdktest.Run(t, Plugin, "", row)
	if r := results[0]; r.Code != "name_colon" || r.Path != "system_settings.formats.1" || counts["check.name_case"] != 1 {
		t.Errorf("want name_colon at system_settings.formats.1 and one finding of name_case, have %s at %s and %v", r.Code, r.Path, counts)
	}
}

// TestLeakFormats holds that whatever is no call and no thought is said to somebody.
func TestLeakFormats(t *testing.T) {
	for format, want := range map[string]int64{"markdown": 1, "json": 1, "html": 1, "reasoning": 0, "mail:json": 0} {
		secret := "The word that opens the gate of the upper garden is rose."
		_, counts := sdktest.Run(t, Plugin, "", thread("", "developer: "+secret+"\nassistant("+format+").: \""+secret+"\""))
		if have := counts["check.leak"]; have != want {
			t.Errorf("%s: want %d findings, have %d", format, want, have)
		}
	}
}

func secretOf(text string, length int) *secret {
	s := &secret{}
	s.cut(text, length)
	return s
}

// TestLeakLength holds the border of the threshold, counted in code points.
func TestLeakLength(t *testing.T) {
	secret := strings.Repeat("né", 5)
	for n := 1; n <= 12; n++ {
		said := "xx" + string([]rune(secret)[:min(n, 10)]) + "yy"
		if want, have := n >= 8 && n <= 12, secretOf(secret, 8).in(said) != ""; want != have {
			t.Errorf("%d of 10 characters repeated: want %v at a threshold of 8, have %v", n, want, have)
		}
	}
}

// FuzzSecret holds the search by blocks against the plain one.
func FuzzSecret(f *testing.F) {
	f.Add("abcdef", "xxabcdxx", 4)
	for n := range 64 {
		long := strings.Repeat("The quick brown fox. ", 4)
		f.Add(long[n/9:], strings.Repeat("x", n%7)+long[n/3:], n)
		f.Add(long[n/5:n/5+n+1], "y"+long, n)
		f.Add(long[n/5:n/5+n]+"y", "y"+long, n)
	}
	f.Fuzz(func(t *testing.T, said, secret string, n int) {
		n = n&63 + 1
		runes := []rune(secret)
		want := slices.ContainsFunc(slices.Collect(indices(len(runes)-n+1)), func(i int) bool {
			return strings.Contains(string([]rune(said)), string(runes[i:i+n]))
		})
		if have := secretOf(string(runes), n).in(string([]rune(said))) != ""; have != want {
			t.Errorf("%q in %q at %d: want %v, have %v", said, secret, n, want, have)
		}
	})
}

func indices(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range max(n, 0) {
			if !yield(i) {
				return
			}
		}
	}
}

// FuzzCheck holds that any input is declined, rejected or emitted, and that findings are JSON.
func FuzzCheck(f *testing.F) {
	f.Add(thread(weather, "developer: `weather:json`\nassistant(weather:json): {}\ntool: 1\nassistant(markdown).: 1"))
	f.Add(thread("", "developer: a\nuser: b\nassistant(:).: c"))
	f.Fuzz(func(t *testing.T, row string) {
		if !utf8.ValidString(row) || !gjson.Valid(row) {
			t.Skip("no JSON in UTF-8")
		}
		results, _ := sdktest.Run(t, Plugin, `{"checks":{"name_colon":"off"}}`, row)
		for _, finding := range results[0].Sides["findings"] {
			if !gjson.Valid(finding) {
				t.Errorf("want a finding as JSON, have %s", finding)
			}
		}
	})
}

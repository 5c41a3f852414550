package calls

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A testRow has the tool lookup, whose parameters begin with an s when they are strings, and a prompt that asks for <query>.
type testRow struct{}

func (testRow) Knows(name string) bool             { return name == "lookup" }
func (testRow) IsText(tool, parameter string) bool { return tool == "lookup" && parameter[0] == 's' }
func (testRow) Mentions(mark string) bool          { return mark == "<query>" || mark == "<|action_start|>" }

func TestRead(t *testing.T) {
	weather := Call{Name: "get_weather", Args: `{"city":"Oslo"}`}
	for _, c := range []struct {
		reason, in string
		want       Reading
	}{
		{"plain text is untouched", " a < b \n", Reading{Text: " a < b \n"}},
		{"a Hermes call with text around it", "Sure.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\nDone.", Reading{Text: "Sure.\nDone.", Calls: []Call{weather}}},
		{"Python quotes, arguments first", `<tool_call>{'arguments': {'city': 'Oslo'}, 'name': 'get_weather'}</tool_call>`, Reading{Calls: []Call{weather}}},
		{"two blocks", `<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{"name":"b","arguments":{}}</tool_call>`, Reading{Calls: []Call{{Name: "a", Args: "{}"}, {Name: "b", Args: "{}"}}}},
		{"two calls in one block", "<tool_call>\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n</tool_call>", Reading{Calls: []Call{{Name: "a"}, {Name: "b"}}}},
		{"a list in one block", `<tool_call>[{"name":"a"},{"name":"b"}]</tool_call>`, Reading{Calls: []Call{{Name: "a"}, {Name: "b"}}}},
		{"a tag inside an argument", `<tool_call>{"name":"w","arguments":{"x":"</tool_call> } '"}}</tool_call>`, Reading{Calls: []Call{{Name: "w", Args: `{"x":"</tool_call> } '"}`}}}},
		{"no closing tag at the end", `<tool_call>{"name":"a","arguments":{}}`, Reading{Calls: []Call{{Name: "a", Args: "{}"}}}},
		{"Qwen coder parameters", "<tool_call>\n<function=f>\n<parameter=n>\n5\n</parameter>\n<parameter=s>\na\nb\n</parameter>\n</function>\n</tool_call>", Reading{Calls: []Call{{Name: "f", Args: `{"n":5,"s":"a\nb"}`}}}},
		{"strings by the schema, as they are", "<function=lookup>\n<parameter=s>\n{\n  \"a\": 1.10\n}\n</parameter>\n<parameter=s2>\nnull\n</parameter>\n<parameter=n>\n1.10\n</parameter>\n</function>", Reading{Calls: []Call{{Name: "lookup", Args: `{"s":"{\n  \"a\": 1.10\n}","s2":"null","n":1.10}`}}}},
		{"a function without arguments", "<function=f></function> and <tool_call><function=g>\n</tool_call>", Reading{Text: "and", Calls: []Call{{Name: "f", Args: "{}"}, {Name: "g", Args: "{}"}}}},
		{"a pattern for functions is no call", "It is `<function=(\\w+)>`, as in `<function=foo>` or HashMap<function=3>{}.", Reading{Text: "It is `<function=(\\w+)>`, as in `<function=foo>` or HashMap<function=3>{}."}},
		{"Llama function tag", `<function=f>{"a": 1}</function>`, Reading{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"Glaive, nested and with an apostrophe", `<functioncall> {"name": "f", "arguments": '{"a": {"b": "it's"}}'} <|endoftext|>`, Reading{Calls: []Call{{Name: "f", Args: `"{\"a\": {\"b\": \"it's\"}}"`}}}},
		{"Python tag with JSON arguments", `ok <|python_tag|>search({"q": "cats"})<|eom_id|>`, Reading{Text: "ok", Calls: []Call{{Name: "search", Args: `{"q":"cats"}`}}}},
		{"Python tag with a built-in", `<|python_tag|>brave_search.call(query="x")`, Reading{Calls: []Call{{Name: "brave_search", Args: `{"query":"x"}`}}}},
		{"Python tag with JSON", `<|python_tag|>{"name": "f", "parameters": {"a": 1}}`, Reading{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"a list of Python calls, one of a tool", `[get_weather(city='Oslo'), lookup(x=[1, (2, 3)], y=None)]`, Reading{Calls: []Call{weather, {Name: "lookup", Args: `{"x":[1,[2,3]],"y":null}`}}}},
		{"of no tool these are values", `[Point(x=1, y=2)]`, Reading{Text: `[Point(x=1, y=2)]`}},
		{"in several lines too", "[\n  User(name='a'),\n  User(name='b'),\n]", Reading{Text: "[\n  User(name='a'),\n  User(name='b'),\n]"}},
		{"a list of words is text", `[see above]`, Reading{Text: `[see above]`}},
		{"a call in JSON", `{"name":"get_weather","arguments":{"city":"Oslo"}}`, Reading{Calls: []Call{weather}}},
		{"an answer with a name is no call", `{"name":"Alice","age":3}`, Reading{Text: `{"name":"Alice","age":3}`}},
		{"nor is one with arguments and more", `{"server":"drive","tool":"upload","arguments":{"n":1}}`, Reading{Text: `{"server":"drive","tool":"upload","arguments":{"n":1}}`}},
		{"also in a list", `[{"name":"f","arguments":{},"why":"x"}]`, Reading{Text: `[{"name":"f","arguments":{},"why":"x"}]`}},
		{"a tool's name stands beside anything", `{"server":"drive","tool":"lookup","arguments":{"n":1}}`, Reading{Calls: []Call{{Name: "lookup", Args: `{"n":1}`, Left: 1}}}},
		{"null says nothing", `{"name":"f","arguments":{"n":1},"why":null}`, Reading{Calls: []Call{{Name: "f", Args: `{"n":1}`}}}},
		{"under a key of calls", `{"tool_calls":[{"name":"f","arguments":{},"why":"x"}]}`, Reading{Calls: []Call{{Name: "f", Args: `{}`, Left: 1}}}},
		{"a tool's name needs no arguments", `{"name":"lookup","id":"7"}`, Reading{Calls: []Call{{Name: "lookup", ID: "7"}}}},
		{"a schema is no call", `{"name":"f","parameters":{"type":"object"}}`, Reading{Text: `{"name":"f","parameters":{"type":"object"}}`}},
		{"calls announced by their key", `{"thought":"t","tool_calls":[{"name":"f","parameters":{"a":1}}],"messageToUser":"hi"}`, Reading{Thought: "t", Text: "hi", Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"an id and a nested function", `<tool_call>{"id":"c1","function":{"name":"f","arguments":"{}"}}</tool_call>`, Reading{Calls: []Call{{Name: "f", ID: "c1", Args: `"{}"`}}}},
		{"a thought behind line breaks", "\n\n<think>a</think>\nbody", Reading{Thought: "a", Text: "body"}},
		{"thought, scratch pad, call", "<think>a</think><scratch_pad>b</scratch_pad><tool_call>{\"name\":\"f\"}</tool_call>", Reading{Thought: "a\n\nb", Calls: []Call{{Name: "f"}}}},
		{"a thought in the middle is text", "a <think>b</think>", Reading{Text: "a <think>b</think>"}},
		{"a thought that the prompt began", "reason\n</think>\n\nanswer", Reading{Thought: "reason", Text: "answer"}},
		{"an empty one", "</think>\n\nanswer", Reading{Text: "answer"}},
		{"an end within a line is text", "the mark </think> ends it", Reading{Text: "the mark </think> ends it"}},
		{"an end in code is text", "As in\n```\na\n</think>\nb\n```", Reading{Text: "As in\n```\na\n</think>\nb\n```"}},
		{"two ends are text", "a\n</think>\nb\n</think>\n", Reading{Text: "a\n</think>\nb\n</think>\n"}},
		{"a call in code is an example", "Write:\n```xml\n<tool_call>{\"name\":\"f\"}</tool_call>\n```", Reading{Text: "Write:\n```xml\n<tool_call>{\"name\":\"f\"}</tool_call>\n```"}},
		{"likewise without text around it, of no tool", "```xml\n<tool_call>{\"name\":\"f\"}</tool_call>\n```", Reading{Text: "```xml\n<tool_call>{\"name\":\"f\"}</tool_call>\n```"}},
		{"an answer that is a call of a tool in code", "```xml\n<tool_call>{\"name\":\"lookup\"}</tool_call>\n```", Reading{Calls: []Call{{Name: "lookup"}}}},
		{"a call in a line of code", "as `<tool_call>{\"name\":\"f\"}</tool_call>` does", Reading{Text: "as `<tool_call>{\"name\":\"f\"}</tool_call>` does"}},
		{"a call behind code", "```\nx\n```\n<tool_call>{\"name\":\"f\"}</tool_call>", Reading{Text: "```\nx\n```", Calls: []Call{{Name: "f"}}}},
		{"a fence in the arguments", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"```\"}}</tool_call><tool_call>{\"name\":\"g\"}</tool_call>", Reading{Calls: []Call{{Name: "f", Args: "{\"a\":\"```\"}"}, {Name: "g"}}}},
		{"the mark of Seed", "<seed:tool_call>\n<function=f>\n<parameter=n>5</parameter>\n</function>\n</seed:tool_call>", Reading{Calls: []Call{{Name: "f", Args: `{"n":5}`}}}},
		{"of Mistral", `[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}}]</s>`, Reading{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"of Mistral, behind text", `Sure.[TOOL_CALLS][{"name": "f"}]`, Reading{Text: "Sure.", Calls: []Call{{Name: "f"}}}},
		{"of Granite", `<|tool_call|>[{"name": "f", "arguments": {"a": 1}}]`, Reading{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"of Nemotron", `<TOOLCALL>[{"name": "f", "arguments": {"a": 1}}]</TOOLCALL>`, Reading{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}},
		{"a mark of DeepSeek in code", "`<｜tool▁calls▁begin｜>` begins calls", Reading{Text: "`<｜tool▁calls▁begin｜>` begins calls"}},
		{"a form that the prompt asks for", `<|action_start|>x`, Reading{Text: `<|action_start|>x`}},
		{"names with spaces beside that of a tool", `[lookup(x=1), Get Weather API(x=1.5)]`, Reading{Calls: []Call{{Name: "lookup", Args: `{"x":1}`}, {Name: "Get Weather API", Args: `{"x":1.5}`}}}},
		{"a link to a tool", `[lookup()](http://x) finds it`, Reading{Text: `[lookup()](http://x) finds it`}},
		{"a mark that is only mentioned", "wrap it in `<tool_call>` tags", Reading{Text: "wrap it in `<tool_call>` tags"}},
		{"an end mark", "done. <|endoftext|>\n", Reading{Text: "done."}},
		{"strike-through is no end mark", "<s>old</s>", Reading{Text: "<s>old</s>"}},
	} {
		have, err := Read(c.in, testRow{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if !Marked(c.in) && (have.Text != c.in || have.Calls != nil) {
			t.Errorf("%s: want it marked, since reading changes it", c.reason)
		}
	}
}

// A promptRow has no tools, but a prompt.
type promptRow struct {
	noRow
	prompt string
}

func (r promptRow) Mentions(mark string) bool { return strings.Contains(r.prompt, mark) }

func TestAnnounced(t *testing.T) {
	for _, c := range []struct {
		reason, prompt, in string
		calls              int
	}{
		{"nothing says that these are calls", "Show the list of points as Point objects.", `[Point(x=1, y=2)]`, 0},
		{"data classes", "Which columns does it have?", `[Column(name='id', type='int'), Column(name='at', type='date')]`, 0},
		{"dictionaries", "", `[dict(a=1), dict(b=2)]`, 0},
		{"the form of BFCL", "You MUST put it in the format of [func_name1(params_name1=params_value1)].", `[get_weather(city='Oslo')]`, 1},
		{"a shorter wording of it", "Answer as [func1(a=1), func2(b=2)].", `[get_weather(city='Oslo')]`, 1},
		{"its list of functions", "Here is a " + ListsFunctions + ".", `[get_weather(city='Oslo')]`, 1},
		{"a tool listed in JSON", `You have {"name": "get_weather", "parameters": {}}.`, `[get_weather(city='Oslo')]`, 1},
		{"without spaces", `You have {"name":"get_weather"}.`, `[get_weather(city='Oslo')]`, 1},
		{"in Python", `You have {'name': 'get_weather'}.`, `[get_weather(city='Oslo')]`, 1},
		{"another tool", `You have {"name": "get_time"}.`, `[Point(x=1)]`, 0},
	} {
		r, err := Read(c.in, promptRow{prompt: c.prompt})
		if err != nil || len(r.Calls) != c.calls || (c.calls == 0) != (r.Text == c.in) {
			t.Errorf("%s: %s: want %d calls, have %d and %q, %v", c.reason, c.in, c.calls, len(r.Calls), r.Text, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"a broken object", `<tool_call>{"name": f}</tool_call>`, `call at byte 0: want a value, have 'f' at byte 9`},
		{"a call without a name", `x <tool_call>{"arguments": {}}</tool_call>`, `call at byte 2: want an object with a name, have an object without a name`},
		{"code behind the Python tag", `<|python_tag|>print(1)`, `call at byte 0: want an argument with its name, have '1' at byte 20`},
		{"a parameter that does not end", `<function=f><parameter=a>1`, `call at byte 0: want </parameter> behind <parameter=, have the end`},
		{"a block with a function without a name", "<tool_call>\n<function=>\n</tool_call>", `call at byte 0: want the name of a function and its arguments behind <function=, have 14 bytes that are none`},
		{"a block with a function that goes on as prose", "<tool_call><function=f> and so on", `call at byte 0: want the name of a function and its arguments behind <function=, have 12 bytes that are none`},
		{"a list with what is no call", `<functioncall>[1]`, `call at byte 0: want an object with a name, have a number`},
		{"a thought that does not end", "<think>a", ErrThought.Error()},
		{"DeepSeek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function", `call at byte 0: want a call of a form that is read, have one that begins with <｜tool▁call`},
		{"Kimi", "x <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0", `call at byte 2: want a call of a form that is read, have one that begins with <|tool_calls_section_begin|>`},
		{"Anthropic", "<function_calls>\n<invoke name=\"f\">", `call at byte 17: want a call of a form that is read, have one that begins with <invoke name=`},
		{"GLM", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>", `call at byte 13: want a call of a form that is read, have one that begins with <arg_key>`},
		{"a newer form of Mistral", `[TOOL_CALLS]f{"a":1}`, `call at byte 0: want calls in JSON behind [TOOL_CALLS], have 8 other bytes`},
		{"a list of calls that breaks off", `[lookup(x=1), lookup(x=`, `list of calls: want a value, have the end at byte 23`},
	} {
		_, err := Read(c.in, testRow{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		reason, in string
		want       []Result
	}{
		{"named, with JSON content", `<tool_response>{"name": "f", "content": {"a": 1}}</tool_response>`, []Result{{Name: "f", Content: `{"a":1}`, Whole: `{"name": "f", "content": {"a": 1}}`}}},
		{"an id that may be the tool's own", `<tool_response>{"id": "m-42", "content": "x"}</tool_response>`, []Result{{ID: "m-42", Content: "x", Whole: `{"id": "m-42", "content": "x"}`}}},
		{"two, the second plain", "<tool_response>\n{'tool_call_id': 'c', 'name': 'f', 'content': 'x'}\n</tool_response>\n<tool_response>ok</tool_response>", []Result{{ID: "c", Name: "f", Content: "x"}, {Content: "ok"}}},
		{"an object of another kind is the content", `<tool_response>{"name": "f", "temp": 3}</tool_response>`, []Result{{Content: `{"name": "f", "temp": 3}`}}},
		{"text around it", `see <tool_response>ok</tool_response>`, nil},
		{"no block", `ok`, nil},
	} {
		have, ok := Results(c.in)
		if ok != (c.want != nil) {
			t.Errorf("%s: want %v, have %v", c.reason, c.want != nil, ok)
		}
		if diff := cmp.Diff(c.want, have); diff != "" && ok {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

func TestTools(t *testing.T) {
	for _, c := range []struct{ reason, in, tools, rest string }{
		{"a list, after an empty mention", `in <tools></tools> tags: <tools>[{'name': 'f'}]</tools> Use them.`, `[{"name":"f"}]`, `in <tools></tools> tags:  Use them.`},
		{"one object after the other", "<tools>\n{\"name\":\"f\"}\n{\"name\":\"g\"}\n</tools>", `[{"name":"f"},{"name":"g"}]`, ""},
		{"prose", "<tools>none</tools>", "", "<tools>none</tools>"},
	} {
		tools, rest, ok := Tools(c.in)
		if tools != c.tools || rest != c.rest || ok != (c.tools != "") {
			t.Errorf("%s: want %s and %q, have %s and %q", c.reason, c.tools, c.rest, tools, rest)
		}
	}
}

// FuzzRead holds that reading never fails in another way than by its error, and loses no text without calls.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`<tool_call>{"name":"f"}</tool_call>`, `[f(a=1)]`, `<|python_tag|>f(a=1);g()`, `<function=f><parameter=a>1</parameter></function>`, `<think>a</think>b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Read(s, nil)
		if err == nil && len(r.Calls) == 0 && r.Thought == "" && !strings.HasPrefix(strings.TrimSpace(s), strings.TrimSpace(r.Text)) && !strings.Contains(s, "think") && !strings.Contains(s, "scratch_pad") {
			t.Fatalf("want the text of %q, have %q", s, r.Text)
		}
		for _, c := range r.Calls {
			if c.Name == "" {
				t.Fatalf("want a name in every call of %q", s)
			}
		}
		Results(s)
		Tools(s)
	})
}

func BenchmarkMarked(b *testing.B) {
	text := strings.Repeat(`the quick brown fox; a < b, \"quoted\"\n`, 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Marked(text) {
			b.Fatal("want no mark")
		}
	}
}

package template_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/plugins/chatml/template/templatetest"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

const row = `{"messages":[{"role":"system","content":"Be \"brief\"."},{"role":"user","content":"list"},` +
	`{"role":"assistant","content":"Looking.","reasoning_content":"They want files.","tool_calls":[{"id":"c1","type":"function","function":{"name":"SHELL","arguments":{"command":"ls -l","n":3}}}]},` +
	`{"role":"tool","tool_call_id":"c1","name":"SHELL","content":"a.txt"},{"role":"assistant","content":"One file."}],` +
	`"tools":[{"type":"function","function":{"name":"SHELL","description":"Runs it.","parameters":{"type":"object"}}}]}`

// long is set by .ci/run.
var long = flag.Bool("long", false, "render with Transformers where it is installed, and not with Jinja2 alone")

// TestMain makes Python render with Jinja2 alone, unless the tests run with -long: each process that imports Transformers takes a
// second for it.
func TestMain(m *testing.M) {
	flag.Parse()
	if !*long {
		hidden, _ := filepath.Abs("testdata/without-transformers")
		os.Setenv("PYTHONPATH", hidden+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"))
	}
	os.Exit(m.Run())
}

// TestLosses holds that all that a row says is looked for in its place, whatever the template puts around it.
func TestLosses(t *testing.T) {
	const tools, head, thought, call, tail = `tools: SHELL Runs it.`, ` sys: Be "brief". user: list`, ` <think>They want files.</think>`,
		` Looking. <call>{"name": "SHELL", "arguments": {"command": "ls -l", "n": 3}}</call>`, ` tool: a.txt assistant: One file.`
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"all is there", tools + head + thought + call + tail, nil},
		{"text stands in JSON", tools + strings.Replace(head, `Be "brief".`, `{"system": "Be \"brief\"."}`, 1) + thought + call + tail, nil},
		{"calls as tags", tools + head + thought + ` Looking. <SHELL><command>ls -l</command><n>3</n></SHELL>` + tail, nil},
		{"what was thought before is left out", tools + head + call + tail, []string{"lost_reasoning messages.2"}},
		{"no tools", `tools: none` + head + thought + call + tail, []string{"lost_tool tools.0"}},
		{"no system message", tools + ` user: list` + thought + call + tail, []string{"lost_text messages.0"}},
		{"text beside the call", tools + head + thought + strings.Replace(call, "Looking.", "", 1) + tail, []string{"lost_text messages.2"}},
		{"no call", tools + head + thought + " Looking." + tail, []string{"lost_call messages.2.tool_calls.0"}},
		{"an argument", tools + head + thought + strings.Replace(call, "ls -l", "", 1) + tail, []string{"lost_call messages.2.tool_calls.0"}},
		{"no result", tools + head + thought + call + " assistant: One file.", []string{"lost_result messages.3"}},
		{"arguments in a string", tools + head + thought + ` Looking. {"name": "SHELL", "arguments": "{\"command\": \"ls -l\", \"n\": 3}"}` + tail,
			[]string{"double_encoded messages.2.tool_calls.0"}},
		{"no answer", tools + head + thought + call + " tool: a.txt", []string{"lost_text messages.4"}},
	} {
		r := &template.Rendering{Segments: []template.Segment{{Text: c.text}, {Trained: true, Text: "x"}}}
		var have []string
		for _, l := range template.Losses(row, r) {
			have = append(have, l.Code+" "+l.Path)
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
	negative := jsontext.JSON(`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"F","arguments":{"n":-0,"m":1e0}}}]}]}`)
	if lost := template.Losses(negative, &template.Rendering{Segments: []template.Segment{{Trained: true, Text: `F(n=0, m=1.0)`}}}); len(lost) > 0 {
		t.Errorf("want numbers as Python spells them, have %v", lost)
	}
	raised := template.Losses(row, &template.Rendering{Error: "TemplateError: no"})
	if len(raised) != 1 || raised[0].Code != template.Raised || !template.Incomplete(raised) {
		t.Errorf("want raised, have %v", raised)
	}
	untrained := template.Losses(`{"messages":[]}`, &template.Rendering{Segments: []template.Segment{{Text: "x"}, {Trained: true, Text: " "}}})
	if len(untrained) != 1 || untrained[0].Code != template.NothingTrained {
		t.Errorf("want nothing_trained, have %v", untrained)
	}
}

// TestUntrainedEnd holds that a mask without the mark at the end of the last turn is told, and makes no row incomplete.
func TestUntrainedEnd(t *testing.T) {
	const row = `{"messages":[{"role":"assistant","content":"b"}]}`
	for _, c := range []struct {
		reason, end string
		want        bool
	}{
		{"a mark", "<|im_end|>\n", true},
		{"white space", "\n", false},
	} {
		losses := template.Losses(row, &template.Rendering{Segments: []template.Segment{{Text: "<|im_start|>"}, {Trained: true, Text: "b"}, {Text: c.end}}})
		if have := len(losses) == 1 && losses[0].Code == template.UntrainedEnd; have != c.want || template.Incomplete(losses) {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, losses)
		}
	}
}

// start starts Python with a template, or skips the test where none can be rendered.
func start(t *testing.T, path string) *template.Renderer {
	t.Helper()
	templatetest.Need(t)
	file, err := template.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := template.Start(t.Context(), "", file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRender holds what a template sees as Transformers shows it, and where the text to train on begins.
func TestRender(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	const user = `{"messages":[{"role":"user","content":"a"}]}`
	for _, c := range []struct {
		reason, template, row string
		want                  template.Rendering
	}{
		{"what the last message adds to its prompt", "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
			`{"messages":[{"role":"user","content":"é"},{"role":"assistant","content":"b"}]}`,
			template.Rendering{Exact: true, Segments: []template.Segment{{Text: "<user>é\n<assistant>"}, {Trained: true, Text: "b\n"}}}},
		{"what the template marks", "{% for m in messages %}{{ m.role }}:{% generation %}{{ m.content }}{% endgeneration %};{% endfor %}",
			`{"messages":[{"role":"assistant","content":"b"}]}`,
			template.Rendering{Exact: true, Segments: []template.Segment{{Text: "assistant:"}, {Trained: true, Text: "b"}, {Text: ";"}}}},
		{"members that are null are not there", "{% for m in messages %}{{ 'content' in m }},{{ m.tool_calls is defined }};{% endfor %}",
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":null}]}`,
			template.Rendering{Segments: []template.Segment{{Text: "True,False;"}, {Trained: true, Text: "False,False;"}}, Exact: true}},
		{"reasoning is under each name", "{% for m in messages %}{{ m.thinking }},{{ m.reasoning_content }};{% endfor %}",
			`{"messages":[{"role":"assistant","reasoning":"a"},{"role":"assistant","thinking":"b"},{"role":"assistant","reasoning_content":"c","thinking":"d"}]}`,
			template.Rendering{Segments: []template.Segment{{Text: "a,a;b,b;"}, {Trained: true, Text: "d,c;"}}, Exact: true}},
		{"marks around nothing of a row", "{% for m in messages %}{% if m.role == 'no' %}{% generation %}x{% endgeneration %}{% endif %}{{ m.content }}{% endfor %}",
			user, template.Rendering{Segments: []template.Segment{{Text: "a"}}, Exact: true}},
		{"a name that Transformers refuses", "{% set ns = namespace() %}{% set ns._x = 1 %}", user,
			template.Rendering{Error: "SecurityError"}},
		{"marks that a row has itself are not taken for marks", "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
			"{\"messages\":[{\"role\":\"assistant\",\"content\":\"\ue000\\ue001b\"}]}",
			template.Rendering{Exact: true, Segments: []template.Segment{{Trained: true, Text: "\ue000\ue001b"}}}},
		{"a prompt that is not the beginning", "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}!{% endif %}",
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`,
			template.Rendering{Segments: []template.Segment{{Text: "a"}, {Trained: true, Text: "b"}}}},
		{"JSON without escapes for HTML, keys in their order", "{{ tools | tojson }}{{ messages[0].x | tojson(indent=1) }}",
			`{"messages":[{"role":"assistant","content":"b","x":{"b":"<é>","a":1}}],"tools":"[{\"b\":1,\"a\":\"'\"}]"}`,
			template.Rendering{Segments: []template.Segment{{Text: "[{\"b\": 1, \"a\": \"'\"}]{\n \"b\": \"<é>\",\n \"a\": 1\n}"}}}},
		{"what a template raises", "{{ raise_exception('no tools here') }}", user,
			template.Rendering{Error: "TemplateError: no tools here"}},
		{"what a sandbox refuses", "{{ messages.append(1) }}", user,
			template.Rendering{Error: "SecurityError: access to attribute 'append' of 'list' object is unsafe."}},
	} {
		r := start(t, put(t, dir, "chat_template.jinja", c.template))
		have, err := r.Render(jsontext.JSON(c.row))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(have.Error, "SecurityError") && !strings.Contains(c.want.Error, " ") {
			have.Error = "SecurityError" // the words after it are those of the library
		}
		if diff := cmp.Diff(&c.want, have); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTokenizerConfig holds that templates and special tokens are those of the tokenizer, and that rows with tools get
// the template for them.
func TestTokenizerConfig(t *testing.T) {
	dir := t.TempDir()
	config := put(t, dir, "tokenizer_config.json", `{"bos_token":{"content":"<s>"},"eos_token":"</s>","pad_token":null,"chat_template":[`+
		`{"name":"default","template":"{{ bos_token }}plain{{ eos_token }}{{ pad_token }}"},{"name":"tool_use","template":"{{ bos_token }}with {{ tools | length }}"}]}`)
	r := start(t, config)
	defer r.Close()
	for row, want := range map[string]string{
		`{"messages":[{"role":"user","content":"a"}]}`:                                                       "<s>plain</s>",
		`{"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"F"}}]}`: "<s>with 1",
	} {
		have, err := r.Render(jsontext.JSON(row))
		if err != nil || have.Text() != want {
			t.Errorf("want %s, have %+v %v", want, have, err)
		}
	}
	beside := start(t, put(t, dir, "chat_template.jinja", "{{ bos_token }}beside"))
	defer beside.Close()
	if have, err := beside.Render(`{"messages":[{"role":"user","content":"a"}]}`); err != nil || have.Text() != "<s>beside" {
		t.Errorf("want the tokens of the configuration beside, have %+v %v", have, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "additional_chat_templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "additional_chat_templates"), "tool_use.jinja", "{{ bos_token }}with tools")
	for _, path := range []string{"chat_template.jinja", "tokenizer_config.json"} {
		r := start(t, filepath.Join(dir, path))
		defer r.Close()
		for row, want := range map[string]string{
			`{"messages":[{"role":"user","content":"a"}]}`:                   "<s>beside",
			`{"messages":[{"role":"user","content":"a"}],"tools":[{"a":1}]}`: "<s>with tools",
		} {
			if have, err := r.Render(jsontext.JSON(row)); err != nil || have.Text() != want {
				t.Errorf("%s: want %q of the files beside it, have %+v %v", path, want, have, err)
			}
		}
	}
}

// TestCannotRender holds that what is missing or broken is told as what it is, before any row.
func TestCannotRender(t *testing.T) {
	dir := t.TempDir()
	if _, err := template.Start(t.Context(), filepath.Join(dir, "python9"), &template.File{}); err == nil || !strings.Contains(err.Error(), "with jinja2 to render chat templates") {
		t.Errorf("want an error that names Python, have %v", err)
	}
	for text, want := range map[string]string{
		`{"bos_token":"x"}`:       "want a template in chat_template",
		`{"chat_template":`:       "configuration in JSON",
		`{"chat_template":["x"]}`: "want a template in chat_template",
	} {
		if _, err := template.Read(put(t, dir, "tokenizer_config.json", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, have %v", text, want, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "tokenizer_config.json")); err != nil {
		t.Fatal(err)
	}
	start(t, put(t, dir, "good.jinja", "x")).Close()
	file, err := template.Read(put(t, dir, "broken.jinja", "{% if %}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Start(t.Context(), "", file); err == nil || !strings.Contains(err.Error(), "TemplateSyntaxError") {
		t.Errorf("want a template that is broken told, have %v", err)
	}
}

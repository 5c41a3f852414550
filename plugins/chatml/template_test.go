package chatml_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/plugins/chatml/template/templatetest"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// long is set by .ci/run.
var long = flag.Bool("long", false, "render with Transformers where it is installed, and try all templates")

// TestMain makes Python render with Jinja2 alone, unless the tests run with -long: each process that imports Transformers takes a
// second for it.
func TestMain(m *testing.M) {
	flag.Parse()
	if !*long {
		os.Setenv("PYTHONPATH", withoutTransformers())
	}
	os.Exit(m.Run())
}

// withoutTransformers returns a PYTHONPATH with which Python finds no Transformers.
func withoutTransformers() string {
	hidden, _ := filepath.Abs("template/testdata/without-transformers")
	return hidden + string(os.PathListSeparator) + os.Getenv("PYTHONPATH")
}

// kinds are templates of testdata that differ most in what the trial of a template finds out.
var kinds = []string{"deepseek-r1", "gemma", "gpt-oss", "lfm2", "llama3", "mistral", "qwen3"}

// published are chat templates of real models and the targets whose rows they take.
var published = []chatTemplate{
	{"qwen2.5", "Qwen-Qwen2.5-7B-Instruct"},
	{"qwen3", "Qwen-Qwen3-0.6B"},
	{"qwen3-coder", "Qwen3-Coder"},
	{"qwen3.5", "qwen3_6"},
	{"mistral", "mistralai-Mistral-Nemo-Instruct-2407"},
	{"mistral", "Mistral-Small-3.2-24B-Instruct-2506"},
	{"mistral-small", "Mistral-Small-3.2-24B-Instruct-2506"},
	{"hermes", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use"},
	{"deepseek", "deepseek-ai-DeepSeek-V3.1"},
	{"gpt-oss", "openai-gpt-oss-120b"},
	{"glm", "GLM-4.6"},
	{"granite", "ibm-granite-granite-4.0"},
	{"phi3", "microsoft-Phi-3.5-mini-instruct"},
	{"smollm3", "HuggingFaceTB-SmolLM3-3B"},
}

// refusals are the rules by which a target may reject a row that the standard profile renders.
var refusals = map[string][]string{
	"llama3":        {"parallel_calls"},
	"mistral":       {"text_beside_call", "alternate"},
	"mistral-small": {"text_beside_call", "alternate"},
	"gemma":         {"target_tools"},
	"hermes":        {"target_tools"},
	"gpt-oss":       {"parallel_calls"},
	"phi3":          {"target_tools"},
	"smollm3":       {"target_tools"},
	"lfm2":          {"target_tools"},
	"deepseek-r1":   {"target_tools"},
	"auto":          {"target_tools", "parallel_calls", "text_beside_call", "alternate"},
}

// A chatTemplate is a chat template, and the target whose rows it takes.
type chatTemplate struct{ target, file string }

// args are the attributes of a step that renders for the template.
func (c chatTemplate) args() string {
	if c.target == "auto" {
		return `{"target":"auto","chat_template":"` + c.file + `"}`
	}
	return `{"target":"` + c.target + `","hidden_tools":"drop"}`
}

// TestAutoTarget holds that the rules found by trying a template make rows that it shows whole, and refuse no row but
// those for which there is a rule. With -long Transformers tries the templates that differ most, and Jinja2 alone tries all.
func TestAutoTarget(t *testing.T) {
	var files []string
	for _, kind := range kinds {
		files = append(files, "testdata/templates/"+kind+".jinja")
	}
	tryAll(t, files)
	if *long {
		t.Setenv("PYTHONPATH", withoutTransformers())
		files = append(files[:0], "testdata/templates/hermes/"+defaultFile)
		for _, of := range []string{"testdata/templates/*.jinja", "../../../shared/templates/*.jinja"} { // the latter are of models, where they are at hand
			found, err := filepath.Glob(of)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		tryAll(t, files)
	}
}

func tryAll(t *testing.T, files []string) {
	var templates []chatTemplate
	for _, file := range files {
		templates = append(templates, chatTemplate{"auto", file})
	}
	renderAll(t, templates)
}

// TestThisTemplate holds that rejects speak of the one template that was tried, which has no target's name.
func TestThisTemplate(t *testing.T) {
	results, _ := sdktest.Direct(t, chatml.Plugin, chatTemplate{"auto", "testdata/templates/gemma.jinja"}.args(), lines(t, "testdata/sdk-rows.jsonl")...)
	rejects := 0
	for _, r := range results {
		if r.Verdict == "reject" {
			rejects++
			if !strings.Contains(r.Message, "this template ") || strings.Contains(r.Message, "auto") {
				t.Errorf("want a reject of this template, have %s: %s", r.Code, r.Message)
			}
		}
	}
	if rejects == 0 {
		t.Error("want rejects, have 0")
	}
}

// TestTemplates renders rows recorded with the AI SDK through templates written in the manner of each family.
func TestTemplates(t *testing.T) {
	files, err := filepath.Glob("testdata/templates/*.jinja")
	if err != nil || len(files) == 0 {
		t.Fatalf("want templates, have none (%v)", err)
	}
	templates := []chatTemplate{{"hermes", "testdata/templates/hermes/" + defaultFile}}
	for _, file := range files {
		templates = append(templates, chatTemplate{strings.TrimSuffix(filepath.Base(file), ".jinja"), file})
	}
	renderAll(t, templates)
}

// defaultFile is the default template of a tokenizer that has several, whose others lie in a folder beside it.
const defaultFile = "chat_template.jinja"

// TestPublishedTemplates does the same with templates as models ship them.
func TestPublishedTemplates(t *testing.T) { renderAll(t, publishedTemplates(t)) }

// publishedTemplates returns the published templates with their paths, or skips the test.
func publishedTemplates(t *testing.T) (templates []chatTemplate) {
	for _, p := range published {
		file := "../../../shared/templates/" + p.file + ".jinja"
		if _, err := os.Stat(file); err != nil {
			t.Skipf("%s is absent", file)
		}
		if p.target == "hermes" { // the template that its tokenizer has for rows with tools
			file = beside(t, "testdata/templates/hermes/"+defaultFile, file)
		}
		templates = append(templates, chatTemplate{p.target, file})
	}
	return templates
}

// beside puts two templates of one tokenizer into a folder, and returns the path of the default one.
func beside(t *testing.T, text, tools string) string {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "additional_chat_templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{text: defaultFile, tools: "additional_chat_templates/tool_use.jinja"} {
		data, err := os.ReadFile(from)
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, to), data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, defaultFile)
}

// A rendering is one row to render, with the record it came from.
type rendering struct {
	chatTemplate
	source, row string
}

// renderAll renders every row that each target takes, and looks for all that the source row says in the text, in order.
func renderAll(t *testing.T, templates []chatTemplate) {
	sources := lines(t, "testdata/sdk-rows.jsonl")
	checked, _ := sdktest.Direct(t, native.Plugin, "", sources...)
	for i, r := range checked {
		if r.Verdict != "emit" {
			t.Errorf("%s: want native to take it, have %s %s: %s", gjson.Get(sources[i], "name"), r.Verdict, r.Code, r.Message)
		}
	}
	var all []rendering
	for _, tmpl := range templates {
		results, _ := sdktest.Direct(t, chatml.Plugin, tmpl.args(), sources...)
		before := len(all)
		for i, r := range results {
			if r.Verdict == "emit" {
				all = append(all, rendering{tmpl, sources[i], r.Emitted[0]})
			} else if !slices.Contains(refusals[tmpl.target], r.Code) {
				t.Errorf("%s: %s: want a row, have %s: %s", tmpl.target, gjson.Get(sources[i], "name"), r.Code, r.Message)
			}
		}
		if len(all) == before {
			t.Errorf("%s: want rows, have none", tmpl.target)
		}
	}
	for i, answer := range render(t, all) {
		r := all[i]
		name := r.target + ": " + filepath.Base(r.file) + ": " + gjson.Get(r.source, "name").Str
		if answer.Error != "" {
			t.Errorf("%s: want a text, have %s\n%s", name, answer.Error, r.row)
			continue
		}
		if missing := lost(answer.Text(), said(r.source)); missing != "" {
			t.Errorf("%s: want %q in its place, have\n%s", name, missing, answer.Text())
		}
		if losses := template.Losses(jsontext.JSON(r.row), answer); template.Incomplete(losses) {
			t.Errorf("%s: want no losses, have %v in\n%s", name, losses, answer.Text())
		}
	}
}

func lines(t testing.TB, file string) []string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

// render renders rows with Jinja2, the way Transformers does.
func render(t *testing.T, rows []rendering) (answers []*template.Rendering) {
	templatetest.Need(t)
	renderers := map[string]*template.Renderer{}
	for _, row := range rows {
		if renderers[row.file] == nil {
			file, err := template.Read(row.file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := template.Start(t.Context(), "", file)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			renderers[row.file] = r
		}
		answer, err := renderers[row.file].Render(jsontext.JSON(row.row))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// lost gives the first of the fragments that does not stand in text behind the one before it. A template may have put a
// fragment into JSON, or into JSON inside JSON.
func lost(text string, fragments []string) string {
	for _, f := range fragments {
		f = strings.TrimSpace(f)
		at, width := -1, 0
		for form, n := f, 0; n < 3; n++ {
			if i := strings.Index(text, form); i >= 0 && (at < 0 || i < at) {
				at, width = i, len(form)
			}
			form = escaped(form)
		}
		if at < 0 {
			return f
		}
		text = text[at+width:]
	}
	return ""
}

func escaped(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

// said lists what a row recorded with the SDK says, in order: texts, names of calls, values of arguments, results.
func said(row string) (all []string) {
	add := func(s string) {
		if strings.TrimSpace(s) != "" {
			all = append(all, s)
		}
	}
	var leaves func(v gjson.Result)
	leaves = func(v gjson.Result) {
		switch {
		case v.IsObject() || v.IsArray():
			v.ForEach(func(_, inner gjson.Result) bool { leaves(inner); return true })
		case v.Type == gjson.String || v.Type == gjson.Number:
			add(v.String())
		}
	}
	call := func(c gjson.Result) {
		add(c.Get("toolName").Str)
		leaves(c.Get("input"))
		leaves(c.Get("args"))
	}
	invocation := func(_, i gjson.Result) bool {
		call(i)
		leaves(i.Get("result"))
		return true
	}
	message := func(_, m gjson.Result) bool {
		content := m.Get("content")
		if parts := m.Get("parts"); parts.IsArray() {
			content = parts
		}
		if content.Type == gjson.String {
			m.Get("toolInvocations").ForEach(invocation)
			add(content.Str)
		}
		content.ForEach(func(_, p gjson.Result) bool {
			switch kind := p.Get("type").Str; {
			case kind == "text":
				add(p.Get("text").Str)
			case kind == "tool-call" && !p.Get("state").Exists():
				call(p)
			case kind == "tool-invocation":
				invocation(gjson.Result{}, p.Get("toolInvocation"))
			case kind == "tool-result":
				leaves(p.Get("result"))
				out := p.Get("output")
				if out.Get("type").Str == "content" {
					out.Get("value").ForEach(func(_, v gjson.Result) bool { add(v.Get("text").Str); return true })
					break
				}
				leaves(out.Get("value"))
				leaves(out.Get("reason"))
			case kind == "tool-approval-request":
			case kind == "tool-approval-response":
				leaves(p.Get("reason"))
			case strings.HasPrefix(kind, "tool-"), kind == "dynamic-tool":
				add(cmp.Or(p.Get("toolName").Str, strings.TrimPrefix(kind, "tool-")))
				leaves(p.Get("input"))
				leaves(p.Get("rawInput"))
				leaves(p.Get("output"))
				leaves(p.Get("errorText"))
				leaves(p.Get("approval.reason"))
			}
			return true
		})
		return true
	}
	request := gjson.Get(row, "request")
	add(request.Get("system").Str)
	request.Get("messages").ForEach(message)
	if prompt := request.Get("prompt"); prompt.IsArray() {
		prompt.ForEach(message)
	} else {
		add(prompt.Str)
	}
	add(gjson.Get(row, "response.text").Str)
	gjson.Get(row, "response.toolCalls").ForEach(func(_, c gjson.Result) bool { call(c); return true })
	return all
}

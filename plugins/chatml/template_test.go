package chatml_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// published are chat templates of real models and the targets whose rows they take.
var published = []struct{ target, file string }{
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
	"mistral":       {"text_beside_call"},
	"mistral-small": {"text_beside_call"},
	"gemma":         {"target_tools"},
	"gpt-oss":       {"parallel_calls"},
	"phi3":          {"target_tools"},
	"smollm3":       {"target_tools"},
}

// TestTemplates renders rows recorded with the AI SDK through templates written in the manner of each family.
func TestTemplates(t *testing.T) {
	files, err := filepath.Glob("testdata/templates/*.jinja")
	if err != nil || len(files) == 0 {
		t.Fatalf("want templates, have none (%v)", err)
	}
	for _, file := range files {
		target := strings.TrimSuffix(filepath.Base(file), ".jinja")
		t.Run(target, func(t *testing.T) { renderAll(t, target, file) })
	}
}

// TestPublishedTemplates does the same with templates as models ship them.
func TestPublishedTemplates(t *testing.T) {
	for _, p := range published {
		file := "../../../shared/templates/" + p.file + ".jinja"
		t.Run(p.target+"/"+p.file, func(t *testing.T) {
			if _, err := os.Stat(file); err != nil {
				t.Skipf("%s is absent", file)
			}
			renderAll(t, p.target, file)
		})
	}
}

// renderAll renders every row that the target takes, and looks for all that the source row says in the text, in order.
func renderAll(t *testing.T, target, template string) {
	sources := lines(t, "testdata/sdk-rows.jsonl")
	checked, _ := sdktest.Run(t, native.Plugin, "", sources...)
	results, _ := sdktest.Run(t, chatml.Plugin, `{"target":"`+target+`"}`, sources...)
	var rows, from []string
	for i, r := range results {
		name := gjson.Get(sources[i], "name").Str
		switch {
		case checked[i].Verdict != "emit":
			t.Errorf("%s: want native to take it, have %s %s: %s", name, checked[i].Verdict, checked[i].Code, checked[i].Message)
		case r.Verdict == "emit":
			rows, from = append(rows, r.Emitted[0]), append(from, sources[i])
		case !slices.Contains(refusals[target], r.Code):
			t.Errorf("%s: want a row, have %s: %s", name, r.Code, r.Message)
		}
	}
	if len(rows) == 0 {
		t.Fatal("want rows, have none")
	}
	for i, answer := range render(t, template, rows) {
		name := gjson.Get(from[i], "name").Str
		if e := gjson.Get(answer, "error"); e.Exists() {
			t.Errorf("%s: want a text, have %s\n%s", name, e.Str, rows[i])
			continue
		}
		if missing := lost(gjson.Get(answer, "text").Str, said(from[i])); missing != "" {
			t.Errorf("%s: want %q in its place, have\n%s", name, missing, gjson.Get(answer, "text").Str)
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

// render runs rows through a template with Jinja2, the way Transformers does.
func render(t *testing.T, template string, rows []string) (answers []string) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import jinja2").Run() != nil {
		t.Skip("python3 with jinja2 is absent")
	}
	var in bytes.Buffer
	for _, row := range rows {
		line, err := json.Marshal(map[string]any{"template": template, "row": json.RawMessage(row)})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(python, "testdata/render.py")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		answers = append(answers, scanner.Text())
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
			case kind == "tool-call":
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
			case strings.HasPrefix(kind, "tool-"):
				add(strings.TrimPrefix(kind, "tool-"))
				leaves(p.Get("input"))
				leaves(p.Get("output"))
				leaves(p.Get("errorText"))
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

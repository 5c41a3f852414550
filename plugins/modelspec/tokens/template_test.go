package tokens

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

var long = flag.Bool("long", false, "hold 200 threads against the templates, with Transformers where it is installed, and not 30 with Jinja2 alone")

// TestTemplate holds that the chat templates render what the plugin writes, and mark for training what it marks. It needs
// Python with Jinja; with -long, where Transformers is there too, its masks are held against the same.
func TestTemplate(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import jinja2").CombinedOutput(); err != nil {
		t.Skipf("Python with jinja2 is absent: %s", out)
	}
	n := 200
	if !*long {
		n = 30
		hidden, err := filepath.Abs("../../chatml/template/testdata/without-transformers")
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("PYTHONPATH", hidden+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"))
	}
	threads := threads(n)
	for notation, template := range map[string]string{"document": "chat_template.jinja", "end_message": "chat_template_end_message.jinja"} {
		rows, _ := sdktest.Run(t, Plugin, `{"notation":"`+notation+`"}`, threads...)
		cmd := exec.Command("python3", "testdata/render.py", template, "special_tokens.json")
		cmd.Stdin = strings.NewReader(strings.Join(threads, "\n"))
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, complaint.String())
		}
		rendered := strings.Split(strings.TrimSpace(string(out)), "\n")
		for i, row := range rows {
			if row.Verdict != "emit" {
				t.Fatalf("want token text, have %s: %s for %s", row.Code, row.Message, threads[i])
			}
			if diff := cmp.Diff(gjson.Get(row.Emitted[0], "text").String(), gjson.Get(rendered[i], "text").String()); diff != "" {
				t.Fatalf("%s (-plugin +template):\n%s", notation, diff)
			}
			var have, want [][2]int64
			for _, s := range gjson.Get(row.Emitted[0], "segments").Array() {
				if s.Get("train").Bool() {
					have = append(have, [2]int64{s.Get("start").Int(), s.Get("end").Int()})
				}
			}
			for _, s := range gjson.Get(rendered[i], "spans").Array() {
				want = append(want, [2]int64{s.Get("0").Int(), s.Get("1").Int()})
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Fatalf("%s: spans (-template +plugin):\n%s in %s", notation, diff, row.Emitted[0])
			}
		}
		t.Logf("%s: %d threads, by %s renderers", notation, len(rows), gjson.Get(rendered[0], "renderers"))
	}
}

// TestSpecialTokens holds that the list that is shipped names every token.
func TestSpecialTokens(t *testing.T) {
	data, err := os.ReadFile("special_tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tokens []string `json:"additional_special_tokens"`
	}
	if err := json.Unmarshal(data, &list); err != nil || !slices.Equal(list.Tokens, notation.Tokens) {
		t.Errorf("want %v, have %v (%v)", notation.Tokens, list.Tokens, err)
	}
}

// threads makes lists of messages whose contents hold whatever may go wrong.
func threads(n int) []string {
	r := rand.New(rand.NewSource(1))
	words := []string{"a", "é", "😀", " ", "\n", "<", "|", ">", "\\", "<|role|>", "<\\|end_turn|>", "<|im-end|>", "<|x|y|>", "<||>", "{", "}", "[", "]", "\"", "{\"a\":\"<|x|>\"}", "|>", "<|é|>"}
	text := func() string {
		var b strings.Builder
		for range r.Intn(8) {
			b.WriteString(words[r.Intn(len(words))])
		}
		return b.String()
	}
	formats := []string{"markdown", "w:json", "x:py", "tools:python", "y:yaml", "js"}
	all := make([]string, n)
	for i := range all {
		messages := []notation.Message{{Role: notation.Developer, Body: jsontext.BodyOf(text())}}
		for range 1 + r.Intn(4) {
			messages = append(messages, notation.Message{Role: notation.User, Body: jsontext.BodyOf(text())})
			for r.Intn(3) > 0 {
				m := notation.Message{Role: notation.Assistant, Format: formats[r.Intn(len(formats))], Body: jsontext.BodyOf(text())}
				if slices.Contains([]string{"y:yaml", "x:py", "tools:python"}, m.Format) { // which the plugin reads, and a template cannot
					m.Body = jsontext.BodyOf(jsontext.AppendString(nil, m.Text()))
				}
				messages = append(messages, m)
				if r.Intn(2) == 0 {
					messages = append(messages, notation.Message{Role: notation.Tool, Later: r.Intn(2) == 0, Body: jsontext.BodyOf(text())})
				}
			}
			messages = append(messages, notation.Message{Role: notation.Assistant, Format: "markdown", Body: jsontext.BodyOf(text()), EndTurn: r.Intn(4) > 0})
		}
		all[i] = string(notation.AppendMessages(nil, messages))
	}
	return all
}

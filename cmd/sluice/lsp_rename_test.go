package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// write writes a file beside the first to disk.
func (c *client) write(name, text string) (uri string) {
	path := filepath.Join(filepath.Dir(strings.TrimPrefix(c.uri, "file://")), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(path)
}

// at returns the parameters of a question about the point of a text that a bar marks, in the words around it.
func (c *client) at(text, around, more string) string {
	before, _, _ := strings.Cut(around, "|")
	i := strings.Index(text, strings.Replace(around, "|", "", 1))
	if i < 0 {
		c.t.Fatalf("want %q in the text", around)
	}
	head := text[:i+len(before)]
	line := strings.Count(head, "\n")
	column := len(head) - strings.LastIndex(head, "\n") - 1
	return fmt.Sprintf(`{"textDocument":{"uri":"$URI"},"position":{"line":%d,"character":%d}%s}`, line, column, more)
}

// renamed returns the texts of files after an edit of the workspace, by the end of their names.
func (c *client) renamed(edit gjson.Result, texts map[string]string) map[string]string {
	after := map[string]string{}
	edit.Get("changes").ForEach(func(uri, edits gjson.Result) bool {
		name := filepath.Base(uri.Str)
		lines := strings.Split(texts[name], "\n")
		all := edits.Array()
		for i := len(all) - 1; i >= 0; i-- { // from the end, so that places stay
			from, to := all[i].Get("range.start"), all[i].Get("range.end")
			line := &lines[from.Get("line").Int()]
			*line = (*line)[:from.Get("character").Int()] + all[i].Get("newText").Str + (*line)[to.Get("character").Int():]
		}
		after[name] = strings.Join(lines, "\n")
		return true
	})
	return after
}

// TestLanguageServerRename holds that a name is changed wherever files use it, those that are not open included, and that names of
// plugins are refused.
func TestLanguageServerRename(t *testing.T) {
	texts := map[string]string{
		"p.hcl": `variable "out" {
  default = "out"
}

plugin "louder" {
  name = "upper"
  path = "x"
}

source "jsonl" "in" {
  paths = ["${var.out}/in.jsonl"]
}

include "shared" {
  file = "a.steps.hcl"
  role = var.out
}

step "split" "parts" {}

route "where" {
  on = "@split"

  case "val" {}
  default {}
}

sink "jsonl" "rows" {
  path = "${var.out}/{split}.jsonl"
}
`,
		"a.steps.hcl":  "variable \"role\" {\n  default = \"user\"\n}\n\nstep \"louder\" \"loud\" {\n  field = var.role\n}\n",
		"other.hcl":    "include \"again\" {\n  file = \"a.steps.hcl\"\n  role = \"x\"\n}\n\nplugin \"louder\" {\n  name = \"upper\"\n}\n",
		"foreign.hcl":  "variable \"role\" {}\nstep \"louder\" \"loud\" {}\n",
		"p.test.hcl":   "test \"it\" {\n  variables = { out = \"x\" }\n\n  input \"in\" {\n    rows = \"{}\"\n  }\n\n  mock \"loud\" {\n    pairs = \"{}\"\n  }\n\n  expect sink \"rows\" {\n    count = 1\n  }\n\n  expect reject {\n    step = \"loud\"\n  }\n}\n",
		"nothing.json": "{}",
	}
	c := startEditor(t, texts["p.hcl"])
	<-c.mistakes
	for name, text := range texts {
		c.write(name, text)
	}
	for _, x := range []struct {
		reason, around, to string
		want               map[string][]string // what files have then, in place of what
	}{
		{"a variable", `variable "o|ut"`, "folder", map[string][]string{
			"p.hcl": {`variable "out"`, `variable "folder"`, `var.out`, `var.folder`}, "p.test.hcl": {"{ out =", "{ folder ="}}},
		{"a use of one", `role = var.o|ut`, "folder", map[string][]string{
			"p.hcl": {`variable "out"`, `variable "folder"`, `var.out`, `var.folder`}, "p.test.hcl": {"{ out =", "{ folder ="}}},
		{"a variable of an included file", `ro|le = var.out`, "who", map[string][]string{
			"p.hcl": {"role = ", "who = "}, "a.steps.hcl": {`"role"`, `"who"`, "var.role", "var.who"}, "other.hcl": {"role =", "who ="}}},
		{"a source", `"jsonl" "i|n"`, "corpus", map[string][]string{
			"p.hcl": {`"jsonl" "in"`, `"jsonl" "corpus"`}, "p.test.hcl": {`input "in"`, `input "corpus"`}}},
		{"a sink", `"jsonl" "ro|ws"`, "train", map[string][]string{
			"p.hcl": {`"jsonl" "rows"`, `"jsonl" "train"`}, "p.test.hcl": {`sink "rows"`, `sink "train"`}}},
		{"a step", `"split" "par|ts"`, "ours", map[string][]string{"p.hcl": {`"split" "parts"`, `"split" "ours"`}}},
		{"what the file calls a plugin", `plugin "lou|der"`, "upper2", map[string][]string{
			"p.hcl": {`"louder"`, `"upper2"`}, "a.steps.hcl": {`"louder"`, `"upper2"`}, "other.hcl": {`"louder"`, `"upper2"`}}},
	} {
		want := map[string]string{}
		for name, words := range x.want {
			want[name] = strings.NewReplacer(words...).Replace(texts[name])
		}
		if have := c.ask("textDocument/prepareRename", c.at(texts["p.hcl"], x.around, "")).Get("placeholder").Str; !strings.Contains(strings.Replace(x.around, "|", "", 1), have) || have == "" {
			t.Errorf("%s: want its name before it is renamed, have %q", x.reason, have)
		}
		edit := c.ask("textDocument/rename", c.at(texts["p.hcl"], x.around, `,"newName":"`+x.to+`"`))
		if diff := cmp.Diff(want, c.renamed(edit, texts)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", x.reason, diff)
		}
	}
	for around, want := range map[string]string{
		`step "sp|lit"`: "which a plugin calls itself", `on = "@sp|lit"`: "which a plugin sets", `{sp|lit}`: "which a plugin sets",
		`case "v|al"`: "which a plugin sets", `source "js|onl"`: "want a name that a file defines", `de|fault = "out"`: "want the cursor on the name of a variable or a block",
	} {
		if err := c.conn.Call(t.Context(), "textDocument/prepareRename", c.params(c.at(texts["p.hcl"], around, "")), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want it refused, %s, have %v", around, want, err)
		}
	}
	for to, want := range map[string]string{"a b": "want a letter and then letters", "out": ""} {
		err := c.conn.Call(t.Context(), "textDocument/rename", c.params(c.at(texts["p.hcl"], `variable "o|ut"`, `,"newName":"`+to+`"`)), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("to %q: want %q, have %v", to, want, err)
		}
	}

	// From the file of steps, with the pipeline as it is in the editor.
	changed := strings.Replace(texts["p.hcl"], `  role = var.out`, `  # ours`+"\n"+`  role = var.out`, 1)
	c.change(changed)
	<-c.mistakes
	texts["p.hcl"] = changed
	c.uri = c.write("a.steps.hcl", texts["a.steps.hcl"])
	c.tell("textDocument/didOpen", `{"textDocument":{"uri":"$URI","languageId":"hcl","version":1,"text":`+quote(texts["a.steps.hcl"])+`}}`)
	<-c.mistakes
	edit := c.ask("textDocument/rename", c.at(texts["a.steps.hcl"], `step "louder" "lo|ud"`, `,"newName":"loudest"`))
	want := map[string]string{
		"a.steps.hcl": strings.Replace(texts["a.steps.hcl"], `"loud"`, `"loudest"`, 1), "p.test.hcl": strings.NewReplacer(`"loud"`, `"loudest"`).Replace(texts["p.test.hcl"]),
	}
	if diff := cmp.Diff(want, c.renamed(edit, texts)); diff != "" {
		t.Errorf("a step of a file of steps (-want +have):\n%s", diff)
	}
	edit = c.ask("textDocument/rename", c.at(texts["a.steps.hcl"], `variable "ro|le"`, `,"newName":"who"`))
	want = map[string]string{
		"a.steps.hcl": strings.NewReplacer(`"role"`, `"who"`, "var.role", "var.who").Replace(texts["a.steps.hcl"]),
		"p.hcl":       strings.Replace(changed, "  role =", "  who =", 1), "other.hcl": strings.Replace(texts["other.hcl"], "role =", "who =", 1),
	}
	if diff := cmp.Diff(want, c.renamed(edit, texts)); diff != "" {
		t.Errorf("a variable of a file of steps (-want +have):\n%s", diff)
	}
}

// TestLanguageServerLabels holds what an editor gets of labels: in the path of a sink, in a route and in a case; and of files that a
// text names.
func TestLanguageServerLabels(t *testing.T) {
	const text = `variable "dir" {
  default = "names"
}

variable "given" {}

source "jsonl" "in" {
  paths = [var.given, "in.jsonl"]
}

step "split" "parts" {}

step "alias" "actions" {
  file = "${pipeline.dir}/${var.dir}/eliza.json"
}

step "split" "again" {}

route "where" {
  on = "@split"

  case "val" {}
  case "te" {}
  default {}
}

step "split" "behind" {}

sink "jsonl" "rows" {
  path       = "${var.dir}/{spl}-{split}.jsonl"
  unfiltered = true
}
`
	c := startEditor(t, text)
	c.wantMistakes("before it is saved", "")
	aliases := c.write("names/eliza.json", "{}")
	complete := func(around string) string {
		return c.ask("textDocument/completion", c.at(text, around, "")).Get("items.#.textEdit.newText").Raw
	}
	for around, want := range map[string]string{
		"{s|pl}": `["split","trajectoryId"]`, "{|spl}": `["split","trajectoryId"]`, `case "te|"`: `["train","test","repair_eval","calibration"]`, `on = "@|split"`: `["@split","@trajectoryId"]`,
	} {
		if have := complete(around); have != want {
			t.Errorf("%s: want %s completed, have %s", around, want, have)
		}
	}
	for around, want := range map[string]string{
		"{sp|lit}": "plugin split sets it to `train`, `val`", "{sp|l}": "no plugin of the file declares it", `on = "@sp|lit"`: "label `split`",
		`case "v|al"`: "`val` is a value of label `split`",
	} {
		if have := c.ask("textDocument/hover", c.at(text, around, "")).Get("contents.value").Str; !strings.Contains(have, want) {
			t.Errorf("%s: want it explained as %s, have %q", around, want, have)
		}
	}
	for around, want := range map[string]string{"{sp|lit}": `"behind"`, `on = "@sp|lit"`: `"again"`, `case "v|al"`: `"again"`} {
		have := c.ask("textDocument/definition", c.at(text, around, "")).Get("range.start.line").Int()
		if line := strings.Split(text, "\n")[have]; !strings.Contains(line, want) {
			t.Errorf("%s: want the step %s, have %q", around, want, line)
		}
	}
	if have := c.ask("textDocument/definition", c.at(text, "/eli|za.json", "")).Get("uri").Str; have != aliases {
		t.Errorf("want the file of aliases, have %q", have)
	}
	if have := c.ask("textDocument/definition", c.at(text, `"in|.jsonl"`, "")); have.Raw != "null" {
		t.Errorf("want no definition of a file that is not there, have %s", have.Raw)
	}
	c.save(text)
	c.wantMistakes("labels and cases that nothing sets, and inputs that are not there", `7:11 2 source jsonl.in cannot be read now; want a file, have nothing at "x"`+"\n"+`7:22 2 source jsonl.in cannot be read now; want a file, have nothing at "in.jsonl"`+"\n"+
		"22:2 1 no record takes case \"te\" of route where; want a value that label split may have (train, val, test, repair_eval, calibration), have \"te\"; did you mean \"test\"?\n"+
		"29:2 1 the path of sink jsonl.rows names a label that nothing sets; want one of split, trajectoryId, have \"spl\"; did you mean \"split\"?")
}

package editor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

const file = `variable "input" {
  default     = "in.jsonl"
  description = "what is read"
}

variable "key" {
  default   = "hush"
  sensitive = true
}

plugin "mine" {
  path = "bin/mine"
}

source "jsonl" "in" {
  paths = [var.input]
}

step "mark" "m" {
  profile = "standard"
}

§

sink "jsonl" "out" {
  path = "out.jsonl"
}
`

var mark = wire.Info{
	Name: "mark", Doc: "marks records", Outputs: []string{"found"}, Labels: []string{"kind", "*"},
	LabelValues: map[string][]string{"kind": {"odd", "even"}},
	Codes:       map[string]string{"bad_row": "the row is bad"},
	Args: []wire.Arg{
		{Name: "profile", Type: "a string", Words: []string{"standard", "strict"}, Doc: "which rules", Default: `"standard"`},
		{Name: "keys", Type: "a list of strings", Doc: "what to mark", Example: `["a"]`, Required: true},
		{Name: "deep", Type: "a boolean", Doc: "look inside", Default: "false"},
		{Name: "gates", Type: "an object", Words: []string{"drop", "keep"}, Doc: "by gate"},
		{Name: "backend", Type: "an object", Doc: "a program"},
		{Name: "backend.command", Type: "a list of strings", Doc: "how to start it", Required: true},
		{Name: "backend.mode", Type: "a string", Words: []string{"fast", "slow"}, Doc: "how to run it"},
	},
}

// open returns a document that knows what a catalogue has.
func open(path string, src []byte, known catalogue) *Document {
	if known.Barred == nil {
		known.Barred = func(string) string { return "" }
	}
	return &Document{path, src, config.ReadOutline(src), known, config.Given{Vars: known.Vars, Env: os.LookupEnv}}
}

// openAt puts a text into the file, whose bar is the point that is asked about.
func openAt(text string) (*Document, int) {
	src := strings.Replace(file, "§", text, 1)
	at := strings.Index(src, "|")
	src = strings.Replace(src, "|", "", 1)
	kinds := []wire.Info{{Name: "jsonl", Doc: "lines", Args: []wire.Arg{{Name: "path", Type: "a string", Doc: "a file", Required: true}}}}
	return open("p.hcl", []byte(src), catalogue{
		Sources: kinds, Sinks: kinds, Plugins: []string{"mark", "mine"},
		Plugin: func(name string) (wire.Info, bool) { return mark, name == "mark" },
	}), at
}

// TestComplete protects what an editor offers at a point, and which text that replaces.
func TestComplete(t *testing.T) {
	cases := []struct{ reason, text, want string }{
		{"blocks of the top level", "ro|", `variable plugin source dead_letter manifest receipt include step first route tee shadow sink for "ro"`},
		{"attributes and blocks of a step, without those that are there", "step \"mark\" \"n\" {\n  |\n  deep = true\n}", `profile keys gates backend host output for ""`},
		{"the attribute that is being written", "step \"mark\" \"n\" {\n  de|\n}", `profile keys deep gates backend host output for "de"`},
		{"of a plugin that nobody knows", "step \"mine\" \"n\" {\n  |\n}", `host output for ""`},
		{"of a host block", "step \"mark\" \"n\" {\n  host {\n    |\n  }\n}", `workers batch process timeout memory on_crash restarts env keep deprecated enabled for ""`},
		{"members of an object", "step \"mark\" \"n\" {\n  backend = {\n    co|\n  }\n}", `command mode for "co"`},
		{"plugins", "step \"ma|", `mark mine for "ma"`},
		{"plugins without a quote", "step |", `mark mine for ""`},
		{"kinds of sinks", "sink \"|\"", `jsonl for ""`},
		{"outputs of the step around", "step \"mark\" \"n\" {\n  output \"|\"\n}", `found for ""`},
		{"a name is free", "step \"mark\" \"|\"", ` for ""`},
		{"words, inside quotes", "step \"mark\" \"n\" {\n  profile = \"st|\"\n}", `standard strict for "st"`},
		{"words of the values of an object", "step \"mark\" \"n\" {\n  gates = { x = \"|\" }\n}", `drop keep for ""`},
		{"words of a member", "step \"mark\" \"n\" {\n  backend = { mode = \"|\" }\n}", `fast slow for ""`},
		{"variables", "tee \"t\" {\n  sink \"jsonl\" \"s\" {\n    path = \"${var.|}/x\"\n  }\n}", `input key for ""`},
		{"of pipeline", "step \"mark\" \"n\" {\n  x = pipeline.|\n}", `dir for ""`},
		{"words of the host", "step \"mark\" \"n\" {\n  host {\n    on_crash = \"|\"\n  }\n}", `isolate fail for ""`},
		{"labels that a route can be on", "route \"r\" {\n  on = \"|\"\n}", `@kind for ""`},
		{"values of the label that a route is on", "route \"r\" {\n  on = \"@kind\"\n  case \"o|\"\n}\nstep \"mark\" \"n\" {}", `odd even for "o"`},
		{"those without a case, though on comes later", "route \"r\" {\n  case \"odd\" {}\n  case \"|\" {}\n  on = \"@kind\"\n}", `even for ""`},
		{"no values of a path", "route \"r\" {\n  on = \"kind\"\n  case \"|\" {}\n}", ` for ""`},
		{"nothing in a comment", "# st|", ` for ""`},
	}
	for _, c := range cases {
		d, at := openAt(c.text)
		all, span := d.Complete(at)
		var names []string
		for _, x := range all {
			names = append(names, x.Name)
		}
		if have := fmt.Sprintf("%s for %q", strings.Join(names, " "), d.src[span.Start:span.End]); have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
	}
}

// TestCandidates protects how what is offered is written.
func TestCandidates(t *testing.T) {
	cases := []struct{ reason, text, name, want string }{
		{"a block with its labels", "st|", "step", `step "" "" {¶} / step "${1:PLUGIN}" "${2:NAME}" {¶  $0¶}`},
		{"a string of words", "step \"mark\" \"n\" {\n  |\n}", "profile", `profile =  / profile = "${1|standard,strict|}"`},
		{"a list", "step \"mark\" \"n\" {\n  |\n}", "keys", `keys =  / keys = [$1]`},
		{"a word without quotes", "step \"mark\" \"n\" {\n  profile = |\n}", "strict", `"strict" / `},
		{"an example", "step \"mark\" \"n\" {\n  keys = |\n}", `["a"]`, `["a"] / `},
		{"a boolean", "step \"mark\" \"n\" {\n  deep = |\n}", "true", `true / `},
		{"a type", "variable \"v\" {\n  type = |\n}", "list(string)", `list(string) / `},
		{"a function", "step \"mark\" \"n\" {\n  keys = |\n}", "split", `split( / split($0)`},
		{"a plugin without a quote", "step |", "mine", `"mine" / `},
	}
	for _, c := range cases {
		d, at := openAt(c.text)
		have := "nothing"
		all, _ := d.Complete(at)
		for _, x := range all {
			if x.Name == c.name {
				have = strings.ReplaceAll(x.Text+" / "+x.Snippet, "\n", "¶")
			}
		}
		if have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
	}
}

// TestExplain protects what an editor shows of the word under the pointer.
func TestExplain(t *testing.T) {
	cases := []struct{ reason, text, want string }{
		{"a block", "te|e \"t\" {}", "sends a copy of the stream into a branch of its own, which ends in a sink"},
		{"an attribute of a plugin", "step \"mark\" \"n\" {\n  pro|file = 1\n}", "`profile` takes \"standard\", \"strict\", default `\"standard\"`\n\nwhich rules"},
		{"its value", "step \"mark\" \"n\" {\n  profile = \"|strict\"\n}", "`profile` takes \"standard\", \"strict\", default `\"standard\"`\n\nwhich rules"},
		{"an attribute of the host", "step \"mark\" \"n\" {\n  host {\n    |memory = 1\n  }\n}", "`memory` takes a size\n\nhow much the process may use, 4GiB by default, 0 for no limit"},
		{"a plugin", "step \"ma|rk\" \"n\" {}", "**mark** marks records\n\n- `profile`: which rules\n- `keys`: what to mark\n- `deep`: look inside\n" +
			"- `gates`: by gate\n- `backend`: a program\n\noutputs `found`\n\nlabels `kind`, `*`\n\nvalues of `kind` `odd`, `even`\n\nreject codes `bad_row`"},
		{"a variable", "step \"mark\" \"n\" {\n  keys = [var.inp|ut]\n}", "`var.input`, default \"in.jsonl\"\n\nwhat is read"},
		{"a secret one", "step \"mark\" \"n\" {\n  keys = [var.ke|y]\n}", "`var.key`, no default"},
		{"a function", "step \"mark\" \"n\" {\n  keys = spl|it(\",\", \"a\")\n}", "`split(between, text)`\n\nthe parts of a text between those that are something"},
		{"a name", "step \"mark\" \"mar|k\" {}", ""},
		{"a comment", "# te|e", ""},
	}
	for _, c := range cases {
		d, at := openAt(c.text)
		have, _ := d.Explain(at)
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestDefine protects where the declaration of a word is found.
func TestDefine(t *testing.T) {
	for text, want := range map[string]string{
		"step \"mark\" \"n\" {\n  keys = [var.in|put]\n}": `variable "input"`,
		"step \"mi|ne\" \"n\" {}":                         `plugin "mine"`,
		"step \"mark|\" \"n\" {}":                         "",
		"step \"mark\" \"n\" {\n  keys = [var.other|]\n}": "",
	} {
		d, at := openAt(text)
		span, ok := d.Define(at)
		have := ""
		if ok {
			line := string(d.src[:span.End+1])
			have = line[strings.LastIndexByte(line, '\n')+1:]
		}
		if have != want {
			t.Errorf("%q: want %s, have %s", text, want, have)
		}
	}
}

// TestListed protects what else is read from a file that is not finished.
func TestListed(t *testing.T) {
	d, _ := openAt("step \"mine\" \"x\" {\n  a = [\n")
	want := []Variable{{Name: "input", Default: `"in.jsonl"`, Description: "what is read"}, {Name: "key"}}
	if diff := cmp.Diff(want, d.Variables()); diff != "" {
		t.Errorf("variables (-want +have):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"mark.m", "mine.x"}, d.Steps()); diff != "" {
		t.Errorf("steps (-want +have):\n%s", diff)
	}
	var names []string
	for _, s := range d.Symbols() {
		names = append(names, s.Kind+" "+s.Name)
	}
	if have := strings.Join(names, ", "); have != "variable input, variable key, plugin mine, source jsonl.in, step mark.m, step mine.x, sink jsonl.out" {
		t.Errorf("want all blocks as symbols, have %s", have)
	}
	if diags := d.Diagnose(); !diags.HasErrors() || diags[0].Line == 0 {
		t.Errorf("want the mistake with its place, have %v", diags)
	}
}

// TestTests protects that a file of tests is completed by its own words.
func TestTests(t *testing.T) {
	src := "te\ntest \"a\" {\n  expect reject {\n    co\n  }\n}\n"
	d := open("p.test.hcl", []byte(src), catalogue{})
	for at, want := range map[int]string{2: "test mock never always", strings.Index(src, "co\n") + 2: "code step path line count"} {
		var names []string
		all, _ := d.Complete(at)
		for _, c := range all {
			names = append(names, c.Name)
		}
		if have := strings.Join(names, " "); have != want {
			t.Errorf("want %s, have %s", want, have)
		}
	}
	if diags := d.Diagnose(); !diags.HasErrors() {
		t.Error("want a mistake, have none")
	}
}

// TestFix protects which part of a text a suggestion replaces.
func TestFix(t *testing.T) {
	for _, c := range []struct{ reason, text, suggestion, want string }{
		{"a variable keeps its var", "var.inptu", "input", "var.input"},
		{"a name that lacks it gets it", "input", "var.input", "var.input"},
		{"a block", "stepp", "step", "step"},
		{"a string keeps its quotes", `"adapter.steps.hcl"`, "adapters.steps.hcl", `"adapters.steps.hcl"`},
		{"one label of a head", `step "privcy" "redact"`, "privacy", `step "privacy" "redact"`},
		{"two words that are as near", `step "spit" "spit"`, "split", ""},
		{"an attribute whose value is wrong", "profile", "standard", ""},
		{"without a suggestion", "stepp", "", ""},
	} {
		have := ""
		if at, ok := Fix(c.text, config.Diagnostic{Summary: `unknown "inptu", "input", "stepp", "privcy" or "spit"`, Suggestion: c.suggestion}); ok {
			have = c.text[:at.Start] + c.suggestion + c.text[at.End:]
		}
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestInclude protects that a document knows the file of steps that it includes, and that such a file is checked by itself.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	steps := "variable \"role\" {\n  default = \"user\"\n}\n\nstep \"mark\" \"m\" {\n  profile = var.role\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.steps.hcl"), []byte(steps), 0o666); err != nil {
		t.Fatal(err)
	}
	src := "first \"f\" {\n  \n  include \"a\" {\n    file = \"a.steps.hcl\"\n    role = \"x\"\n    \n  }\n}\n"
	known := catalogue{Plugin: func(name string) (wire.Info, bool) { return mark, name == "mark" }}
	d := open(filepath.Join(dir, "p.hcl"), []byte(src), known)
	if diff := cmp.Diff([]string{"mark.m"}, d.Steps()); diff != "" {
		t.Errorf("steps (-want +have):\n%s", diff)
	}
	for at, want := range map[int]string{strings.Index(src, "  include"): "profile keys deep gates backend report step shadow include", strings.Index(src, "role") + 2: "role"} {
		var names []string
		all, _ := d.Complete(at)
		for _, c := range all {
			names = append(names, c.Name)
		}
		if have := strings.Join(names, " "); have != want {
			t.Errorf("at %d: want %s, have %s", at, want, have)
		}
	}
	at, ok := d.Define(strings.Index(src, "role"))
	if !ok || at.Path != filepath.Join(dir, "a.steps.hcl") || string(at.Text[at.Start:at.End]) != "role" {
		t.Errorf("want the variable of the file of steps, have %v, %t", at, ok)
	}
	if at, ok := d.Define(strings.Index(src, "a.steps")); !ok || at.Path == "" || at.End != 0 {
		t.Errorf("want the start of the file of steps, have %v, %t", at, ok)
	}
	if diags := open(filepath.Join(dir, "a.steps.hcl"), []byte(steps), known).Diagnose(); len(diags) > 0 {
		t.Errorf("want no mistake in a file of steps, have %v", diags)
	}
	wrong := strings.Replace(steps, "var.role", "var.rol", 1) + "source \"jsonl\" \"in\" {}\n"
	if diags := open(filepath.Join(dir, "a.steps.hcl"), []byte(wrong), known).Diagnose(); len(diags) != 2 || diags[0].Suggestion != "role" || diags[1].Line != 8 {
		t.Errorf("want a variable and a source, have %v", diags)
	}
}

// TestReferences protects where a document uses a variable or a plugin, from its declaration and from a use.
func TestReferences(t *testing.T) {
	for text, want := range map[string]int{
		"step \"mark\" \"n\" {\n  keys = [var.in|put, var[\"input\"], \"${var.input}\", a.var.input, var.inputs]\n}": 5,
		"variable \"l|ate\" {}\nstep \"mark\" \"n\" {\n  keys = [var.late]\n}":                                       2,
		"step \"mi|ne\" \"n\" {}\n\nstep \"mine\" \"o\" {}":                                                          3,
		"step \"mine\" \"n|\" {}": 0,
	} {
		d, at := openAt(text)
		all := d.References(at, true)
		if len(all) != want {
			t.Errorf("%q: want %d places, have %d", text, want, len(all))
		}
		for _, s := range all {
			if have := string(d.src[s.Start:s.End]); have != "input" && have != "late" && have != "mine" {
				t.Errorf("%q: want the name, have %q", text, have)
			}
		}
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLanguageServerTrust protects that an editor starts no program beside a file, and reads nothing outside of its folder, before the
// user trusts the folder; and that the program is started once they do.
func TestLanguageServerTrust(t *testing.T) {
	upper, err := exec.LookPath("sluice-plugin-upper")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("SECRET", "hunter2")
	c := startEditor(t, "")
	<-c.mistakes
	folder := filepath.Dir(strings.TrimPrefix(c.uri, "file://"))
	program, started := filepath.Join(folder, "sluice-plugin-own"), filepath.Join(folder, "started")
	script := "#!/bin/sh\n: >" + started + "\nexec " + upper + ` "$@"` + "\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(edited, `step "upper" "mine" {`, `step "own" "mine" {`, 1)
	text = strings.Replace(text, "[var.given]", `["${pipeline.dir}/p.hcl"]`, 1)
	text = strings.Replace(text, `field = "text"`, "field = var.given", 1)
	text = strings.Replace(text, "path = \"out.jsonl\"", "path = \"out.jsonl\"\n  unfiltered = true", 1)
	text = strings.Replace(text, `variable "given" {}`, `variable "given" { default = env("SECRET") }`, 1)
	text = "plugin \"own\" {\n  name = \"upper\"\n}\n" + text
	c.change(text)
	advice := folder + `/p.hcl is not trusted: read it, then run "sluice trust ` + folder + `/p.hcl", or pass --trust for this command only`
	ofProgram := program + ", which is not trusted as it is now: read " + folder + "/p.hcl and look at the program, then run" + advice[strings.Index(advice, ` "sluice trust`):]
	told := "3:29 2 the environment variable SECRET is not read; " + advice + "\n13:0 2 plugin own not started; plugin own is " + ofProgram
	c.wantMistakes("a file that is opened", told)
	for _, question := range []string{"completion", "hover", "definition", "documentSymbol"} {
		for _, at := range []string{`{"line":13,"character":7}`, `{"line":14,"character":3}`} {
			c.ask("textDocument/"+question, `{"textDocument":{"uri":"$URI"},"position":`+at+`}`)
		}
	}
	c.save(text)
	c.wantMistakes("a file that is saved", strings.Replace(told, "plugin own not started; plugin own", "step own.mine not checked; plugin upper", 1))
	if _, err := os.Stat(started); err == nil {
		t.Fatal("want the program not started before the folder is trusted, have it started")
	}

	actions := c.ask("textDocument/codeAction", `{"textDocument":{"uri":"$URI"},"range":{"start":{"line":13,"character":0},"end":{"line":13,"character":0}},"context":{"diagnostics":[]}}`)
	if want, have := "trust the pipelines in "+folder+" and the programs that they name", actions.Get("0.title").Str; have != want {
		t.Fatalf("want %q offered, have %s", want, actions)
	}
	c.ask("workspace/executeCommand", actions.Get("0.command").Raw)
	c.wantMistakes("the text as it is trusted", "")
	c.wantMistakes("the checks of the program", "")
	if _, err := os.Stat(started); err != nil {
		t.Errorf("want the program started, have %v", err)
	}
}

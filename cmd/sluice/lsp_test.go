package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/jsonrpc2"
	"github.com/tidwall/gjson"
)

// A client is an editor that has started the language server.
type client struct {
	t        *testing.T
	conn     *jsonrpc2.Conn
	program  *exec.Cmd
	uri      string
	mistakes chan string // of each publication, "LINE:COLUMN severity message" a line
}

type conduit struct {
	io.ReadCloser
	io.WriteCloser
}

func (c conduit) Close() error {
	c.WriteCloser.Close()
	return c.ReadCloser.Close()
}

// startEditor starts the program as an editor does, and opens a file with a text.
func startEditor(t *testing.T, text string) *client {
	c := &client{t: t, mistakes: make(chan string, 10)}
	c.program = exec.CommandContext(t.Context(), "sluice", "lsp", "--var", "given=x")
	plugin, err := exec.LookPath("sluice-plugin-upper")
	if err != nil {
		t.Fatal(err)
	}
	c.program.Env = append(os.Environ(), "SLUICE_PLUGIN_PATH="+filepath.Dir(plugin))
	in, err := c.program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.program.Start(); err != nil {
		t.Fatal(err)
	}
	c.conn = jsonrpc2.NewConn(t.Context(), jsonrpc2.NewBufferedStream(conduit{out, in}, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.HandlerWithError(c.hear))
	c.uri = "file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "p.hcl"))
	began := time.Now()
	if name := c.ask("initialize", `{"capabilities":{"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}}}`).Get("serverInfo.name").Str; name != "sluice" {
		t.Fatalf("want the server to be sluice, have %q", name)
	}
	c.tell("initialized", `{}`)
	c.tell("textDocument/didOpen", `{"textDocument":{"uri":"$URI","languageId":"hcl","version":1,"text":`+quote(text)+`}}`)
	c.ask("textDocument/completion", `{"textDocument":{"uri":"$URI"},"position":{"line":0,"character":0}}`)
	t.Logf("first completion %v after the start was asked for", time.Since(began))
	return c
}

// hear takes what the server says by itself.
func (c *client) hear(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	var lines []string
	for _, d := range gjson.GetBytes(*req.Params, "diagnostics").Array() {
		at := d.Get("range.start")
		lines = append(lines, at.Get("line").Raw+":"+at.Get("character").Raw+" "+d.Get("severity").Raw+" "+d.Get("message").Str)
	}
	c.mistakes <- strings.Join(lines, "\n")
	return nil, nil
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
}

func (c *client) params(text string) json.RawMessage {
	return json.RawMessage(strings.ReplaceAll(text, "$URI", c.uri))
}

func (c *client) ask(method, params string) gjson.Result {
	c.t.Helper()
	var answer json.RawMessage
	if err := c.conn.Call(c.t.Context(), method, c.params(params), &answer); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return gjson.ParseBytes(answer)
}

func (c *client) tell(method, params string) {
	c.t.Helper()
	if err := c.conn.Notify(c.t.Context(), method, c.params(params)); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// change has the editor's user write another text.
func (c *client) change(text string) {
	c.tell("textDocument/didChange", `{"textDocument":{"uri":"$URI","version":2},"contentChanges":[{"text":`+quote(text)+`}]}`)
}

func (c *client) save(text string) {
	if err := os.WriteFile(strings.TrimPrefix(c.uri, "file://"), []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
	c.tell("textDocument/didSave", `{"textDocument":{"uri":"$URI"}}`)
}

// wantMistakes waits for the next publication.
func (c *client) wantMistakes(reason, want string) {
	c.t.Helper()
	if diff := cmp.Diff(want, <-c.mistakes); diff != "" {
		c.t.Errorf("%s (-want +have):\n%s", reason, diff)
	}
}

const edited = `variable "given" {}

source "jsonl" "in" {
  paths = [var.given]
}

step "native" "canonical" {
  profile = "standard"
}

step "upper" "mine" {
  field = "text"
}

sink "jsonl" "out" {
  path = "out.jsonl"
}
`

// TestLanguageServer protects what an editor gets of the language server over its protocol, from the start to the end.
func TestLanguageServer(t *testing.T) {
	c := startEditor(t, edited)
	c.wantMistakes("a file without mistakes", "")

	broken := strings.Replace(edited, "var.given", "var.givne", 1)
	c.change(broken)
	c.wantMistakes("a mistake while it is written", `3:11 1 unknown variable "givne" in source "jsonl" "in"; want given; did you mean "given"?`)
	fixes := c.ask("textDocument/codeAction", `{"textDocument":{"uri":"$URI"},"range":{"start":{"line":3,"character":12},"end":{"line":3,"character":12}},"context":{"diagnostics":[]}}`)
	if have := fixes.Get("0.title").Str + " " + fixes.Get("0.edit.changes.*.0").Raw; have != `replace by "given" {"range":{"start":{"line":3,"character":15},"end":{"line":3,"character":20}},"newText":"given"}` {
		t.Errorf("want what was meant offered, have %s", have)
	}

	wrong := strings.Replace(strings.Replace(edited, `"standard"`, `"standart"`, 1), "field =", "feild =", 1)
	c.change(wrong)
	c.wantMistakes("a mistake that only plugins see", "")
	c.save(wrong)
	c.wantMistakes("is told when the file is saved, of the built-in and of the own plugin", strings.Join([]string{
		`7:2 1 step native.canonical: bad attribute profile; want standard or reference, have "standart"; did you mean "standard"? see sluice docs native`,
		`11:2 1 step upper.mine: bad attribute feild; want one of field, width, have "feild"; did you mean "field"? see sluice docs upper`,
	}, "\n"))

	c.change(strings.Replace(edited, "profile = \"standard\"", "al", 1))
	<-c.mistakes
	items := c.ask("textDocument/completion", `{"textDocument":{"uri":"$URI"},"position":{"line":7,"character":4}}`).Get("items")
	if have := items.Get(`#(label=allow).textEdit`).Raw; have != `{"range":{"start":{"line":7,"character":2},"end":{"line":7,"character":4}},"newText":"allow = [$1]"}` {
		t.Errorf("want allow completed where al stands, have %s", have)
	}

	c.change(edited)
	<-c.mistakes
	if have := c.ask("textDocument/completion", `{"textDocument":{"uri":"$URI"},"position":{"line":11,"character":0}}`).Get("items.#.label").Raw; !strings.HasPrefix(have, `["width"`) {
		t.Errorf("want what the own plugin takes beside field, have %s", have)
	}
	if have := c.ask("textDocument/hover", `{"textDocument":{"uri":"$URI"},"position":{"line":7,"character":4}}`).Get("contents.value").Str; !strings.Contains(have, "`profile` takes") {
		t.Errorf("want what profile is, have %q", have)
	}
	if have := c.ask("textDocument/definition", `{"textDocument":{"uri":"$URI"},"position":{"line":3,"character":17}}`).Get("range").Raw; have != `{"start":{"line":0,"character":10},"end":{"line":0,"character":15}}` {
		t.Errorf("want the variable's name, have %s", have)
	}
	if have := c.ask("textDocument/references", `{"textDocument":{"uri":"$URI"},"position":{"line":0,"character":12},"context":{"includeDeclaration":true}}`).Get("#.range.start").Raw; have != `[{"line":0,"character":10},{"line":3,"character":15}]` {
		t.Errorf("want the variable's name and its use, have %s", have)
	}
	if have := c.ask("textDocument/documentSymbol", `{"textDocument":{"uri":"$URI"}}`).Get("#.name").Raw; have != `["variable given","source jsonl.in","step native.canonical","step upper.mine","sink jsonl.out"]` {
		t.Errorf("want the blocks of the file, have %s", have)
	}
	c.change("x   =   1\n")
	<-c.mistakes
	if have := c.ask("textDocument/formatting", `{"textDocument":{"uri":"$URI"},"options":{"tabSize":2}}`).Get("0.newText").Str; have != "x = 1\n" {
		t.Errorf("want the text formatted, have %q", have)
	}

	c.tell("textDocument/didClose", `{"textDocument":{"uri":"$URI"}}`)
	c.wantMistakes("a file that is closed", "")
	if err := c.conn.Call(t.Context(), "textDocument/hover", c.params(`{"textDocument":{"uri":"$URI"},"position":{}}`), nil); err == nil || !strings.Contains(err.Error(), "want a document that is open") {
		t.Errorf("want a document that is not open refused, have %v", err)
	}
	if err := c.conn.Call(t.Context(), "textDocument/moniker", c.params(`{}`), nil); err == nil || !strings.Contains(err.Error(), "want a method of this server") {
		t.Errorf("want an unknown method refused, have %v", err)
	}
	c.ask("shutdown", `null`)
	c.tell("exit", `null`)
	if err := c.program.Wait(); err != nil {
		t.Errorf("want the program to end with 0, have %v", err)
	}
}

// TestLanguageServerAlone protects that the server does not outlive its editor.
func TestLanguageServerAlone(t *testing.T) {
	c := startEditor(t, edited)
	c.conn.Close()
	if err := c.program.Wait(); err == nil {
		t.Error("want the program to fail without a shutdown, have 0")
	}
}

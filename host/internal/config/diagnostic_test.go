package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const located = `source "jsonl" "in" {
  paths = ["a", "b"]
}

step "x" "y" {
	nested = { list = [1, { key = "v" }] }
  plain = 1
}

sink "jsonl" "out" {}
`

func TestAtPointsIntoTheFile(t *testing.T) {
	p, diags := Parse("p.hcl", []byte(located), Given{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	step := p.Body[0].(*Step)
	for _, test := range []struct {
		args               Args
		attr, want, reason string
	}{
		{p.Sources[0].Args, "paths", "2:3-2:8", "the name of an attribute"},
		{p.Sources[0].Args, "paths.1", "2:17-2:20", "an element of a list"},
		{p.Sources[0].Args, "paths.7", "2:3-2:8", "no such element: the attribute"},
		{step.Args, "nested.list.1.key", "6:26-6:29", "an object in a list in an object"},
		{step.Args, "nested.list.1.nokey", "6:24-6:37", "no such key: the object"},
		{step.Args, "absent", "5:1-5:13", "no such attribute: the header of the block"},
		{step.Args, "", "5:1-5:13", "the block itself"},
		{Args{}, "a.b", "0:0-0:0", "no block at all"},
	} {
		d := p.At(test.args, test.attr, "s", "d")
		have := fmt.Sprintf("%d:%d-%d:%d", d.Line, d.Column, d.EndLine, d.EndColumn)
		if have != test.want {
			t.Errorf("%s (%s): want %s, have %s", test.attr, test.reason, test.want, have)
		}
	}
	want := "p.hcl:6:26: s; d"
	d := p.At(step.Args, "nested.list.1.key", "s", "d")
	if d.String() != want || d.Context != `step "x" "y"` {
		t.Errorf("want %s in the step, have %s in %q", want, d, d.Context)
	}
	wantSnippet := "p.hcl:6:26: s\n  6 | \tnested = { list = [1, { key = \"v\" }] }\n      \t" + strings.Repeat(" ", 24) + "^^^\n  d\n"
	if diff := cmp.Diff(wantSnippet, d.Snippet()); diff != "" {
		t.Error(diff)
	}
	if d := p.AtRange(step.Range, "no such plugin", ""); d.String() != "p.hcl:5:1: no such plugin" {
		t.Errorf("want the header of the step, have %s", d)
	}
}

const withHost = `source "jsonl" "in" {}

step "x" "y" {
  host {
    workers = 3
  }
}

step "x" "z" {}

sink "jsonl" "out" {}
`

// TestAtHostPointsIntoTheFile holds that the host can show what it has against an attribute of its own block.
func TestAtHostPointsIntoTheFile(t *testing.T) {
	p, diags := Parse("p.hcl", []byte(withHost), Given{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	with, without := p.Body[0].(*Step), p.Body[1].(*Step)
	for _, test := range []struct {
		step       *Step
		attr, want string
		wrote      bool
		reason     string
	}{
		{with, "workers", "5:15-5:16", true, "the value"},
		{with, "timeout", "3:1-3:13", false, "a default: the step"},
		{without, "workers", "9:1-9:13", false, "no host block at all: the step"},
	} {
		d := p.AtHost(test.step, test.attr, "s", "d")
		have := fmt.Sprintf("%d:%d-%d:%d", d.Line, d.Column, d.EndLine, d.EndColumn)
		if have != test.want || test.step.Host.Wrote(test.attr) != test.wrote {
			t.Errorf("%s of %s (%s): want %s, have %s", test.attr, test.step.Name, test.reason, test.want, have)
		}
		if want := fmt.Sprintf("step \"x\" %q", test.step.Name); d.Context != want {
			t.Errorf("want context %s, have %s", want, d.Context)
		}
	}
}

func TestColumnsCountCharacters(t *testing.T) {
	for _, test := range []struct{ before, want, reason string }{
		{"", "2:16", "plain"},
		{"é日😀", "2:19", "characters, not bytes"},
		{"e\u0301", "2:18", "a combining mark is a character too"},
	} {
		src := "\ufeffsource \"jsonl\" \"in\" {\r\n  paths = [\"" + test.before + "\", nope]\r\n}\r\nsink \"jsonl\" \"out\" {}\r\n"
		_, diags := Parse("p.hcl", []byte(src), Given{})
		have := ""
		for _, d := range diags {
			have += fmt.Sprintf("%d:%d", d.Line, d.Column)
		}
		if have != test.want {
			t.Errorf("%q (%s): want %s, have %s\n%s", test.before, test.reason, test.want, have, diags)
		}
	}
}

func TestDiagnosticsAreForMachinesToo(t *testing.T) {
	_, diags := Parse("p.hcl", []byte("sorce \"jsonl\" \"in\" {}\nsink \"jsonl\" \"out\" {}\n"), Given{})
	have, err := json.Marshal(diags)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"severity":"error","summary":"unknown block \"sorce\" in the pipeline",` +
		`"detail":"want one of variable, plugin, source, dead_letter, manifest, receipt, include, step, first, route, tee, shadow, sink","suggestion":"source",` +
		`"path":"p.hcl","line":1,"column":1,"end_line":1,"end_column":6,"source":"sorce \"jsonl\" \"in\" {}"}]`
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Error(diff)
	}
}

// TestWarnings holds that a warning says what it is, stops nothing, and comes with the pipeline.
func TestWarnings(t *testing.T) {
	p, diags := Parse("p.hcl", []byte("variable \"v\" {}\n"+withHost), Given{})
	if p == nil || diags.HasErrors() || len(diags) != 1 {
		t.Fatalf("want a pipeline with one warning, have %v with %v", p, diags)
	}
	if want := `p.hcl:1:1: warning: variable "v" is not used; want var.v in the file, or remove the block`; diags.Error() != want {
		t.Errorf("want %s, have %s", want, diags)
	}
	d := p.AtRange(Range{}, "s", "").AsWarning()
	if d.Severity != Warning || d.String() != "p.hcl: warning: s" || d.Snippet() != "p.hcl: warning: s\n" {
		t.Errorf("want a warning of the whole file, have %s", d)
	}
}

// TestSecrets holds that the strings and long numbers of sensitive variables are known to whoever shows something, and that no
// diagnostic has them, made by whom it may.
func TestSecrets(t *testing.T) {
	p, diags := Parse("p.hcl", []byte(`
variable "token" { sensitive = true }
variable "list" {
  sensitive = true
  default   = ["ab", "", "abc", "ab"]
}
variable "map" {
  sensitive = true
  default   = { key = "line\nbreak" }
}
variable "number" {
  sensitive = true
  default   = 12
}
variable "pin" {
  sensitive = true
  default   = 4815162
}
variable "open" { default = "shown" }
source "jsonl" "in" {
  paths = [var.token, var.open, var.map.key, "${var.number}${var.pin}", file(var.token)]
  more  = var.list
}
sink "jsonl" "out" {}
`), Given{Vars: map[string]string{"token": "/dev/null"}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if diff := cmp.Diff([]string{"line\nbreak", "/dev/null", "4815162", "abc", "ab"}, p.Secrets()); diff != "" {
		t.Error(diff)
	}
	d := p.At(p.Sources[0].Args, "paths", "bad attribute", fmt.Sprintf("want one of abc, shown, have %q", "line\nbreak and /dev/null, 4815162"))
	if want := `want one of (sensitive), shown, have "(sensitive) and (sensitive), (sensitive)"`; d.Detail != want {
		t.Errorf("want %s, have %s", want, d.Detail)
	}
	if slices.ContainsFunc(p.Reads, func(r Reading) bool { return strings.Contains(r.Name, "null") }) {
		t.Errorf("want no secret in the name of a file that was read, have %v", p.Reads)
	}
}

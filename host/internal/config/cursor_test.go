package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestAt protects what an editor is told of the point where somebody types, marked with a bar, in files that are not
// finished there.
func TestAt(t *testing.T) {
	const around = "variable \"out\" {\n  default = \"out\"\n}\n\n%s\n\nsink \"jsonl\" \"rest\" {\n  path = \"x\"\n}\n"
	cases := []struct{ reason, src, want string }{
		{"an empty line at the top", "|", `body of "" word ""`},
		{"the first word of a line", "ste|", `body of "" word "ste"`},
		{"a word inside a block", "step \"a\" \"b\" {\n  prof|\n}", `body of "step" word "prof"`},
		{"an empty line inside a block", "step \"a\" \"b\" {\n  |\n}", `body of "step" word ""`},
		{"a block in a block that nobody has closed", "first \"x\" {\n  step \"a\" \"b\" {\n    |", `body of "step" word "" in first`},
		{"a label in quotes", "step \"nat|", `label 0 of step word "nat" quoted`},
		{"an empty label", "step \"|\"", `label 0 of step word "" quoted`},
		{"the second label", "step \"native\" \"ca|", `label 1 of step word "ca" quoted`},
		{"a label without quotes", "step |", `label 0 of step word ""`},
		{"behind the labels", "step \"a\" \"b\"|", `nothing of ""`},
		{"a value", "tee \"t\" {\n  sink \"jsonl\" \"s\" {\n    path = |\n  }\n}", `value of sink at path word "" in tee`},
		{"a word of a value", "step \"a\" \"b\" {\n  x = tr|\n}", `value of step at x word "tr"`},
		{"text in quotes", "step \"a\" \"b\" {\n  profile = \"stan|\n}", `text of step at profile word "stan"`},
		{"text behind other text of a template", "step \"a\" \"b\" {\n  x = \"${var.a}/b|\"\n}", `nothing of "step"`},
		{"a variable", "step \"a\" \"b\" {\n  x = var.|\n}", `path of step at x root var word ""`},
		{"a variable in a template", "step \"a\" \"b\" {\n  x = \"${var.in|\n}", `path of step at x root var word "in"`},
		{"a name in a template", "step \"a\" \"b\" {\n  x = \"${|}\"\n}", `value of step at x word ""`},
		{"what lies behind a variable", "step \"a\" \"b\" {\n  x = var.a.b|\n}", `nothing of "step"`},
		{"a list", "source \"jsonl\" \"in\" {\n  paths = [var.a, v|]\n}", `value of source at paths word "v"`},
		{"a key of an object", "step \"a\" \"b\" {\n  backend = {\n    on|\n  }\n}", `key of step at backend word "on"`},
		{"the next key", "step \"a\" \"b\" {\n  backend = {\n    batch = 1 # why\n    |\n  }\n}", `key of step at backend word ""`},
		{"a member of an object", "step \"a\" \"b\" {\n  backend = { on_failure = \"st|\" }\n}", `text of step at backend.on_failure word "st"`},
		{"a key in a list of objects", "step \"a\" \"b\" {\n  rules = [{ name = \"x\", pa| }]\n}", `key of step at rules word "pa"`},
		{"a comment", "step \"a\" \"b\" {\n  # prof|\n}", `nothing of "step"`},
		{"a heredoc", "step \"a\" \"b\" {\n  x = <<EOT\n  var.|\nEOT\n}", `nothing of "step"`},
	}
	for _, c := range cases {
		src := fmt.Sprintf(around, c.src)
		offset := strings.Index(src, "|")
		src = strings.Replace(src, "|", "", 1)
		if have := shown(ReadOutline([]byte(src)).At(offset)); have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
	}
}

func shown(p Cursor) string {
	var b strings.Builder
	switch p.In {
	case "":
		fmt.Fprintf(&b, "nothing of %q", p.Around.Kind.Text)
		return b.String()
	case InLabel:
		fmt.Fprintf(&b, "label %d of %s", p.Label, p.Head)
	case InBody:
		fmt.Fprintf(&b, "body of %q", p.Around.Kind.Text)
	default:
		fmt.Fprintf(&b, "%s of %s at %s", p.In, p.Around.Kind.Text, p.Attribute)
	}
	if p.Root != "" {
		fmt.Fprintf(&b, " root %s", p.Root)
	}
	fmt.Fprintf(&b, " word %q", p.Word.Text)
	if p.Quoted {
		b.WriteString(" quoted")
	}
	for _, kind := range p.Above[min(1, len(p.Above)):] {
		b.WriteString(" in " + kind)
	}
	return b.String()
}

// TestOutline protects that a file whose syntax is wrong in one place is still seen in all others.
func TestOutline(t *testing.T) {
	src := `variable "a" {
  default = ["x",
}

first "f" {
  step "native" "n" {
    host {
      timeout = "5s"
    }
  }
}

step "alias" "open" {
  file = "${pipeline.dir}/x
}

variable "b" { default = 1 }
`
	o := ReadOutline([]byte(src))
	var have []string
	for _, kind := range []string{"variable", "step", "host"} {
		for _, b := range o.All(kind) {
			have = append(have, fmt.Sprintf("%s %s %d", kind, b.Name(), len(b.Attributes)))
			for _, w := range append(b.Labels, b.Kind) {
				if at := src[w.Start:w.End]; at != w.Text {
					t.Errorf("want %q where it is said to stand, have %q", w.Text, at)
				}
			}
		}
	}
	want := "variable a 1, variable b 1, step n 0, step open 0, host  1"
	if got := strings.Join(have, ", "); got != want {
		t.Errorf("want %s, have %s", want, got)
	}
	if have := o.All("variable")[1].Value("default"); have != "1" {
		t.Errorf("want the default 1, have %q", have)
	}
}

// FuzzAt holds that no text and no point in it is too odd to be looked at.
func FuzzAt(f *testing.F) {
	f.Add("step \"a\" \"b\" {\n  x = \"${var.in", 20)
	f.Add("a = { b = [ { c", 5)
	f.Fuzz(func(t *testing.T, src string, offset int) {
		if offset < 0 || offset > len(src) {
			return
		}
		o := ReadOutline([]byte(src))
		p := o.At(offset)
		if p.Word.Start < 0 || p.Word.End < p.Word.Start || p.Word.End > len(src) || p.Around == nil {
			t.Errorf("want a word inside the text, have %+v", p)
		}
	})
}

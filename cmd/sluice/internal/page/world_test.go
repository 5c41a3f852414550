package page

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy"
)

const pipeline = `
source "jsonl" "corpus" {
  paths = ["corpus.jsonl"]
}

first "shape" {
  step "native" "canonical" {}
  step "messages" "rendered" {}
  step "pair" "pair" {}
}

step "privacy" "redact" {}

step "dedup" "dedup" {
  output "pairs" {
    sink "jsonl" "pairs" {
      path = "out/pairs.jsonl"
    }
  }
}

step "split" "split" {
  val  = 0
  test = 0
}

tee "copy" {
  sink "jsonl" "canonical" {
    path = "out/canonical.jsonl"
  }
}

step "chatml" "row" {}

route "split" {
  on = "@split"

  case "train" {
    sink "jsonl" "train" {
      path = "out/train.jsonl"
    }
  }

  default {
    sink "jsonl" "rest" {
      path = "out/rest.jsonl"
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "out/rejects.jsonl"
  }
}
`

// corpus has rows that are written, rejected by several codes, dropped, and filtered.
func corpus() string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `{"messages":[{"role":"user","content":"What is %d and %d?"},{"role":"assistant","content":"It is %d."}]}`+"\n", i, 3*i, 4*i)
	}
	b.WriteString(`{"messages":[{"role":"user","content":"What is 1 and 3?"},{"role":"assistant","content":"It is 4."}]}` + "\n")
	b.WriteString(`{"messages":[{"role":"user","content":"Mail jane.roe@example.org."},{"role":"assistant","content":"Sent to jane.roe@example.org."}]}` + "\n")
	b.WriteString(`{"messages":[{"role":"assistant","content":"Nobody asked jane.roe@example.org."}]}` + "\n")
	b.WriteString(`{"messages":` + "\n")
	b.WriteString(`{"other":1}` + "\n")
	return b.String()
}

// factsOf says of the privacy step that it has rules, which have no hash here: it would change with the rules.
func factsOf(plugin string, _ []byte) map[string]string {
	if plugin != privacy.Plugin.Name {
		return nil
	}
	return map[string]string{receipt.FactRules: strings.Repeat("0", 64)}
}

// ran runs the pipeline in a folder of the test, and gives its receipt with times and programs that are always the same.
func ran(t *testing.T, corpus string) *receipt.Receipt {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"small.hcl": pipeline, "corpus.jsonl": corpus} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := host.Load("small.hcl", host.Options{BuiltIns: plugins.All, Version: "v1.0.0", InProcess: true, Facts: factsOf})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := receipt.Read("out/receipt.json")
	if err != nil {
		t.Fatal(err)
	}
	r.Run, r.Started, r.Finished = "RUN", time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 9, 0, 2, 0, time.UTC)
	r.Totals.Seconds = 2
	r.Timeline = nil
	for i := range r.Steps {
		r.Steps[i].BusySeconds, r.Steps[i].CPUSeconds, r.Steps[i].Workers = float64(i+1)/8, 0, 2
	}
	for i := range r.Plugins {
		r.Plugins[i].Version, r.Plugins[i].SHA256 = "v1.0.0", strings.Repeat("0", 64)
	}
	return r
}

// onDisk opens files where the test runs.
func onDisk(path string, sum filehash.Sum) (*os.File, error) {
	have, err := filehash.File(path, sum.Algorithm())
	if err != nil {
		return nil, err
	}
	if have != sum {
		return nil, ErrChanged
	}
	return os.Open(path)
}

// nowhere has no files.
func nowhere(string, filehash.Sum) (*os.File, error) { return nil, fs.ErrNotExist }

func made(t *testing.T, r *receipt.Receipt, files Files) string {
	t.Helper()
	text, err := Make(r, files, near(r))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parsed is a page as a browser has it.
func parsed(t *testing.T, text string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// all are the elements below a node that fit.
func all(n *html.Node, fits func(*html.Node) bool) (found []*html.Node) {
	for x := range n.Descendants() {
		if x.Type == html.ElementNode && fits(x) {
			found = append(found, x)
		}
	}
	return found
}

func element(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

func class(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return strings.Contains(" "+attr(n, "class")+" ", " "+name+" ") }
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// part is the section of an id, nil when the page has none.
func part(doc *html.Node, id string) *html.Node {
	for _, n := range all(doc, element("section")) {
		if attr(n, "id") == id {
			return n
		}
	}
	return nil
}

// words is the text of a node.
func words(n *html.Node) string {
	var b strings.Builder
	for x := range n.Descendants() {
		if x.Type == html.TextNode {
			b.WriteString(x.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

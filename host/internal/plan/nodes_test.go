package plan

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestNodeKinds holds that a new kind of node cannot be forgotten here: each has a case where nodes are collected, where
// they are made into nodes of the flow, and where labels are followed.
func TestNodeKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, d := range declarations(t, "../config/pipeline.go") {
		if d.Name.Name == "node" && d.Recv != nil {
			kinds[pointee(d.Recv.List[0].Type)] = true
		}
	}
	if len(kinds) < 6 {
		t.Errorf("want every kind of node found, have %v", kinds)
	}
	for file, name := range map[string]string{"plan.go": "collect", "tree.go": "nodes", "labels.go": "sequence"} {
		cases := map[string]bool{}
		for _, d := range declarations(t, file) {
			if d.Name.Name != name {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					for _, e := range c.List {
						cases[pointee(e)] = true
					}
				}
				return true
			})
		}
		for kind := range kinds {
			if !cases[kind] {
				t.Errorf("want a case for *config.%s in %s of %s", kind, name, file)
			}
		}
	}
}

func declarations(t *testing.T, file string) (all []*ast.FuncDecl) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all = append(all, fn)
		}
	}
	return all
}

// pointee is X of *X and of *config.X.
func pointee(e ast.Expr) string {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return ""
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// everyKind has every kind of node at least once.
const everyKind = `
source "jsonl" "one" { paths = ["one.jsonl"] }
source "json" "two" { paths = ["two.json"] }

first "shape" {
  step "split" "a" {
    host {
      workers = 3
    }
  }
  shadow "sh" {
    values = true
    limit  = 7
    current {
      step "plain" "now" {}
    }
    candidate {
      step "plain" "next" {
        host {
          timeout = "3s"
        }
      }
    }
    sink "jsonl" "rows" { path = "rows.jsonl" }
  }
}

step "ordered" "o" {
  host {
    on_crash = "fail"
    env      = ["LANG"]
  }
}

tee "copy" {
  sink "jsonl" "copy" { path = "copy.jsonl" }
}

route "kind" {
  on = "@kind"
  case "odd" {
    step "ledger" "l" {
      output "log" {
        sink "jsonl" "log" { path = "log.jsonl" }
      }
    }
    sink "jsonl" "odd" { path = "odd.jsonl" }
  }
  case "even" {}
  default {
    step "plain" "d" {}
  }
}

route "rest" {
  on = "kind"
  case "" {}
}

sink "jsonl" "out" { path = "out/out.jsonl" }

dead_letter {
  limit = 9
}
`

// TestFlow holds that the tree of nodes has everything that the file has, in its place.
func TestFlow(t *testing.T) {
	p, diags := planned(t, parse(t, everyKind), Options{})
	wantDiags(t, "", diags)
	made := p.Flow(running(p))
	var b strings.Builder
	for _, f := range made.Sources {
		fmt.Fprintf(&b, "source %s\n", f.Name)
	}
	draw(&b, "", made.Body)
	fmt.Fprintf(&b, "dead letter %s, limit %v\n", made.DeadLetter.Name, made.Limit)
	want := `source jsonl.one
source json.two
first shape
  step split.a
  shadow sh limit 7 values true rows jsonl.rows
    step plain.now
    step plain.next timeout 3s
step ordered.o fails ordered
tee copy
  output jsonl.copy
route kind
  case "odd"
    step ledger.l [log to jsonl.log]
    output jsonl.odd
  case "even"
  default
    step plain.d
route rest
  case ""
output jsonl.out
dead letter rejects, limit 9
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	for _, sink := range p.Sinks {
		if sink.Writer == nil {
			t.Errorf("want a sink for %s, have none", sink.Name)
		}
	}
}

func draw(b *strings.Builder, indent string, nodes []flow.Node) {
	for _, n := range nodes {
		b.WriteString(indent)
		switch n := n.(type) {
		case *flow.Step:
			fmt.Fprintf(b, "step %s", n.Name)
			for name, o := range n.Sides {
				fmt.Fprintf(b, " [%s to %s]", name, o.Name)
			}
			if n.Timeout != 5*time.Minute {
				fmt.Fprintf(b, " timeout %v", n.Timeout)
			}
			if !n.Isolate {
				b.WriteString(" fails")
			}
			if n.Ordered {
				b.WriteString(" ordered")
			}
			b.WriteString("\n")
		case *flow.First:
			fmt.Fprintf(b, "first %s\n", n.Name)
			for _, m := range n.Members {
				draw(b, indent+"  ", []flow.Node{m})
			}
		case *flow.Shadow:
			fmt.Fprintf(b, "shadow %s limit %v values %v rows %s\n", n.Name, n.Limit, n.Values, n.Rows.Name)
			draw(b, indent+"  ", []flow.Node{n.Current, n.Candidate})
		case *flow.Route:
			fmt.Fprintf(b, "route %s\n", n.Name)
			for _, c := range n.Cases {
				fmt.Fprintf(b, "%s  case %q\n", indent, c.Value)
				draw(b, indent+"    ", c.Body)
			}
			if n.Default != nil {
				fmt.Fprintf(b, "%s  default\n", indent)
				draw(b, indent+"    ", n.Default.Body)
			}
		case *flow.Tee:
			fmt.Fprintf(b, "tee %s\n", n.Name)
			draw(b, indent+"  ", n.Body)
		case *flow.Sink:
			fmt.Fprintf(b, "output %s\n", n.Name)
		default:
			fmt.Fprintf(b, "%T\n", n)
		}
	}
}

// TestOutlets holds which steps all records of a sink went through, for the receipt and what is said of private plugins.
func TestOutlets(t *testing.T) {
	p, _ := planned(t, parse(t, everyKind), Options{})
	have := map[string]string{}
	for _, sink := range p.Sinks {
		have[sink.Name] = strings.TrimSpace(strings.Join(sink.After, " ") + " " + sink.Side)
	}
	want := map[string]string{
		"jsonl.copy": "ordered.o", "jsonl.odd": "ordered.o ledger.l", "jsonl.out": "ordered.o",
		"jsonl.rows": "shadow sh", "jsonl.log": "ledger.l/log", "rejects": "dead_letter",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

const pinned = `
plugin "ordered" {
  name = "number"
  env  = ["HOME"]
}

plugin "split" {
  path   = "bin/split"
  sha256 = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
}
`

// TestRequests holds what the processes of the steps are asked to be. The members of a first have as many workers as the
// one with the most, since a batch goes through them with one worker of each.
func TestRequests(t *testing.T) {
	p, _ := planned(t, parse(t, everyKind+pinned), Options{})
	var have []string
	for _, r := range p.Requests() {
		have = append(have, fmt.Sprintf("%s workers %d timeout %v restart %v restarts %d env %v", r.Name, r.Workers, r.Timeout, r.Restart, r.Restarts, r.Env))
	}
	want := []string{
		"split.a workers 3 timeout 5m0s restart true restarts 100 env []",
		"plain.now workers 3 timeout 5m0s restart true restarts 100 env []",
		"plain.next workers 3 timeout 3s restart true restarts 100 env []",
		"ordered.o workers 0 timeout 5m0s restart false restarts 100 env [LANG HOME]",
		"ledger.l workers 0 timeout 5m0s restart true restarts 100 env []",
		"plain.d workers 0 timeout 5m0s restart true restarts 100 env []",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	here, err := filepath.Abs("bin/split")
	if err != nil {
		t.Fatal(err)
	}
	pins := map[string]launch.Pin{
		"ordered": {Name: "number", Env: "HOME"},
		"split":   {Name: "split", Path: here, SHA256: strings.Repeat("0a", 32)},
	}
	if diff := cmp.Diff(pins, Pins(p.tree)); diff != "" {
		t.Error(diff)
	}
}

// TestRouteKey holds what a route reads of a record.
func TestRouteKey(t *testing.T) {
	r := &wire.Record{
		Data:   []byte(`{"kind":"chat","n":2,"none":null,"deep":{"a":[{"b":"c"}]}}`),
		Labels: []wire.Label{{Name: "split", Value: "train"}},
	}
	for on, want := range map[string]string{
		"kind": "chat", "n": "2", "none": "", "absent": "", "deep.a.0.b": "c", "@split": "train", "@kind": "",
	} {
		if have := routeKey(on)(r); have != want {
			t.Errorf("%s: want %q, have %q", on, want, have)
		}
	}
}

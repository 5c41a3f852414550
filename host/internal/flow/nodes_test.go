package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestNodeKinds checks that the engine wires every kind of node.
func TestNodeKinds(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds, cases := map[string]bool{}, map[string]bool{}
	name := func(e ast.Expr) string {
		if star, ok := e.(*ast.StarExpr); ok {
			return star.X.(*ast.Ident).Name
		}
		return ""
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && n.Name.Name == "node" {
				kinds[name(n.Recv.List[0].Type)] = true
			}
			return n.Name.Name == "sequence"
		case *ast.CaseClause:
			for _, e := range n.List {
				cases[name(e)] = true
			}
		}
		return true
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, look)
	}
	if len(kinds) < 7 {
		t.Errorf("want every kind of node found, have %v", kinds)
	}
	for kind := range kinds {
		if !cases[kind] {
			t.Errorf("want a case for *%s in sequence", kind)
		}
	}
}

type unknownNode struct{}

func (unknownNode) node() {}

// TestWiring checks that a plan that cannot run fails before anything is read.
func TestWiring(t *testing.T) {
	same := func(string) string { return "" }
	for _, c := range []struct {
		reason, want string
		body         func(*world) []Node
	}{
		{"an unknown node", "want a node that flow knows, have flow.unknownNode", func(w *world) []Node { return []Node{unknownNode{}, w.out("main")} }},
		{"one inside other nodes", "tee t: route r: want a node that flow knows", func(w *world) []Node {
			return []Node{&Tee{Name: "t", Body: []Node{&Route{Name: "r", Cases: []Case{{Body: []Node{unknownNode{}}}}}}}, w.out("main")}
		}},
		{"a way without an end", "want a sink at the end, have an open end", func(w *world) []Node { return []Node{w.step("a.x", same)} }},
		{"a tee without an end", "tee t: want a sink at the end, have an open end", func(w *world) []Node { return []Node{&Tee{Name: "t"}, w.out("main")} }},
		{"a node after the end", "want nothing after the end of a branch, have *flow.Tee", func(w *world) []Node { return []Node{w.out("main"), &Tee{Name: "t"}} }},
		{"a step without workers", "step a.x: want at least one worker, have 0", func(w *world) []Node {
			return []Node{w.stepWith("a.x", 0, same), w.out("main")}
		}},
	} {
		w := newWorld(1)
		src := &lineReader{texts: numbers(3), n: 1, arena: w.arena()}
		err := Run(t.Context(), Plan{Sources: []*Source{{Name: "lines.x", Reader: src}}, Body: c.body(w), DeadLetter: &Sink{Writer: &lineWriter{}}, Account: &Totals{}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		if src.ord > 0 {
			t.Errorf("%s: want nothing read", c.reason)
		}
	}
}

// TestJoin checks that the join of a route sends on what it has before it waits: the step before it may wait for just
// that memory. Otherwise all goroutines of the bubble are blocked.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		tight := wire.NewArena(make([]byte, 8), 8, nil) // room for one record
		step := w.stepWith("a.x", 1, add("-----"))
		step.Stages[0] = &textStage{fn: add("-----"), arena: tight, n: 1, rng: w.rng}
		err := Run(t.Context(), Plan{
			Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(9), n: 9, arena: w.arena()}}},
			Body: []Node{
				&Route{Name: "r", Key: func(*wire.Record) string { return "" }, Default: &Case{Body: []Node{step}}}, w.out("main"),
			},
			DeadLetter: &Sink{Writer: &lineWriter{}}, Account: &Totals{},
		})
		if have := w.sinks["main"].String(); err != nil || strings.Count(have, "\n") != 9 {
			t.Errorf("want 9 records, have %q (%v)", have, err)
		}
	})
}

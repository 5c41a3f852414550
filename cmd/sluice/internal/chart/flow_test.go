package chart

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// Every stop of a pipeline has its row, in the order of the file; members of a first that took nothing share one; a case of a
// route that ends nowhere goes on in the stream.
func TestDrawFlow(t *testing.T) {
	counts := func(in, out, rejected, declined int64) *receipt.Counts {
		return &receipt.Counts{In: in, Out: out, Rejected: rejected, Declined: declined}
	}
	member := func(name string, c *receipt.Counts) receipt.Edge {
		return receipt.Edge{Kind: "member", Nodes: []receipt.Node{{Kind: "step", Name: name, Counts: c}}}
	}
	sink := func(name string, n int64) receipt.Node {
		return receipt.Node{Kind: "sink", Name: name, Counts: counts(n, n, 0, 0)}
	}
	g := &receipt.Graph{
		Body: []receipt.Node{
			{Kind: "source", Name: "in", Counts: counts(100, 100, 0, 0)},
			{Kind: "first", Name: "shape", Counts: counts(100, 80, 20, 0), Edges: []receipt.Edge{
				member("a", counts(100, 60, 20, 20)), member("b", counts(20, 0, 0, 20)), member("c", counts(20, 0, 0, 20)),
				member("d", counts(20, 20, 0, 0)),
			}},
			{Kind: "route", Name: "r", Counts: counts(80, 50, 0, 0), Edges: []receipt.Edge{
				{Kind: "case", Name: "x", Records: 30, Nodes: []receipt.Node{sink("x", 30)}},
				{Kind: "case", Name: "y", Records: 10, Nodes: []receipt.Node{{Kind: "step", Name: "y", Counts: counts(10, 10, 0, 0)}}},
				{Kind: "default", Records: 40},
			}},
			sink("rows", 50),
		},
		DeadLetter: sink("rejects", 20),
	}
	f := DrawFlow(g)
	var have []string
	for _, r := range f.Rows {
		have = append(have, strings.TrimSpace(r.Edge+" "+r.Name))
	}
	want := `in|shape|a|took nothing|d|r|case "x" x|case "y" y|default goes on|rows|rejected rejects`
	if strings.Join(have, "|") != want || f.Lanes != 2 || f.More != 0 {
		t.Errorf("want %s\nhave %s, %d lanes, %d more", want, strings.Join(have, "|"), f.Lanes, f.More)
	}
	if note := f.Rows[3].Note; note != "b, c" {
		t.Errorf("want the names of who took nothing, have %q", note)
	}
	if lines := classes(DrawFlow(&receipt.Graph{Body: []receipt.Node{
		{Kind: "source", Name: "in", Counts: counts(9, 9, 0, 0)},
		{Kind: "route", Name: "r", Counts: counts(9, 0, 0, 0), Edges: []receipt.Edge{
			{Kind: "case", Name: "x", Records: 9, Nodes: []receipt.Node{sink("x", 9)}},
			{Kind: "case", Name: "y", Nodes: []receipt.Node{sink("y", 0)}},
		}},
	}}).Rows[2]); lines != "stream none 1" {
		t.Errorf("want a thin line beside the first case to the one that takes nothing, have %s", lines)
	}
	if have := classes(f.Rows[2]); have != "stream waiting 5.2, stream 15.6" {
		t.Errorf("want what waits and what was taken as wide as they are many, have %s", have)
	}
}

// Rows beside the stream may be more than its records: the stream stays as wide as it is, and they are no wider. Steps behind each
// other that let everything through share a row.
func TestDrawFlowBesideTheStream(t *testing.T) {
	step := func(name string, c receipt.Counts, edges ...receipt.Edge) receipt.Node {
		return receipt.Node{Kind: "step", Name: name, Counts: &c, Edges: edges}
	}
	all := receipt.Counts{In: 20, Out: 20}
	sink := receipt.Node{Kind: "sink", Name: "ledger", Counts: &receipt.Counts{In: 208, Out: 208}}
	body := []receipt.Node{{Kind: "source", Name: "in", Counts: &all},
		step("privacy", all, receipt.Edge{Kind: "output", Name: "ledger", Records: 208, Nodes: []receipt.Node{sink}})}
	for i := range 30 {
		body = append(body, step(fmt.Sprintf("a_pass_of_many_%d", i), all))
	}
	f := DrawFlow(&receipt.Graph{Body: append(body, receipt.Node{Kind: "sink", Name: "rows", Counts: &all}), DeadLetter: receipt.Node{Kind: "sink", Name: "rejects"}})
	var names []string
	for _, r := range f.Rows {
		names = append(names, r.Name)
		for _, s := range r.Shapes {
			if wide, _ := strconv.ParseFloat(s.W, 64); wide > streamWide+6 || strings.Contains(s.Path, "M-") {
				t.Errorf("%s: want shapes inside of their lane, have %+v", r.Name, s)
			}
		}
	}
	if have := strings.Join(names, "|"); have != "in|privacy|ledger|30 steps|rows|rejects" {
		t.Errorf("want the steps that let all through on one row, have %s", have)
	}
	if wide := f.Rows[0].Shapes[len(f.Rows[0].Shapes)-1].W; wide != px(streamWide+6) {
		t.Errorf("want the stream as wide as it may be, have %s", wide)
	}
	if note := f.Rows[3].Note; !strings.HasSuffix(note, " more") || strings.Contains(note, "_ and") {
		t.Errorf("want whole names, have %q", note)
	}
}

// Labels of an axis are plain figures inside of the chart.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		to   float64
		want string
	}{
		{18.4, "0 s, 5 s, 10 s, 15 s"}, {3.7, "0 s, 1 s, 2 s, 3 s"}, {0.75, "0 ms, 200 ms, 400 ms, 600 ms"}, {100, "0 s, 20 s, 40 s, 60 s, 80 s, 100 s"},
		{3600, "0 min, 20 min, 40 min, 60 min"},
	} {
		var have []string
		for _, m := range (Curve{X: []float64{0, c.to}, Y: []float64{1, 1}}).Labels() {
			have = append(have, m.Text)
		}
		if strings.Join(have, ", ") != c.want {
			t.Errorf("to %v s: want %s, have %q", c.to, c.want, have)
		}
	}
}

// A drawing of very many stops says how many are left out.
func TestDrawFlowIsBounded(t *testing.T) {
	g := &receipt.Graph{DeadLetter: receipt.Node{Kind: "sink", Name: "rejects"}}
	for range mostRows + 9 {
		g.Body = append(g.Body, receipt.Node{Kind: "step", Name: "s"})
	}
	if f := DrawFlow(g); len(f.Rows) != mostRows || f.More != 10 {
		t.Errorf("want %d rows and 10 more, have %d and %d", mostRows, len(f.Rows), f.More)
	}
}

// A chart says in words what it shows, and its scale holds its highest figure.
func TestCharts(t *testing.T) {
	h := Spread{Title: "Turns", Unit: "row", Bins: []Bin{{2, 2, 37}, {4, 4, 1}}, From: 1, To: 5}
	if want := "Turns: 2: 37 rows; 4: 1 row"; h.Alt() != want {
		t.Errorf("want %q, have %q", want, h.Alt())
	}
	for _, x := range []struct{ figure, want float64 }{{0, 1}, {1, 1}, {3, 4}, {37, 40}, {41, 60}, {0.3, 0.4}, {95, 100}} {
		if have := niceTop(x.figure); have != x.want {
			t.Errorf("want a scale to %v for %v, have %v", x.want, x.figure, have)
		}
	}
	if have := (Curve{Title: "Read"}).Alt(); have != "Read" {
		t.Errorf("want a curve without points to say its name, have %q", have)
	}
	bar := BarOf(10, "main", int64(3), "bad", int64(0), "warn", int64(7))
	if len(bar) != 2 || bar[0].W != "30" || bar[1].X != "30" || bar[1].W != "70" {
		t.Errorf("want parts behind each other, have %v", bar)
	}
}

// classes lists the straight streams of a row.
func classes(r FlowRow) string {
	var all []string
	for _, s := range r.Shapes {
		if strings.HasPrefix(s.Class, "stream") && s.Path == "" {
			all = append(all, s.Class+" "+s.W)
		}
	}
	return strings.Join(all, ", ")
}

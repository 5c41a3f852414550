package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// full returns the receipt of a part that has all that parts have alike.
func full(index int) *Receipt {
	counts := &Counts{In: 1, Out: 1}
	stop := func(kind, name string, edges ...Edge) Node {
		return Node{Kind: kind, Name: name, Counts: counts, Edges: edges}
	}
	return part(index, 1, func(r *Receipt) {
		r.Steps = []StepAccount{{Name: "noop.a", Plugin: "noop"}, {Name: "noop.b", Plugin: "noop", Private: true}, {Name: "noop.c", Plugin: "noop", Candidate: true}}
		r.Firsts = []FirstReport{{First: "f", Steps: []FirstMember{{Step: "noop.a"}, {Step: "noop.b"}}}, {First: "g", Steps: []FirstMember{{Step: "noop.c"}}}}
		r.Routes = []RouteReport{{Route: "r", Branches: []Branch{{Case: "x"}, {Case: "y"}, {Default: true}}}, {Route: "s", Branches: []Branch{{Case: "x"}}}}
		r.Shadows = []ShadowReport{{Shadow: "n", Current: "noop.b", Candidate: "noop.c", Ignore: []string{"x", "y"}}, {Shadow: "o", Current: "noop.a", Candidate: "noop.c"}}
		r.Reports = []Report{{What: "first f"}, {What: ManifestReport}}
		r.Graph = &Graph{Body: []Node{
			stop("source", "jsonl.in"),
			stop("first", "f", Edge{Kind: "member", Nodes: []Node{stop("step", "noop.a")}}, Edge{Kind: "member", Nodes: []Node{
				stop("shadow", "n", Edge{Kind: "current", Nodes: []Node{stop("step", "noop.b")}}, Edge{Kind: "candidate", Nodes: []Node{stop("step", "noop.c")}})}}),
			stop("route", "r", Edge{Kind: "case", Name: "x", Nodes: []Node{stop("sink", "jsonl.x"), stop("sink", "jsonl.y")}}, Edge{Kind: "default"}),
		}, DeadLetter: stop("sink", "rejects")}
		r.Outputs = []Output{{Path: r.Part.PathOf("x.jsonl"), Sink: "jsonl.x", After: []string{"noop.a", "noop.b"}}, {Path: r.Part.PathOf("rejects.jsonl"), Sink: "rejects", Side: DeadLetter}}
	})
}

// mustFit are the places in a receipt's JSON that Merge needs in all parts alike.
var mustFit = regexp.MustCompile(`^(steps|firsts|routes|shadows|reports)(\.[0-9]+)?$` +
	`|^(steps|firsts|routes|shadows|reports)\.[0-9]+\.(name|plugin|private|candidate|first|route|shadow|current|ignore|what|(steps|ways)(\.[0-9]+(\.(step|case|default))?)?)$` +
	`|^graph(\.(body|dead_letter|stops|ways|[0-9]+|kind|name|counts))*$` +
	`|^outputs\.[0-9]+\.(after|beside)$|^inputs\.[0-9]+\.share$|^part(\.(index|of))?$`)

// TestMisfits holds that a part that lacks something, or has it twice or in another order, is no part of the run, and that no receipt makes
// Merge fail otherwise than by an error.
func TestMisfits(t *testing.T) {
	seen := map[string]bool{}
	for index := range 2 {
		text, err := full(index).Encode()
		if err != nil {
			t.Fatal(err)
		}
		each(decoded(t, text), nil, func(path []string, value any) {
			for name, change := range changes(value) {
				x := replace(decoded(t, text), path, change)
				parts := []*Receipt{full(0), full(1)}
				parts[index] = receiptOf(t, x)
				at := strings.Join(path, ".")
				err := merge(parts)
				if errors.As(err, new(*panicked)) {
					t.Errorf("part %d: %s %s: want an error, have a panic: %v", index, at, name, err)
				}
				if have, _ := parts[index].Encode(); !mustFit.MatchString(at) || bytes.Equal(have, text) {
					continue
				}
				if seen[path[0]] = true; err == nil {
					t.Errorf("part %d: %s %s: want an error, have a merged receipt", index, at, name)
				}
			}
		})
	}
	if want := 9; len(seen) != want {
		t.Errorf("want changes of %d members of a receipt, have %v", want, seen)
	}
	if err := merge([]*Receipt{full(0), full(1)}); err != nil {
		t.Errorf("want the parts merged as they are, have %v", err)
	}
}

// TestTogether holds that Merge takes all parts of one run alone, and says what does not fit.
func TestTogether(t *testing.T) {
	changed := func(change func(*Receipt)) *Receipt {
		r := full(1)
		change(r)
		return r
	}
	for _, c := range []struct {
		why   string
		parts []*Receipt
		want  string
	}{
		{"no part", nil, "want parts of a run, have 0"},
		{"another order", []*Receipt{full(1), full(0)}, "want part 00000-of-00002, have 00001-of-00002"},
		{"one part of two", []*Receipt{full(0)}, "want part 00000-of-00001, have 00000-of-00002"},
		{"a whole run", []*Receipt{full(0), changed(func(r *Receipt) { r.Part = nil })}, "want part 00001-of-00002, have a whole run"},
		{"a step less", []*Receipt{full(0), changed(func(r *Receipt) { r.Steps = r.Steps[:2] })},
			"part 00001-of-00002: steps: want 3 steps as in part 00000-of-00002, have 2 steps"},
		{"steps in reverse order", []*Receipt{full(0), changed(func(r *Receipt) { slices.Reverse(r.Steps) })},
			"part 00001-of-00002: step 1: want noop.a, of plugin noop as in part 00000-of-00002, have noop.c, of plugin noop, a candidate"},
		{"deep in the graph", []*Receipt{full(0), changed(func(r *Receipt) { r.Graph.Body[2].Edges[0].Nodes[1].Name = "jsonl.z" })},
			`part 00001-of-00002: graph: route r: case "x": node 2: want sink jsonl.y as in part 00000-of-00002, have sink jsonl.z`},
	} {
		if _, err := Merge(c.parts); err == nil || err.Error() != c.want {
			t.Errorf("%s: want %q, have %v", c.why, c.want, err)
		}
	}
}

type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprint(p.value) }

func merge(parts []*Receipt) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &panicked{x}
		}
	}()
	_, err = Merge(parts)
	return err
}

func decoded(t *testing.T, text []byte) (x any) {
	t.Helper()
	if err := json.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	return x
}

func receiptOf(t *testing.T, x any) *Receipt {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var r Receipt
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// each calls do with each value within a value of JSON.
func each(x any, path []string, do func(path []string, value any)) {
	if len(path) > 0 {
		do(path, x)
	}
	switch x := x.(type) {
	case map[string]any:
		for name, y := range x {
			each(y, append(slices.Clone(path), name), do)
		}
	case []any:
		for i, y := range x {
			each(y, append(slices.Clone(path), strconv.Itoa(i)), do)
		}
	}
}

// changes returns what a value is replaced by, by what is done to it. An empty list leaves nothing in its place.
func changes(value any) map[string][]any {
	all := map[string][]any{"left out": {}, "twice": {value, value}}
	if list, ok := value.([]any); ok {
		back := slices.Clone(list)
		slices.Reverse(back)
		all = map[string][]any{"left out": {}, "empty": {[]any{}}, "in reverse order": {back}, "doubled": {append(slices.Clone(list), list...)}}
		if len(list) > 0 {
			all["shorter"] = []any{list[:len(list)-1]}
		}
	}
	return all
}

// replace puts the values in the place of the one at a path. In an object only one value has a place.
func replace(x any, path []string, values []any) any {
	switch y := x.(type) {
	case map[string]any:
		if len(path) > 1 {
			y[path[0]] = replace(y[path[0]], path[1:], values)
		} else if delete(y, path[0]); len(values) > 0 {
			y[path[0]] = values[0]
		}
	case []any:
		i, _ := strconv.Atoi(path[0])
		if len(path) == 1 {
			return slices.Replace(y, i, i+1, values...)
		}
		y[i] = replace(y[i], path[1:], values)
	}
	return x
}

package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestAligned holds which elements of arrays belong together, and how those without a partner are said.
func TestAligned(t *testing.T) {
	const system, user, answer = `{"role":"system","content":"Be brief."}`, `{"role":"user","content":"Is it Ann?"}`, `{"role":"assistant","content":"It is Ann."}`
	edited := func(text string) string { return strings.Replace(text, "Ann", "<NAME>", 1) }
	list := func(all ...string) string { return "[" + strings.Join(all, ",") + "]" }
	for _, c := range []struct {
		reason, a, b string
		want         []string
	}{
		{"the first is gone", list(system, user, answer), list(user, answer), []string{"0 0: an object -> nothing"}},
		{"the first is new", list(user, answer), list(system, user, answer), []string{"0 0: nothing -> an object"}},
		{"one in the middle is gone", list(system, user, answer), list(system, answer), []string{"# 1: an object -> nothing"}},
		{"the first is gone and all others were edited", list(system, user, answer), list(edited(user), edited(answer)),
			[]string{"#.content 1.content: a string -> another string", "0 0: an object -> nothing"}},
		{"one moved", list(system, user, answer), list(user, answer, system), []string{"# 0: an object -> moved"}},
		{"one moved, and another is where it was", list(system, user, answer), list(`{"role":"tool"}`, user, answer, system),
			[]string{"# 0: an object -> moved", "0 0: nothing -> an object"}},
		{"spelling is no difference", `[{"a":1.0,"b":"\u0041"},2,3]`, `[2,{"b":"A","a":1}]`, []string{"# 2: a number -> nothing", "# 0: an object -> moved"}},
		{"calls with ids belong together in any order", `[{"id":"x","n":1},{"id":"y","n":2},{"id":"z","n":3}]`, `[{"id":"z","n":3},{"id":"y","n":5}]`,
			[]string{"# 2: an object -> moved", "#.n 1.n: a number -> another number", "0 0: an object -> nothing"}},
		{"ids that all differ align nothing", `[{"id":"x","n":1},{"id":"y","n":2}]`, `[{"id":"p","n":1},{"id":"q","n":2}]`, []string{"#.id 0.id: a string -> another string"}},
		{"an id that is there twice aligns nothing", `[{"id":1,"n":1},{"id":1,"n":2}]`, `[{"id":1,"n":2},{"id":1,"n":3}]`,
			[]string{"# 1: nothing -> an object", "0 0: an object -> nothing"}},
		{"short values do not move", `[1,2,3]`, `[3,1,2]`, []string{"# 2: a number -> nothing", "0 0: nothing -> a number"}},
		{"no element is left", `["x"]`, `[]`, []string{"0 0: a string -> nothing"}},
		{"empty ones of two kinds", `[{},[]]`, `[[],{}]`, []string{"# 1: nothing -> an object", "0 0: an object -> nothing"}},
	} {
		var have []string
		found, _ := Values(jsontext.JSON(c.a), jsontext.JSON(c.b), nil)
		for _, f := range found {
			have = append(have, fmt.Sprintf("%s %s: %s -> %s", f.Path, f.At, f.A, f.B))
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestIgnore holds which differences do not count.
func TestIgnore(t *testing.T) {
	for _, c := range []struct {
		reason, a, b string
		paths        []string
		want         []Difference
		ignored      bool
	}{
		{"below a path", `{"m":{"c":{"x":1}},"n":1}`, `{"m":{"c":2},"n":2}`, []string{"m.c"}, []Difference{{"n", "a number", "another number"}}, true},
		{"a missing value", `{"m":{"c":1}}`, `{"m":{}}`, []string{"m.c"}, nil, true},
		{"no difference there", `{"m":{"c":1}}`, `{"m":{"c":1.0}}`, []string{"m.c"}, nil, false},
		{"the object is missing", `{"m":{"c":1}}`, `{}`, []string{"m.c"}, []Difference{{"m", "an object", "nothing"}}, false},
		{"another key that begins so", `{"mc":1}`, `{"mc":2}`, []string{"m"}, []Difference{{"mc", "a number", "another number"}}, false},
		{"any index", `[{"id":1,"n":1},{"id":2,"n":2}]`, `[{"id":3,"n":2}]`, []string{"#.id"}, []Difference{{"0", "an object", "nothing"}}, true},
		{"one index", `[{"n":1},{"n":1}]`, `[{"n":2},{"n":2}]`, []string{"1.n"}, []Difference{{"#.n", "a number", "another number"}}, true},
		{"all elements", `{"l":[1,2,3]}`, `{"l":[2]}`, []string{"l.#"}, nil, true},
		{"any key", `{"a":{"t":1},"b":{"t":2}}`, `{"a":{"t":3},"b":{"t":4}}`, []string{"*.t"}, nil, true},
		{"an index is no key", `{"0":1}`, `{"0":2}`, []string{"#"}, []Difference{{"*", "a number", "another number"}}, false},
		{"a key with a dot", `{"a.b":1}`, `{"a.b":2}`, []string{`a\.b`}, nil, true},
		{"the provenance of two adapters", `{"metadata":{"conversion":{"adapter":"a","shape":"x","line":1}}}`, `{"metadata":{"conversion":{"adapter":"b","shape":"y","line":1}}}`,
			ignore.Provenance().Texts(), nil, true},
	} {
		paths, err := ignore.Parse(c.paths)
		if err != nil {
			t.Fatal(err)
		}
		var have []Difference
		found, ignored := Values(jsontext.JSON(c.a), jsontext.JSON(c.b), paths)
		for _, f := range found {
			have = append(have, f.Difference)
		}
		if diff := cmp.Diff(c.want, have); diff != "" || ignored != c.ignored {
			t.Errorf("%s: ignored %t (-want +have):\n%s", c.reason, ignored, diff)
		}
	}
	for _, bad := range []string{"", ".", "a.", "a..b", ".a"} {
		if _, err := ignore.Parse([]string{bad}); err == nil {
			t.Errorf("want a mistake about path %q, have none", bad)
		}
	}
}

// TestAlignAll holds that every element has one match, in order but for moves, whatever two lists are like, and that an element taken
// out of a long one is the only difference.
func TestAlignAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var lists [2][]jsontext.JSON
		for k := range lists {
			for range rng.IntN(12) {
				lists[k] = append(lists[k], jsontext.JSON(fmt.Sprintf(`{"id":%d,"n":%d}`, rng.IntN(20), rng.IntN(3))))
			}
		}
		var a, b []int
		last := -1
		for _, m := range Align(lists[0], lists[1]) {
			if m.A >= 0 {
				a = append(a, m.A)
			}
			if m.B >= 0 {
				b = append(b, m.B)
			}
			if m.B >= 0 && !m.Moved {
				if m.B < last {
					t.Errorf("want matches in order, have %d behind %d: %v", m.B, last, lists)
				}
				last = m.B
			}
		}
		if inOrder := slices.IsSorted(a); !inOrder || len(a) != len(lists[0]) {
			t.Errorf("want all of %v in order, have %v", lists[0], a)
		}
		if slices.Sort(b); len(slices.Compact(b)) != len(lists[1]) {
			t.Errorf("want all of %v once, have %v", lists[1], b)
		}
	}
	var long []jsontext.JSON
	for i := range 50_000 {
		long = append(long, jsontext.JSON(fmt.Sprintf(`{"n":%d}`, i/2))) // each twice
		if i%50 == 0 {
			long = append(long, jsontext.JSON(fmt.Sprintf(`{"once":%d}`, i)))
		}
	}
	without := slices.Delete(slices.Clone(long), 30_000, 30_001)
	without[40_000], without[10] = `{"n":"new"}`, `{"n":"new"}`
	var have []Match
	for _, m := range Align(long, without) {
		if m.A < 0 || m.B < 0 || long[m.A] != without[m.B] {
			have = append(have, m)
		}
	}
	if len(have) != 3 {
		t.Errorf("want one missing element and two that changed, have %v", have[:min(len(have), 10)])
	}
}

package rows

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestParsePathIs(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         PathIs
	}{
		{"a value", "a.b=c", PathIs{Path: "a.b", Value: "c"}},
		{"a value with =", "a=b=c", PathIs{Path: "a", Value: "b=c"}},
		{"any value", "a.b", PathIs{Path: "a.b", Any: true}},
		{"the empty text", "a=", PathIs{Path: "a"}},
		{"a condition in the path", `m.#(role=="user").content=hi`, PathIs{Path: `m.#(role=="user").content`, Value: "hi"}},
	} {
		have := ParsePathIs(c.text)
		if have != c.want {
			t.Errorf("%s: want %+v, have %+v", c.reason, c.want, have)
		}
		if have.String() != c.text {
			t.Errorf("%s: want %q back, have %q", c.reason, c.text, have.String())
		}
	}
}

// TestCheckPath protects memory from paths of which a few bytes make values of any size, and the paths that people write
// from being refused.
func TestCheckPath(t *testing.T) {
	for _, c := range []struct {
		reason, path string
		right        bool
	}{
		{"the whole row", "", true},
		{"names and numbers", "messages.0.content", true},
		{"a name with signs inside", `a@b.c!d.e{f`, true},
		{"a name that begins with a sign", `\@context.\!a.\[b`, true},
		{"a query", `messages.#(role=="user")#.content`, true},
		{"a query in brackets", `messages.#[role=="user"].content`, true},
		{"a query of values", `tags.#(!="x")`, true},
		{"a query of a query", `a.#(b.#(c!%"x*")).d`, true},
		{"wildcards and pipes", "a*.b?|#.c|0", true},
		{"as long as may be", strings.Repeat("a", longestPath), true},
		{"too long", strings.Repeat("a", longestPath+1), false},
		{"a modifier", "@tostr|@tostr", false},
		{"a modifier behind a name", "a.@this", false},
		{"a modifier behind a pipe", "a|@this", false},
		{"a modifier behind an escape that is none in an array", `#\|@tostr|@tostr`, false},
		{"a modifier in a query", `a.#(@tostr=="x")`, false},
		{"a modifier in a query, behind blanks", `a.#( @tostr=="x")`, false},
		{"a modifier in a query of a query", `a.#(b.#(@tostr))`, false},
		{"many paths", "[a,b]", false},
		{"many paths with names", "a.{b,c}", false},
		{"many paths in a query", `a.#([b,c])`, false},
		{"many paths in a query in brackets", `a.#[[b,c]]`, false},
		{"a literal", "!1", false},
		{"a literal behind a name", "a.!1", false},
	} {
		if err := CheckPath(c.path); (err == nil) != c.right {
			t.Errorf("%s: want %q right: %t, have %v", c.reason, c.path, c.right, err)
		}
	}
	x := open(t, t.TempDir())
	for _, q := range []Query{{Paths: []PathIs{{Path: "@this", Any: true}}}, {Order: Order{Path: "@this"}}} {
		if _, err := x.Find(q); err == nil {
			t.Errorf("want %+v refused", q)
		}
	}
}

// FuzzCheckPath holds that what a path leads to is no longer than the row, but for what divides and counts its values.
func FuzzCheckPath(f *testing.F) {
	const row = `{"a":[{"b":[1,"x",{"c":"\"\\"}]},[[],{}],null,true],"b":{"@a":"b","":{"a":1}}}`
	for _, path := range []string{`a.#(b)#|#.b`, `a.#.b.#.c`, `..#.a`, `a|1\|@tostr|@tostr`, `b.*`, `#( a)#`, `a.#[b.#(c)].b`} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckPath(path) != nil {
			return
		}
		if v := gjson.Get(row, path); len(v.Raw) > 2*len(row) {
			t.Errorf("%q: want at most %d bytes, have %d", path, 2*len(row), len(v.Raw))
		}
	})
}

package alias

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

const oldToNew = `{"aliases":{"OLD":"NEW","OLDER":"OLD"}}`

// TestEveryRenderedName protects rows from a retired name that chatml shows and this step overlooks: it puts OLD in the
// place of each string of many rows, one at a time, also of those inside of strings.
func TestEveryRenderedName(t *testing.T) {
	var rows []string
	for _, glob := range []string{"testdata/*.txtar", "../chatml/testdata/cases/*.txtar", "../native/testdata/cases/*.txtar", "../modelspec/testdata/*.txtar"} {
		rows = append(rows, canonicaltest.Records(t, glob)...)
	}
	var filled []string
	for _, row := range rows {
		for _, at := range stringsOf(row) {
			if with := row[:at[0]] + "OLD" + row[at[1]:]; gjson.Valid(with) {
				filled = append(filled, with)
			}
		}
	}
	renamed, shown := 0, 0
	var current []string
	results, _ := sdktest.Direct(t, Plugin, oldToNew, filled...)
	for i, r := range results {
		if len(r.Emitted) != 1 {
			t.Fatalf("%s: want it emitted, have %s %s", filled[i], r.Verdict, r.Message)
		}
		if current = append(current, r.Emitted[0]); r.Emitted[0] != filled[i] {
			renamed++
		}
	}
	rendered, _ := sdktest.Direct(t, chatml.Plugin, `{"media":"placeholder"}`, current...)
	for i, r := range rendered {
		for _, out := range r.Emitted {
			shown++
			for _, path := range []string{"messages.#.name", "messages.#.tool_calls.#.function.name|@flatten", "tools.#.function.name"} {
				for _, name := range gjson.Get(out, path).Array() {
					if name.Str == "OLD" {
						t.Fatalf("%s: want no retired name, have it at %s of %s", filled[i], path, out)
					}
				}
			}
		}
	}
	if renamed < 200 || shown < 1000 {
		t.Errorf("want hundreds of rows renamed and shown, have %d and %d", renamed, shown)
	}
}

// stringsOf gives where the strings of a JSON text stand that are values, without their quotes, and the strings with
// quotes inside of those that hold JSON.
func stringsOf(text string) (places [][2]int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		quote := `"`
		if i > 0 && text[i-1] == '\\' {
			quote = `\"`
		}
		end := strings.Index(text[i+1:], quote)
		if end < 0 {
			break
		}
		end += i + 1
		if before := strings.TrimRight(text[:i+1-len(quote)], " "); strings.HasSuffix(before, ":") || strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") {
			places = append(places, [2]int{i + 1, end})
		}
		if quote == `\"` || !strings.Contains(text[i+1:end], `\`) {
			i = end + len(quote) - 1
		}
	}
	return places
}

// TestEveryName protects the rewriting of rows of any form: it goes without an error, leaves no name that a reader of rows
// finds retired, changes no other name, and a second pass changes nothing. The keys and words are those that the reader's
// source knows.
func TestEveryName(t *testing.T) {
	words := wordsOf(t, "../../sdk/canonical/*.go")
	names := []string{"OLD", "OLDER", "NEW", "KEEP", `{"toolCalls":[{"name":"OLD"}]}`, `[{"name":"OLD"},{"name":"NEW","d":"é\"\n"}]`, "ACTION: OLD", "x\nAvailable actions: OLD, NEW, OLDER, KEEP"}
	w := canonicaltest.Vocabulary{Keys: words, Strings: append(names, words...)}
	r := rand.New(rand.NewPCG(1, 2))
	named := func() string {
		var said []string
		for _, name := range names {
			said = append(said, string(jsontext.AppendString(nil, name)))
		}
		roles := []string{`"assistant"`, `"tool"`, `"system"`, `"user"`, w.Value(r, 0)}
		return w.Row(r, map[string][]string{"role": roles, "name": said, "content": append(said, w.Value(r, 3), "["+w.Value(r, 3)+"]")})
	}
	inside := func(key string) (values []string) {
		for range 40 {
			values = append(values, w.Row(r, map[string][]string{key: {"[" + named() + "," + named() + "]", w.Value(r, 3)}}))
		}
		return values
	}
	var rows []string
	for range 150 {
		requests := inside([]string{"messages", "tools", "system", "prompt", "toolChoice"}[r.IntN(5)])
		responses := inside([]string{"content", "toolCalls", "steps"}[r.IntN(3)])
		for range 20 {
			aside := []string{"actions", "expectedResponse", "memoryEntries", words[r.IntN(len(words))]}[r.IntN(4)]
			row := w.Row(r, map[string][]string{"request": requests, "response": responses, aside: {"[" + named() + "]", `"ACTION: OLD"`}})
			if r.IntN(3) == 0 { // the same in a string
				held := string(jsontext.AppendString(nil, "["+row+"]"))
				row = `{"request":{"tools":` + held + `},"response":{"toolCalls":` + held + `}}`
			}
			rows = append(rows, row)
		}
	}
	results, _ := sdktest.Direct(t, Plugin, oldToNew, rows...)
	var again []string
	var before, after canonical.Row
	uses := map[canonical.Use]int{}
	for i, res := range results {
		if len(res.Emitted) != 1 {
			t.Fatalf("%s: want it emitted, have %s %s", rows[i], res.Verdict, res.Message)
		}
		again = append(again, res.Emitted[0])
		before.Read(jsontext.JSON(rows[i]))
		after.Read(jsontext.JSON(res.Emitted[0]))
		for _, n := range after.Names() {
			if name := n.Body.Text(); name == "OLD" || name == "OLDER" {
				t.Fatalf("%s: want no retired name, have\n%s", rows[i], res.Emitted[0])
			}
		}
		if had, have := before.Names(), after.Names(); len(had) == len(have) {
			for i, n := range had {
				uses[n.Use]++
				want := n.Body.Text()
				if want == "OLD" || want == "OLDER" {
					want = "NEW"
				}
				if name := have[i].Body.Text(); name != want {
					t.Fatalf("%s: want %s, have %s", rows[i], want, name)
				}
			}
		}
	}
	twice, _ := sdktest.Direct(t, Plugin, oldToNew, again...)
	for i := range twice {
		if twice[i].Emitted[0] != again[i] {
			t.Fatalf("%s: want it to stay, have\n%s", again[i], twice[i].Emitted[0])
		}
	}
	for use := canonical.CallUse; use <= canonical.TextUse; use++ {
		if uses[use] < 10 {
			t.Errorf("want names of use %d tried, have %d", use, uses[use])
		}
	}
}

// wordsOf gives the strings that cases and the keys of maps in Go files are.
func wordsOf(t *testing.T, glob string) (words []string) {
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("want Go files at %s, have none (%v)", glob, err)
	}
	seen := map[string]bool{}
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && s != "" && !strings.ContainsAny(s, `"\`) && !seen[s] {
				seen[s] = true
				words = append(words, s)
			}
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, e := range n.List {
					add(e)
				}
			case *ast.KeyValueExpr:
				add(n.Key)
			}
			return true
		})
	}
	return words
}

// TestTooManyNames protects the memory of a run: a record with more names than are read is rejected and not half renamed.
func TestTooManyNames(t *testing.T) {
	for n, want := range map[int]string{canonical.MaxNames: "emit", canonical.MaxNames + 1: "reject"} {
		row := `{"availableActions":["A"` + strings.Repeat(`,"A"`, n-1) + `]}`
		results, _ := sdktest.Run(t, Plugin, oldToNew, row)
		if r := results[0]; r.Verdict != want || want == "reject" && r.Code != "too_many_names" {
			t.Errorf("%d names: want %s, have %s %s", n, want, r.Verdict, r.Code)
		}
	}
}

// TestOtherPlaces protects what only looks like a name.
func TestOtherPlaces(t *testing.T) {
	for _, c := range []struct{ reason, response string }{
		{"a backslash and an n are no line break", `"text":"a\\nACTION: OLD"`},
		{"a string that is no JSON holds no calls", `"toolCalls":"[{\"name\":\"OLD\""`},
		{"a prompt that is a text", `"text":"say OLD"`},
		{"what a tool answered", `"content":[{"type":"tool-result","output":{"type":"content","value":[{"type":"text","text":"ACTION: OLD"}]}}]`},
		{"a file's name", `"content":[{"type":"file","name":"OLD"}]`},
	} {
		row := `{"format":"eliza_native_v1","request":{},"response":{` + c.response + `}}`
		results, _ := sdktest.Run(t, Plugin, `{"aliases":{"OLD":"NEW"}}`, row)
		if have := results[0].Emitted[0]; have != row {
			t.Errorf("%s: want %s, have %s", c.reason, row, have)
		}
	}
}

package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// TestAuto holds what a file is taken for by its beginning, and that nothing depends on how it is read.
func TestAuto(t *testing.T) {
	const turn = `{"role":"user","content":"q"}`
	long := `{"data":"` + strings.Repeat("x", headSize) + `"}`
	for _, tt := range []struct {
		reason, name, text string
		want               []string
		err                string
	}{
		{"lines by name, whatever they hold", "a.jsonl", `{"rows":[{"a":1}]}` + "\n{\n", []string{`a.jsonl:1 {"rows":[{"a":1}]}`, "a.jsonl:2 { invalid_json want a key, have the end at byte 1"}, ""},
		{"lines by name, packed", "a.NDJSON", `[{"a":1}]` + "\n", []string{`a.NDJSON:1 [{"a":1}]`}, ""},
		{"lines of a session", "a.jsonl", `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s"}` + "\n" + `{"n":1}` + "\n", []string{`a.jsonl:1 {"session":"s","events":[{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s"},{"n":1}]}`}, ""},
		{"lines of a session behind others", "a.log", `{"type":"summary"}` + "\n" + `{"type":"session","id":"s","cwd":"/"}` + "\n", []string{`a.log:1 {"session":"s","events":[{"type":"summary"},{"type":"session","id":"s","cwd":"/"}]}`}, ""},
		{"lines of a session without its name", "a.jsonl", `{"type":"user","message":{"content":"q"}}` + "\n" + `{"parentUuid":"u","uuid":"v","message":{"content":[]}}` + "\n", []string{`a.jsonl:1 {"session":"a","events":[{"type":"user","message":{"content":"q"}},{"parentUuid":"u","uuid":"v","message":{"content":[]}}]}`}, ""},
		{"a record of a type with a message", "a.jsonl", `{"type":"user","message":"q"}` + "\n" + `{"type":"message","message":{"content":"q"}}` + "\n", []string{`a.jsonl:1 {"type":"user","message":"q"}`, `a.jsonl:2 {"type":"message","message":{"content":"q"}}`}, ""},
		{"the objects of a storage", "a.jsonl", `{"id":"m","sessionID":"s","role":"user"}` + "\n" + `{"id":"p","sessionID":"s","messageID":"m","type":"text"}` + "\n", []string{`a.jsonl:1 {"session":"s","events":[{"id":"m","sessionID":"s","role":"user"},{"id":"p","sessionID":"s","messageID":"m","type":"text"}]}`}, ""},
		{"records that name a session", "a.jsonl", `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","messages":[]}` + "\n", []string{`a.jsonl:1 {"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","messages":[]}`}, ""},
		{"lines in a file that is named otherwise", "a.json", "\n" + `{"rows":[{"a":1}]}` + "\n\n" + `{"a":2}` + "\n", []string{`a.json:2 {"rows":[{"a":1}]}`, `a.json:4 {"a":2}`}, ""},
		{"lines of lists", "a.json", "[1]\n[2]\n", []string{"a.json:1 [1]", "a.json:2 [2]"}, ""},
		{"lines whose first is broken", "a.json", "{\"a\":1\n{\"a\":2}\n", []string{"a.json:1 {\"a\":1 invalid_json want ',' or '}', have the end at byte 6", `a.json:2 {"a":2}`}, ""},
		{"text", "a.txt", "hello\n", []string{"a.txt:1 hello invalid_json want a value, have a letter at byte 0"}, ""},
		{"nothing", "a.json", " \n", nil, ""},
		{"a document of lines", "a.json", "{\n \"a\": 1\n}\n", []string{"a.json:1 {\n \"a\": 1\n}"}, ""},
		{"an array of records", "a.json", "[\n{\"a\":1},\n{\"a\":2}\n]", []string{`a.json:2 {"a":1}`, `a.json:3 {"a":2}`}, ""},
		{"an array of records in one line", "a.json", `[{"a":1},{"a":2}]`, []string{`a.json:1 {"a":1}`, `a.json:1 {"a":2}`}, ""},
		{"a list of messages", "a.json", "[" + turn + ",\n" + turn + "]\n", []string{"a.json:1 [" + turn + ",\n" + turn + "]"}, ""},
		{"records under rows", "a.json", "{\"name\":\"rows\",\"meta\":{\"rows\":[{}]},\n\"rows\":[{\"a\":1},\n{\"a\":2}],\"n\":[2]}\n", []string{`a.json:2 {"a":1}`, `a.json:3 {"a":2}`}, ""},
		{"records under trajectories, in one line", "a.json", `{"trajectories":[{"steps":[]}]}`, []string{`a.json:1 {"steps":[]}`}, ""},
		{"records under data", "a.json", `{"n":"\"","data": [ {"a":1} ]}`, []string{`a.json:1 {"a":1}`}, ""},
		{"records under records", "a.json", `{"records":[{"a":1}]}`, []string{`a.json:1 {"a":1}`}, ""},
		{"records under examples", "a.json", `{"version":1,"examples":[{"a":1},{"a":2}]}`, []string{`a.json:1 {"a":1}`, `a.json:1 {"a":2}`}, ""},
		{"records behind a list of something else", "a.json", "{\"data\":[{\"name\":\"card\"}],\n\"n\":[{}],\"records\":[{\"a\":1},\n{\"a\":2}]\n}\n", []string{`a.json:1 {"name":"card"}`, `a.json:2 {"a":1}`, `a.json:3 {"a":2}`}, ""},
		{"records far behind a list of something else", "a.json", `{"data":[{"name":"card"}],"n":"` + strings.Repeat("x", headSize) + `","records":[{"a":1}]}`, []string{`a.json:1 {"name":"card"}`, `a.json:1 {"a":1}`}, ""},
		{"one member twice", "a.json", `{"rows":[{"a":1}],"rows":[{"a":2}]}`, []string{`a.json:1 {"a":1}`, `a.json:1 {"a":2}`}, ""},
		{"a list of other values beside the records", "a.json", `{"data":[1,[{"a":0}]],"rows":[{"a":1}],"records":[ ]}`, []string{`a.json:1 {"a":1}`}, ""},
		{"messages beside the records", "a.json", `{"data":[` + turn + `],"rows":[{"a":1}]}`, []string{"a.json:1 " + turn, `a.json:1 {"a":1}`}, ""},
		{"a name in escapes", "a.json", `{"\u0072ow\u0073":[{"a":1}],"x\"":2,"rows\"":[{"b":1}]}`, []string{`a.json:1 {"a":1}`}, ""},
		{"values alone under each", "a.json", `{"data":[1],"rows":[2],"records":[3]}`, []string{`a.json:1 {"data":[1],"rows":[2],"records":[3]}`}, ""},
		{"a second list that breaks off", "a.json", `{"rows":[{"a":1}],"data":[{"a":2},`, []string{`a.json:1 {"a":1}`, `a.json:1 {"a":2}`, "a.json:1  invalid_json want an element, have the end, from byte 34 of the text"},
			"a.json:1: want an element, have the end: the rest of the file cannot be read"},
		{"messages under data are a record", "a.json", `{"data":[` + turn + `]}`, []string{`a.json:1 {"data":[` + turn + `]}`}, ""},
		{"texts under data are a record", "a.json", `{"data":["q","a"]}`, []string{`a.json:1 {"data":["q","a"]}`}, ""},
		{"no record under rows", "a.json", `{"rows":[]}`, []string{`a.json:1 {"rows":[]}`}, ""},
		{"a bad record among rows", "a.json", `{"rows":[{"a":1},x,{"a":2}]}`, []string{`a.json:1 {"a":1}`, "a.json:1 x invalid_json want a value, have a letter at byte 0", `a.json:1 {"a":2}`}, ""},
		{"something behind the document", "a.json", `{"rows":[{"a":1}]} x`, []string{`a.json:1 {"a":1}`, "a.json:1  invalid_json want a document with lists of records and nothing behind, have a letter, from byte 19 of the text"},
			"a.json:1: want a document with lists of records and nothing behind, have a letter: the rest of the file cannot be read"},
		{"a document that breaks off", "a.json", `{"rows":[{"a":1}],"n":`, []string{`a.json:1 {"a":1}`, "a.json:1  invalid_json want a document with lists of records and nothing behind, have the end, from byte 22 of the text"},
			"a.json:1: want a document with lists of records and nothing behind, have the end: the rest of the file cannot be read"},
		{"more than is looked at", "a.json", long, []string{"a.json:1 " + long}, ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			dir := write(t, map[string]string{tt.name: tt.text})
			for _, batch := range []int{1, 7, 1 << 10} {
				s, err := open(t, "auto", options(Options{Paths: []string{filepath.Join(dir, tt.name)}, Batch: batch}))
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t, s, newArena(4<<20))
				if diff := cmp.Diff(tt.want, rows); diff != "" {
					t.Errorf("batch %d: %s", batch, diff)
				}
				have := ""
				if err != nil {
					have = strings.TrimPrefix(err.Error(), dir+string(filepath.Separator))
				}
				if have != tt.err {
					t.Errorf("batch %d: want error %q, have %q", batch, tt.err, have)
				}
			}
		})
	}
}

// TestAutoNamesItsKinds holds that the doc of auto names each kind that it knows by the ending of a file, and README.md of
// pipelines the endings.
func TestAutoNamesItsKinds(t *testing.T) {
	page, err := os.ReadFile("../../../pipelines/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range kinds {
		if len(kind.certain) > 0 && !slices.Contains(strings.FieldsFunc(autoKind.doc, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }), name) {
			t.Errorf("want %s in the doc of autoKind in auto.go, which knows it by %s", name, kind.certain[0])
		}
		for _, ending := range kind.certain {
			if !strings.Contains(string(page), "`"+ending+"`") {
				t.Errorf("want `%s` in what pipelines/README.md says of auto, which reads such files as %s", ending, name)
			}
		}
	}
}

// TestAutoPacked holds that a packed file is told by what it holds.
func TestAutoPacked(t *testing.T) {
	dir := write(t, map[string]string{"a.json.gz": gzipped("{\"rows\":[\n{\"a\":1}]}")})
	s, err := open(t, "auto", options(Options{Paths: []string{filepath.Join(dir, "*")}}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<20))
	if diff := cmp.Diff([]string{`a.json.gz:2 {"a":1}`}, rows); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// TestUnread holds how many members stand beside the records of a document, which somebody may miss.
func TestUnread(t *testing.T) {
	for _, tt := range []struct {
		reason, text string
		want         int64
	}{
		{"none", `{"rows":[{"a":1,"b":2}]}`, 0},
		{"before and behind", `{"n":1,"rows":[{"a":1}],"license":"x: y","more":{"c":1,"d":[2]}}`, 3},
		{"a member of the name that is no list", `{"rows":{"a":1},"rows":[{"a":1}]}`, 1},
		{"a second list of records", `{"rows":[{"a":1}],"rows":[{"a":2}]}`, 0},
		{"lists of something else", `{"rows":[{"a":1}],"data":[1],"records":[],"examples":{"a":[{}]}}`, 3},
		{"a list of records alone", `[{"a":1}]`, 0},
	} {
		dir := write(t, map[string]string{"a.json": tt.text})
		for _, batch := range []int{1, 7, 1 << 10} {
			s, err := open(t, "auto", options(Options{Paths: []string{filepath.Join(dir, "a.json")}, Batch: batch}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drain(t, s, newArena(4<<20)); err != nil {
				t.Fatal(err)
			}
			if in := s.Inputs(); len(in) != 1 || in[0].Unread != tt.want {
				t.Errorf("%s: batch %d: want %d, have %v", tt.reason, batch, tt.want, in)
			}
		}
	}
}

// TestHead holds how many bytes of a text are seen, whatever stands before them.
func TestHead(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a text that is longer", "abcdef", "abcd"},
		{"one that is shorter", "abc", "abc"},
		{"none", "", ""},
		{"behind a byte order mark", "\uFEFFabcdef", "abcd"},
		{"behind one, and shorter", "\uFEFFabc", "abc"},
	} {
		path := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if head, err := (entry{name: path, info: info}).head(4, new([]byte)); string(head) != c.want || err != nil {
			t.Errorf("%s: want %q, have %q (%v)", c.reason, c.want, head, err)
		}
	}
}

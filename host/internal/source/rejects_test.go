package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRejects holds that the records of a dead letter come as they reached their steps, byte for byte, and that what the row does not
// have, or what cannot be read now either, is rejected once more for the same reason.
func TestRejects(t *testing.T) {
	const by, first, unread = `"step":"native.a","plugin":"native","file":"in.jsonl","line":4`, `"step":"first.f","plugin":""`, `"step":"jsonl.in","plugin":""`
	for _, c := range []struct{ reason, row, want string }{
		{"a record", `{"code":"bad","message":"m","path":"p",` + by + `,"record":{"n": 1.0, "n":9007199254740993}}`, `{"n": 1.0, "n":9007199254740993}`},
		{"one of several", `{"code":"bad","message":"m","path":"",` + by + `,"origins":[{"file":"a","line":1},{"file":"a","line":2}],"record":[1]}`, `[1]`},
		{"one that no step took", `{"code":"declined","message":"m","path":"",` + first + `,"record":{"a":1}}`, `{"a":1}`},
		{"a record that is a string", `{"code":"bad","message":"m","path":"",` + by + `,"record":"{\"a\":1}"}`, `"{\"a\":1}"`},
		{"a string that no step took", `{"code":"declined","message":"m","path":"",` + first + `,"record":"a"}`, `"a"`},
		{"a text that is no JSON", `{"code":"invalid_json","message":"want \"x\"","path":"",` + unread + `,"record":"{\"a\":"}`, `{"a": invalid_json want "x"`},
		{"a text that nests as deep as may be now", `{"code":"too_deep","message":"m","path":"",` + unread + `,"record":"[[1]]"}`, `[[1]]`},
		{"a text that nests too deep", `{"code":"too_deep","message":"m","path":"",` + unread + `,"record":"[[[1]]]"}`, `[[[1]]] too_deep m`},
		{"bytes that are no text", `{"code":"invalid_utf8","message":"m","path":"",` + unread + `,"record":"/w==","encoding":"base64"}`, "\xff invalid_utf8 m"},
		{"a record that was too large", `{"code":"too_large","message":"m","path":"",` + unread + `,"record":null}`, ` too_large m`},
		{"a record that privacy keeps back", `{"code":"residue","message":"m","path":"a",` + by + `,"record":null}`, ` residue m`},
		{"a blank line", ` `, ``},
		{"no row of a dead letter", `{"messages":[]}`, `{"messages":[]} not_a_reject want a row of a dead letter, with code, message and record`},
		{"no object", `[1]`, `[1] not_a_reject want a row of a dead letter, with code, message and record`},
		{"no JSON", `{"code":`, `{"code": invalid_json`},
	} {
		dir := write(t, map[string]string{"r": c.row + "\n"})
		s, err := open(t, "rejects", options(Options{Paths: []string{filepath.Join(dir, "r")}, Depth: 2}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := drain(t, s, newArena(1<<10))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		have := strings.Join(rows, "\n")
		if c.want != "" {
			c.want = "r:1 " + c.want
		}
		if c.reason == "no JSON" {
			have = have[:min(len(have), len(c.want))]
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

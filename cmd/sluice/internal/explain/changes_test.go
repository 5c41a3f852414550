package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/rundiff"
)

// TestChanges holds how differences are told: what was moved with all that it holds, or only in part, is not told as removed
// in one place and added in another.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ reason, from, to, want string }{
		{"nothing", `{"a":1,"b":[1]}`, `{"b":[1],"a":1}`, ``},
		{"a value", `{"a":1}`, `{"a":2}`, `~ a 1 2`},
		{"digits that a float does not hold", `{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `~ a 12345678901234567890 12345678901234567891`},
		{"a member", `{"a":1}`, `{"b":1}`, `+ b 1|- a 1`},
		{"a whole text", `{"a":"a text of some size"}`, `{"b":"a text of some size"}`, `> b from a`},
		{"a short text may be anybody's", `{"a":"user"}`, `{"b":"user"}`, `+ b "user"|- a "user"`},
		{"an object", `{"a":{"x":1,"y":[2]}}`, `{"b":{"c":{"y":[2],"x":1}}}`, `> b.c from a`},
		{"a part, and what is left", `{"a":{"text":"a text of some size","n":1}}`, `{"b":["a text of some size",7]}`, `> b.0 from a.text|+ b.1 7|- a.n 1`},
		{"an element in the middle", `[{"n":1},{"n":2},{"n":3}]`, `[{"n":1},{"n":3}]`, `- 1 {"n":2}`},
		{"an element in front", `[{"n":2},{"n":3}]`, `[{"n":1},{"n":2},{"n":3}]`, `+ 0 {"n":1}`},
		{"one in front is gone, and one behind it was edited", `[{"n":1,"t":"a text"},{"n":2,"t":"another text"}]`, `[{"n":2,"t":"another word"}]`,
			`~ 0.t "another text" "another word"|- 0 {"n":1,"t":"a text"}`},
		{"an element with an id that is elsewhere, and was edited", `[{"id":"x","n":1},{"id":"y","n":2},{"id":"z","n":3}]`, `[{"id":"z","n":4},{"id":"x","n":1},{"id":"y","n":2}]`,
			`> 0 from 2|~ 0.n 3 4`},
		{"a number in another spelling", `{"a":1.0}`, `{"a":1}`, ``},
		{"keys that paths must escape", `{"a.b":1,"c/d":{"~":1}}`, `{"a.b":2,"c/d":{"~":2}}`, `~ a\.b 1 2|~ c/d.~ 1 2`},
		{"another kind of record", `{"a":1}`, `[1]`, `~  {"a":1} [1]`},
	} {
		pairs, err := rundiff.Values([]byte(c.from), []byte(c.to))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		var have []string
		for _, x := range Changes(pairs) {
			switch x.Kind {
			case Added:
				have = append(have, fmt.Sprintf("+ %s %s", x.Path, Quoted(x.New)))
			case Removed:
				have = append(have, fmt.Sprintf("- %s %s", x.Path, Quoted(x.Old)))
			case Moved:
				have = append(have, fmt.Sprintf("> %s from %s", x.Path, x.From))
			default:
				have = append(have, fmt.Sprintf("~ %s %s %s", x.Path, Quoted(x.Old), Quoted(x.New)))
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(have, "|")); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// FuzzPatch holds that a patch, applied as RFC 6902 says, makes one text of the other, and that what is told for people can be
// told of any two texts.
func FuzzPatch(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":[1,2,3],"b":{}}`, `{"a":[3,1],"b":{"c":null}}`},
		{`[[1,[2]],{"a":"a text of some size"}]`, `[{"b":"a text of some size"},[1,[2,2]],null]`},
		{`[1,2,3,4,5]`, `[5,4,1,2,6,3]`},
		{`{"":1,"/":2,"~":{"~1":[{}]}}`, `{"":2,"/":{"~1":[{}]}}`},
		{`1`, `"1"`},
	} {
		f.Add(pair[0], pair[1])
	}
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		v := drawValue(rng, 4)
		f.Add(Quoted(v), Quoted(mutated(rng, v)))
	}
	f.Fuzz(checkPatch)
}

// drawValue makes a value of few different parts, so that many are alike.
func drawValue(rng *rand.Rand, depth int) any {
	switch n := rng.Intn(8); {
	case depth > 0 && n < 3:
		list := []any{}
		for range rng.Intn(6) {
			list = append(list, drawValue(rng, depth-1))
		}
		return list
	case depth > 0 && n < 6:
		object := map[string]any{}
		for range rng.Intn(5) {
			object[string(rune('a'+rng.Intn(4)))] = drawValue(rng, depth-1)
		}
		return object
	case n == 6:
		return fmt.Sprintf("a text of some size %d", rng.Intn(3))
	}
	return rng.Intn(3)
}

// mutated is a value with changes in some places.
func mutated(rng *rand.Rand, v any) any {
	if rng.Intn(12) == 0 {
		return drawValue(rng, 2)
	}
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			switch rng.Intn(8) {
			case 0:
			case 1:
				list = append(list, drawValue(rng, 1), x)
			default:
				list = append(list, mutated(rng, x))
			}
		}
		if rng.Intn(6) == 0 {
			rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch rng.Intn(8) {
			case 0:
			case 1:
				object[key+"2"] = v[key]
			default:
				object[key] = mutated(rng, v[key])
			}
		}
		return object
	}
	return v
}

func checkPatch(t *testing.T, from, to string) {
	if !json.Valid([]byte(from)) || !json.Valid([]byte(to)) {
		return
	}
	pairs, err := rundiff.Values([]byte(from), []byte(to))
	if err != nil {
		return // not what sluice reads as JSON
	}
	have, err := decode([]byte(from))
	if err != nil {
		return // deeper than encoding/json reads
	}
	patch := patchOf(pairs)
	for _, op := range patch {
		have = apply(t, have, strings.Split(op.Path, "/")[1:], op)
	}
	if left, err := rundiff.Values([]byte(Quoted(have)), []byte(to)); err != nil || len(left) > 0 {
		t.Errorf("want %s of %s by %v, have %s: %v", to, from, patch, Quoted(have), err)
	}
	Changes(pairs)
	for _, s := range untouched([]byte(from), []byte(to)) {
		if at := gjson.Get(to, s.Path); s.Path != "" && at.Exists() && len(at.Raw) != s.Bytes {
			t.Errorf("want %d bytes at %q of %s, have %s", s.Bytes, s.Path, to, at.Raw)
		}
	}
}

// apply does one operation on a value.
func apply(t *testing.T, v any, path []string, op Operation) any {
	t.Helper()
	if len(path) == 0 {
		return value(string(op.Value))
	}
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch v := v.(type) {
	case map[string]any:
		switch inner, ok := v[step]; {
		case len(path) > 1:
			v[step] = apply(t, inner, path[1:], op)
		case ok == (op.Op == "add"):
			t.Fatalf("%s: want a member to be there only when it is not added", op.Path)
		case op.Op == "remove":
			delete(v, step)
		default:
			v[step] = value(string(op.Value))
		}
		return v
	case []any:
		i, err := strconv.Atoi(step)
		if step == "-" {
			i, err = len(v), nil
		}
		if err != nil || i > len(v) || i == len(v) && (len(path) > 1 || op.Op != "add") {
			t.Fatalf("%s: want an element of %d", op.Path, len(v))
		}
		switch {
		case len(path) > 1:
			v[i] = apply(t, v[i], path[1:], op)
		case op.Op == "remove":
			v = append(v[:i:i], v[i+1:]...)
		case op.Op == "add":
			v = append(v[:i:i], append([]any{value(string(op.Value))}, v[i:]...)...)
		default:
			v[i] = value(string(op.Value))
		}
		return v
	}
	t.Fatalf("%s: want an object or an array", op.Path)
	return nil
}

// TestUntouched holds what is told to be as it was read: bytes, not values.
func TestUntouched(t *testing.T) {
	for _, c := range []struct{ reason, from, to, want string }{
		{"all of it", `{"a": 1}`, `{"a": 1}`, ` 8`},
		{"a value that is spelled in another way", `{"a":1.0,"b":2}`, `{"a":1,"b":2}`, `b 1`},
		{"blanks", `{"a":{"b": 1}}`, `{"a":{"b":1}}`, `a.b 1`},
		{"what stands elsewhere", `{"a":{"text":"a text of some size"}}`, `{"b":"a text of some size"}`, `b 21 a.text`},
		{"a key that comes twice: the first", `{"a":1,"a":2,"b":3}`, `{"a":1,"b":4}`, `a 1`},
		{"elements", `[1,[2,3]]`, `[1,[4,3]]`, `0 1|1.1 1`},
		{"nothing", `{"a":1}`, `{"b":1}`, ``},
	} {
		var have []string
		for _, s := range untouched([]byte(c.from), []byte(c.to)) {
			have = append(have, strings.TrimRight(fmt.Sprintf("%s %d %s", s.Path, s.Bytes, s.From), " "))
		}
		if diff := cmp.Diff(c.want, strings.Join(have, "|")); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

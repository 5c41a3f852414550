package sdk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A tree is a document as a reader that forgets nothing has it: white space, spellings and duplicate keys. Editing
// it gives the bytes that a Record must give.
type tree struct {
	open, close string // "{" and "}", "[" and "]"; of a scalar both are empty
	scalar      string
	hollow      string // white space of an empty object or array
	items       []item
}

type item struct {
	lead, key, colon string // white space, the quoted key, what stands between it and the value
	value            *tree
	trail            string
}

func (t *tree) String() string {
	if t.open == "" {
		return t.scalar
	}
	var b strings.Builder
	b.WriteString(t.open)
	if len(t.items) == 0 {
		b.WriteString(t.hollow)
	}
	for i, it := range t.items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(it.lead + it.key + it.colon + it.value.String() + it.trail)
	}
	return b.String() + t.close
}

// matches gives the positions of the items that a part leads to.
func (t *tree) matches(p part) (at []int) {
	for i, it := range t.items {
		var key string
		if t.open == "{" {
			json.Unmarshal([]byte(it.key), &key)
		}
		if t.open == "{" && key == p.key || t.open == "[" && i == p.index {
			at = append(at, i)
		}
	}
	return at
}

func (t *tree) set(parts []part, raw string) error {
	if err := t.refuses(parts); err != nil {
		return err
	}
	t.put(parts, raw, true)
	return nil
}

// refuses follows the last of each key and says whether something in the way cannot hold the rest.
func (t *tree) refuses(parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	if at := t.matches(parts[0]); len(at) > 0 {
		return t.items[at[len(at)-1]].value.refuses(parts[1:])
	}
	p := parts[0]
	if t.open == "{" || t.open == "[" && (p.end || p.index >= 0) || t.scalar == "null" {
		return nil
	}
	return fmt.Errorf("cannot hold %q", p.key)
}

func (t *tree) put(parts []part, raw string, last bool) {
	if len(parts) == 0 {
		*t = tree{scalar: raw}
		return
	}
	p := parts[0]
	at := t.matches(p)
	for i, n := range at {
		t.items[n].value.put(parts[1:], raw, last && i == len(at)-1)
	}
	if len(at) > 0 || !last {
		return
	}
	if t.scalar == "null" {
		*t = tree{open: "{", close: "}"}
		if p.end || p.index >= 0 {
			*t = tree{open: "[", close: "]"}
		}
	}
	for t.open == "[" && len(t.items) < p.index {
		t.push(item{value: &tree{scalar: "null"}})
	}
	fresh := item{value: &tree{scalar: "null"}}
	if t.open == "{" {
		fresh.key, fresh.colon = `"`+strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(p.key)+`"`, ":"
	}
	fresh.value.put(parts[1:], raw, true)
	t.push(fresh)
}

// push puts an item behind the last, before its white space.
func (t *tree) push(it item) {
	if n := len(t.items); n > 0 {
		it.trail, t.items[n-1].trail = t.items[n-1].trail, ""
	} else {
		it.trail = t.hollow
	}
	t.items = append(t.items, it)
}

func (t *tree) delete(parts []part) {
	at := t.matches(parts[0])
	for i := len(at) - 1; i >= 0; i-- {
		n := at[i]
		switch {
		case len(parts) > 1:
			t.items[n].value.delete(parts[1:])
			continue
		case n+1 < len(t.items):
			t.items[n+1].lead = t.items[n].lead
		case n > 0:
			t.items[n-1].trail += t.items[n].trail
		default:
			t.hollow = t.items[n].trail
		}
		t.items = append(t.items[:n], t.items[n+1:]...)
	}
}

// A dice makes choices out of the bytes of a fuzz input; when they are used up, it always gives 0.
type dice struct{ data []byte }

func (d *dice) roll(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	c := d.data[0]
	d.data = d.data[1:]
	return int(c) % n
}

func (d *dice) pick(from []string) string { return from[d.roll(len(from))] }

var (
	fuzzSpace   = []string{"", "", "", "", " ", "\n\t", "\r\n  "}
	fuzzScalars = []string{`null`, `1`, `-0`, `1.50e+3`, `12345678901234567890`, `true`, `""`, `"a,b}]"`, `"\\"`, `"\""`, `"\ud800"`, "\"\u2028\"", `"{\"a\":1}"`, `"\\\\\""`}
	fuzzKeys    = []string{`"a"`, `"\u0061"`, `"b"`, `"a.b"`, `""`, `"0"`, `"1"`, `"-1"`, `"\ud800"`, "\"\u2028\"", `"\""`, `"*"`, `":1"`, `"\\"`}
	fuzzParts   = []string{"a", "b", "0", "1", "3", "-1", "", `a\.b`, ":1", `\:1`, "\uFFFD", "\u2028", `"`, `\*`, `\\`, "new"}
)

func (d *dice) document(depth int) *tree {
	switch kind := d.roll(8); {
	case depth > 0 && kind < 4:
		t := &tree{open: "{", close: "}", hollow: d.pick(fuzzSpace)}
		for range d.roll(5) {
			t.items = append(t.items, item{
				lead: d.pick(fuzzSpace), key: d.pick(fuzzKeys), colon: d.pick(fuzzSpace) + ":" + d.pick(fuzzSpace),
				value: d.document(depth - 1), trail: d.pick(fuzzSpace),
			})
		}
		return t
	case depth > 0 && kind < 6:
		t := &tree{open: "[", close: "]", hollow: d.pick(fuzzSpace)}
		for range d.roll(4) {
			t.items = append(t.items, item{lead: d.pick(fuzzSpace), value: d.document(depth - 1), trail: d.pick(fuzzSpace)})
		}
		return t
	}
	return &tree{scalar: d.pick(fuzzScalars)}
}

func (d *dice) path() string {
	parts := make([]string, 1+d.roll(3))
	for i := range parts {
		parts[i] = d.pick(fuzzParts)
	}
	return strings.Join(parts, ".")
}

// FuzzRecord edits a document in three ways: as a tree, as a record that is read after every edit, and as one that
// collects its edits. All must give the same bytes.
func FuzzRecord(f *testing.F) {
	f.Add([]byte("\x00\x00\x02\x00\x00\x00\x00\x07\x01\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x04\x03\x04\x01\x04\x04\x00\x01\x01\x04\x00\x00\x00\x00\x07\x02\x04\x01\x01\x01\x01\x01\x00\x00\x00\x02\x03\x00\x00\x07"))
	for seed := range 64 {
		data := make([]byte, 96)
		x := uint32(seed)*2654435761 + 1
		for i := range data {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			data[i] = byte(x >> 8)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		lead, model, trail := d.pick(fuzzSpace), d.document(4), d.pick(fuzzSpace)
		doc := lead + model.String() + trail
		read, collected := newRecord(doc), newRecord(doc)
		for len(d.data) > 0 {
			before := read.JSON()
			kept := string(before)
			path := d.path()
			parts, err := splitPath(nil, path)
			if err != nil {
				continue
			}
			switch d.roll(4) {
			case 0:
				if err := read.Delete(path); errText(collected.Delete(path)) != errText(err) {
					t.Fatalf("delete %q in %s: want the same of both, have %v", path, kept, err)
				} else if err == nil {
					model.delete(parts)
				}
			default:
				value := d.document(2).String()
				want := model.set(parts, value)
				err := read.SetRaw(path, []byte(value))
				if errText(collected.SetRaw(path, []byte(value))) != errText(err) || (err == nil) != (want == nil) {
					t.Fatalf("set %q in %s: want %v, have %v", path, kept, want, err)
				}
				model = reparse(t, model.String())
				if err == nil {
					checkReaders(t, read, parts, path, value)
				}
			}
			if have := string(read.JSON()); have != lead+model.String()+trail {
				t.Fatalf("%s, path %q:\nwant %s\nhave %s", kept, path, lead+model.String()+trail, have)
			}
			if string(before) != kept {
				t.Fatalf("want the view %s to stay, have %s", kept, before)
			}
		}
		length := collected.length()
		if have, want := string(collected.JSON()), string(read.JSON()); have != want || length != len(want) {
			t.Fatalf("edits collected in %s:\nwant %s\nhave %s, and said %d bytes", doc, want, have, length)
		}
		if !json.Valid(read.JSON()) {
			t.Fatalf("want JSON, have %s", read.JSON())
		}
	})
}

// checkReaders tells whether a reader that takes the first of duplicate keys and one that takes the last see value.
func checkReaders(t *testing.T, r *Record, parts []part, path, value string) {
	t.Helper()
	var whole, want any
	json.Unmarshal(r.JSON(), &whole)
	json.Unmarshal([]byte(value), &want)
	for _, p := range parts {
		switch v := whole.(type) {
		case map[string]any:
			whole = v[p.key]
		case []any:
			n := p.index
			if p.end {
				n = len(v) - 1
			}
			whole = v[n]
		}
	}
	if have, want := fmt.Sprint(whole), fmt.Sprint(want); have != want {
		t.Fatalf("the last %q in %s: want %s, have %s", path, r.JSON(), want, have)
	}
	if strings.ContainsAny(path, `:\"-`) || strings.Contains(path, "\uFFFD") || strings.Contains("."+path+".", "..") {
		return // gjson reads these in its own way
	}
	if have := r.Get(path).Raw; have != value {
		t.Fatalf("the first %q in %s: want %s, have %s", path, r.JSON(), value, have)
	}
}

// reparse reads a document into a tree anew, since an edit may have put a whole document in place of a scalar.
func reparse(t *testing.T, doc string) *tree {
	t.Helper()
	p := scanner{s: doc}
	root := p.value()
	if p.i != len(doc) || root.String() != doc {
		t.Fatalf("want %s read back, have %s", doc, root)
	}
	return root
}

type scanner struct {
	s string
	i int
}

func (p *scanner) space() string {
	from := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
	return p.s[from:p.i]
}

func (p *scanner) scalar() string {
	raw := gjson.Parse(p.s[p.i:]).Raw
	if p.s[p.i] != '"' {
		raw = p.s[p.i:][:strings.IndexAny(p.s[p.i:]+",", ", \t\r\n]}")]
	}
	p.i += len(raw)
	return raw
}

func (p *scanner) value() *tree {
	c := p.s[p.i]
	if c != '{' && c != '[' {
		return &tree{scalar: p.scalar()}
	}
	t := &tree{open: string(c), close: string(c + 2)}
	p.i++
	for {
		it := item{lead: p.space()}
		if p.s[p.i] == c+2 {
			t.hollow = it.lead
			p.i++
			return t
		}
		if c == '{' {
			it.key = p.scalar()
			it.colon = p.space() + ":"
			p.i++
			it.colon += p.space()
		}
		it.value = p.value()
		it.trail = p.space()
		t.items = append(t.items, it)
		p.i++
		if p.s[p.i-1] == c+2 {
			return t
		}
	}
}

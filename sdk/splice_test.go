package sdk

import (
	"strings"
	"testing"
)

func TestSplice(t *testing.T) {
	type edit struct {
		start, end int
		text       string
	}
	tests := []struct {
		reason, doc string
		edits       []edit
		want, err   string // err is that of the last edit
	}{
		{reason: "a replacement", doc: `{"a":1}`, edits: []edit{{5, 6, `22`}}, want: `{"a":22}`},
		{reason: "a deletion", doc: `{"a":1,"b":2}`, edits: []edit{{6, 12, ``}}, want: `{"a":1}`},
		{reason: "an insertion", doc: `{"a":1}`, edits: []edit{{6, 6, `,"b":2`}}, want: `{"a":1,"b":2}`},
		{reason: "the whole", doc: `1`, edits: []edit{{0, 1, `[]`}}, want: `[]`},
		{reason: "nothing for nothing", doc: `[1]`, edits: []edit{{1, 1, ``}}, want: `[1]`},
		{reason: "offsets stay those of the view", doc: `[1,2,3]`, edits: []edit{{1, 2, `100`}, {3, 4, ``}, {5, 6, `300`}}, want: `[100,,300]`},
		{reason: "in any order", doc: `[1,2,3]`, edits: []edit{{5, 6, `c`}, {1, 2, `a`}, {3, 4, `b`}}, want: `[a,b,c]`},
		{reason: "texts at one place follow one another", doc: `[]`, edits: []edit{{1, 1, `1`}, {2, 2, `!`}, {1, 1, `,2`}, {0, 0, `?`}, {1, 1, `,3`}}, want: `?[1,2,3]!`},
		{reason: "a text before what is replaced", doc: `[1]`, edits: []edit{{1, 2, `2`}, {1, 1, `0,`}}, want: `[0,2]`},
		{reason: "a text behind what is replaced", doc: `[1]`, edits: []edit{{1, 2, `2`}, {2, 2, `,3`}}, want: `[2,3]`},

		{reason: "the same twice", doc: `[1]`, edits: []edit{{1, 2, `2`}, {1, 2, `3`}}, want: `[2]`, err: "splice: want splices that do not overlap, have 1 to 2 and 1 to 2"},
		{reason: "inside one of before", doc: `[123]`, edits: []edit{{1, 4, `2`}, {2, 2, `3`}}, want: `[2]`, err: "splice: want splices that do not overlap, have 1 to 4 and 2 to 2"},
		{reason: "around one of before", doc: `[123]`, edits: []edit{{2, 2, `0`}, {0, 1, `[`}, {1, 4, `3`}}, want: `[1023]`, err: "splice: want splices that do not overlap, have 2 to 2 and 1 to 4"},
		{reason: "before the beginning", doc: `[1]`, edits: []edit{{-1, 1, `3`}}, want: `[1]`, err: "splice: want offsets from 0 to 3 in order, have -1 and 1"},
		{reason: "behind the end", doc: `[1]`, edits: []edit{{1, 4, `3`}}, want: `[1]`, err: "splice: want offsets from 0 to 3 in order, have 1 and 4"},
		{reason: "the end before the start", doc: `[1]`, edits: []edit{{2, 1, `3`}}, want: `[1]`, err: "splice: want offsets from 0 to 3 in order, have 2 and 1"},
	}
	for _, tt := range tests {
		r := newRecord(tt.doc)
		before := r.JSON()
		for i, e := range tt.edits {
			text := []byte(e.text)
			err := r.Splice(e.start, e.end, text)
			clear(text) // it was copied
			if last := i == len(tt.edits)-1; !last && err != nil || last && errText(err) != tt.err {
				t.Errorf("%s: want error %q, have %v", tt.reason, tt.err, err)
			}
		}
		if string(before) != tt.doc {
			t.Errorf("%s: want the view %s to stay, have %s", tt.reason, tt.doc, before)
		}
		if have := string(r.JSON()); have != tt.want {
			t.Errorf("%s: want %s, have %s", tt.reason, tt.want, have)
		}
	}
}

// TestSpliceWantsView holds that no splice is made at offsets of a document that has changed since.
func TestSpliceWantsView(t *testing.T) {
	const stale = "splice: want offsets in the text that JSON returns, have an edit since its last call, or no call"
	tests := []struct {
		reason string
		before func(r *Record)
		want   string
	}{
		{"JSON was not called", func(r *Record) {}, stale},
		{"a value was set since", func(r *Record) { r.JSON(); r.Set("b", 1) }, stale},
		{"a value was deleted since", func(r *Record) { r.JSON(); r.Delete("a") }, stale},
		{"a splice was applied for View", func(r *Record) { r.JSON(); r.Splice(0, 0, []byte(" ")); r.View("a") }, stale},
		{"JSON was called again", func(r *Record) { r.JSON(); r.Set("b", 1); r.JSON() }, ""},
		{"nothing was edited", func(r *Record) { r.JSON(); r.Delete("none"); r.View("a") }, ""},
	}
	for _, tt := range tests {
		r := newRecord(`{"a":1}`)
		tt.before(r)
		if have := errText(r.Splice(0, 1, []byte("{"))); have != tt.want {
			t.Errorf("%s: want error %q, have %q", tt.reason, tt.want, have)
		}
	}
}

// TestSetAfterSplice holds that Set finds its place in what the splices made, or nothing when that is no JSON.
func TestSetAfterSplice(t *testing.T) {
	r := newRecord(`{"a":1,"b":2}`)
	r.JSON()
	must(t, r.Splice(2, 3, []byte("b")))
	must(t, r.Splice(8, 9, []byte("a")))
	must(t, r.Set("a", 3))
	r.JSON()
	must(t, r.Splice(5, 6, []byte("4")))
	must(t, r.Delete("a"))
	if have, want := string(r.JSON()), `{"b":4}`; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
	must(t, r.Splice(0, 1, nil))
	if have, want := errText(r.Set("a", 1)), `set "a": want a record of JSON, have 6 bytes that are not`; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
}

// cells are a document byte by byte, with what splices make of each. The last cell is the end.
type cells []struct {
	old    string
	before string // put in before the byte, or before what replaces it
	text   string // in place of the bytes that begin here
	owner  int    // which splice took the byte; 0: none
}

func cut(doc string) cells {
	cut := make(cells, len(doc)+1)
	for i := range len(doc) {
		cut[i].old = doc[i : i+1]
	}
	return cut
}

// splice tells whether it was possible. number is that of the splice, from 1.
func (cs cells) splice(start, end int, text string, number int) bool {
	if start == end {
		if start > 0 && cs[start].owner != 0 && cs[start].owner == cs[start-1].owner {
			return false
		}
		cs[start].before += text
		return true
	}
	for i := start; i < end; i++ {
		if cs[i].owner != 0 || i > start && cs[i].before != "" {
			return false
		}
	}
	for i := start; i < end; i++ {
		cs[i].owner = number
	}
	cs[start].text = text
	return true
}

func (cs cells) String() string {
	var b strings.Builder
	for _, c := range cs {
		b.WriteString(c.before + c.text)
		if c.owner == 0 {
			b.WriteString(c.old)
		}
	}
	return b.String()
}

// FuzzSplice splices a record, and a document byte by byte. Both must give the same, and take the same splices.
func FuzzSplice(f *testing.F) {
	f.Add("0123456789", []byte("\x05\x02\x01\x01\x01\x00\x02\x01\x01\x00\x03\x01\x03\x02\x04\x00"))
	for _, stride := range []byte{1, 7, 83, 254, 255} { // ascending, scattered and descending
		choices := make([]byte, 0, 800)
		for i := range 200 {
			choices = append(choices, byte(i)*stride, byte(i)*3, byte(i), byte(i)/7)
		}
		f.Add(strings.Repeat("0123456789", 20), choices)
	}
	f.Fuzz(func(t *testing.T, doc string, choices []byte) {
		doc = doc[:min(len(doc), 250)]
		d, r, model := &dice{choices}, newRecord(doc), cut(doc)
		r.JSON()
		for number := 1; len(d.data) > 0; number++ {
			start := d.roll(len(doc) + 1)
			end := min(start+d.roll(4), len(doc))
			text := d.pick([]string{"", "a", "bcd", "<long text>"})
			err := r.Splice(start, end, []byte(text))
			if want := model.splice(start, end, text, number); (err == nil) != want {
				t.Fatalf("splice %d to %d of %q: want it taken: %t, have %v", start, end, doc, want, err)
			}
			if d.roll(8) == 1 { // as when it is emitted
				if have, want := string(r.appendTo(nil)), model.String(); have != want || r.length() != len(want) {
					t.Fatalf("%q:\nwant %q\nhave %q, and said %d bytes", doc, want, have, r.length())
				}
			}
		}
		if have, want := string(r.JSON()), model.String(); have != want {
			t.Fatalf("%q:\nwant %q\nhave %q", doc, want, have)
		}
	})
}

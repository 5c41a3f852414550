package sdk

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestMarksOfRecord protects records from being taken for others, however their strings are written: a step would decline its own.
func TestMarksOfRecord(t *testing.T) {
	for _, c := range []struct {
		reason, record string
		want           bool
	}{
		{"a key", `{"a":{"contents":1}}`, true},
		{"a value", `[1,"contents"]`, true},
		{"blanks around", "\n{ \"contents\" : 1 }", true},
		{"an escaped key", `{"\u0063ontents":1}`, true},
		{"a key of escapes alone", `{"\u0063\u006f\u006e\u0074\u0065\u006e\u0074\u0073":1}`, true},
		{"a text that may be a rendered one", `"<|role|>user"`, true},
		{"a number", `42`, true},
		{"the empty string", `{"":1}`, false},
		{"other strings", `{"messages":[{"role":"user","content":"the contents"}]}`, false},
		{"an escape that spells no letter", `{"a\n":"contents\n"}`, false},
		{"a string in a string", `{"a":"{\"contents\":1}"}`, false},
		{"strings of one length with the same ends", `{"context":"contexts"}`, false},
		{"a key that is wanted", `{"speaker" :"user"}`, true},
		{"a value where a key is wanted", `["user","speaker"]`, false},
	} {
		m := newMarks([]*step{{marks: [][]string{{"other", "speaker"}, {"nothing like it", "contents", "speaker:"}}}})
		m.read(jsontext.JSON(c.record))
		if have := m.mayHave(1); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

// TestMarksAreApart holds that a record with one string is not taken for one with another, whatever else the table holds: more groups
// than one word has bits, strings in several groups, strings of any length.
func TestMarksAreApart(t *testing.T) {
	var words []string
	for _, stem := range []string{"", "a", "content", "context", "contest", "messages", "a key that is longer than sixty-three bytes, which is where lengths are no longer told apart"} {
		for _, end := range []string{"", "s", "_id", "Id", "é", " 1"} {
			words = append(words, stem+end)
		}
	}
	var steps []*step
	for i := range words {
		steps = append(steps, &step{marks: [][]string{{words[i]}, words[:i+1]}})
	}
	m := newMarks(steps)
	for i, word := range words {
		m.read(`[` + jsontext.Quote(word) + `]`)
		for j, s := range steps {
			if one, all := m.mayHave(s.needs[0].group), m.mayHave(s.needs[1].group); one != (i == j) || all != (i <= j) {
				t.Errorf("%q: want %v and %v for %q and the strings up to it, have %v and %v", word, i == j, i <= j, words[j], one, all)
			}
		}
	}
}

// TestMarksInChain holds what a step that declines by its marks leaves: the record for the next step, a verdict with the reason, and
// no call, wherever it is.
func TestMarksInChain(t *testing.T) {
	var calls []string
	adapter := func(name string, marks ...[]string) Plugin {
		return Plugin{Name: name, Doc: "takes its own", Marks: func(Args) [][]string { return marks }, New: func(Args) (Processor, error) {
			return Map(func(r *Record) error {
				calls = append(calls, name)
				return r.Set("by", name)
			}), nil
		}}
	}
	plugins := []Plugin{
		adapter("red", []string{"red", "rouge"}), adapter("round", []string{"ball"}, []string{"red", "blue"}), adapter("last", []string{"blue"}),
		{Name: "after", Doc: "sees what went on", New: func(Args) (Processor, error) {
			return Map(func(r *Record) error { calls = append(calls, "after"); return nil }), nil
		}},
	}
	w, bad := Host(plugins...).Open(wire.OpenRequest{Plugin: "red", Args: []byte("{}"), Behind: []wire.Step{
		{Plugin: "round", Args: []byte("{}"), Or: true}, {Plugin: "last", Args: []byte("{}"), Or: true}, {Plugin: "after", Args: []byte("{}")},
	}})
	if bad != nil {
		t.Fatal(bad)
	}
	for _, c := range []struct {
		record  string
		calls   []string
		reasons [3]string // of the members, as far as they decline
	}{
		{`{"rouge":1}`, []string{"red", "after"}, [3]string{}},
		{`{"ball":"blue"}`, []string{"round", "after"}, [3]string{"want one of the words red, rouge"}},
		{`{"box":"blue"}`, []string{"last", "after"}, [3]string{"want one of the words red, rouge", "want the word ball"}},
		{`{"ball":1}`, nil, [3]string{"want one of the words red, rouge", "want one of the words red, blue", "want the word blue"}},
	} {
		calls = nil
		var reply *wire.Reply
		err := w.Process(t.Context(), input(c.record), &ring{memory: make([]byte, 1000)}, func(r *wire.Reply) error { reply = r; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(calls, c.calls) {
			t.Errorf("%s: want calls of %v, have %v", c.record, c.calls, calls)
		}
		for i, part := range []wire.Reply{*reply, reply.Behind[0], reply.Behind[1]} {
			have := ""
			if len(part.Faults) > 0 {
				have = part.Faults[0].Message
			}
			if have != c.reasons[i] {
				t.Errorf("%s: want reason %q of member %d, have %q", c.record, c.reasons[i], i, have)
			}
		}
	}
}

// TestMarksOfPieces holds the order of what a step answers when it gets several records that came of one, some of which it declines by
// its marks: verdicts are in the order of the records, and rejects show what only this process has.
func TestMarksOfPieces(t *testing.T) {
	split := Plugin{Name: "split", Doc: "makes a record of each element", New: func(Args) (Processor, error) {
		return Func(func(_ context.Context, r *Record, emit func(*Record)) error {
			for _, v := range r.Get("@this").Array() {
				emit(r.Derive([]byte(v.Raw)))
			}
			return nil
		}), nil
	}}
	red := Plugin{Name: "red", Doc: "takes what is red", Marks: func(Args) [][]string { return [][]string{{"red"}} }, New: func(Args) (Processor, error) {
		return Map(func(r *Record) error { return nil }), nil
	}}
	blue := red
	blue.Name, blue.Marks = "blue", func(Args) [][]string { return [][]string{{"blue"}} }
	w, bad := Host(split, red, blue).Open(wire.OpenRequest{Plugin: "split", Args: []byte("{}"), Behind: []wire.Step{
		{Plugin: "red", Args: []byte("{}")}, {Plugin: "blue", Args: []byte("{}"), Or: true},
	}})
	if bad != nil {
		t.Fatal(bad)
	}
	for _, c := range []struct {
		record    string
		red, blue []byte   // verdicts
		shown     []string // by blue
	}{
		{`[["red"],["blue"]]`, []byte{0, 4}, []byte{0}, nil},
		{`[["blue"],["red"]]`, []byte{4, 0}, []byte{0}, nil},
		{`[["blue"],["blue"],["red"],["none"],[1]]`, []byte{4, 4, 0, 4, 4}, []byte{0, 0, 4, 4}, []string{`["none"]`, `[1]`}},
		{`[["none"]]`, []byte{4}, []byte{4}, []string{`["none"]`}},
	} {
		var reply *wire.Reply
		err := w.Process(t.Context(), input(c.record), &ring{memory: make([]byte, 1000)}, func(r *wire.Reply) error { reply = r; return nil })
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, f := range reply.Behind[1].Faults {
			shown = append(shown, string(f.Record))
		}
		if !bytes.Equal(reply.Behind[0].Verdicts, c.red) || !bytes.Equal(reply.Behind[1].Verdicts, c.blue) || !slices.Equal(shown, c.shown) {
			t.Errorf("%s: want verdicts %v and %v and %q shown, have %v, %v and %q",
				c.record, c.red, c.blue, c.shown, reply.Behind[0].Verdicts, reply.Behind[1].Verdicts, shown)
		}
	}
}

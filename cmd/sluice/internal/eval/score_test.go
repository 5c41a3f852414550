package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScores holds what counts as found and what as right.
func TestScores(t *testing.T) {
	const text = "call +1 (415) 555-2671 now"
	phone := span{Start: 5, End: 22, Entity: "PHONE"}
	for _, c := range []struct {
		reason string
		labels []span
		result result
		want   score // of PHONE
	}{
		{"equal", []span{phone}, result{Findings: []span{phone}}, score{Labels: 1, Gone: 1, Touched: 1, Exact: 1, Findings: 1, Right: 1}},
		{"all letters and digits, not the sign before them", []span{phone}, result{Findings: []span{{Start: 6, End: 22, Entity: "PHONE"}}},
			score{Labels: 1, Gone: 1, Touched: 1, Findings: 1, Right: 1}},
		{"in part", []span{phone}, result{Findings: []span{{Start: 6, End: 21, Entity: "PHONE"}}}, score{Labels: 1, Touched: 1, Findings: 1, Right: 1}},
		{"by two findings of other entities", []span{phone}, result{Findings: []span{{Start: 5, End: 13, Entity: "A"}, {Start: 13, End: 22, Entity: "B"}}},
			score{Labels: 1, Gone: 1, Touched: 1}},
		{"missed", []span{phone}, result{}, score{Labels: 1}},
		{"beside", []span{phone}, result{Findings: []span{{Start: 0, End: 4, Entity: "PHONE"}}}, score{Labels: 1, Findings: 1}},
		{"without a place, and not in the output", []span{phone}, result{Unplaced: 1, Output: "call <PHONE> now"}, score{Labels: 1, Gone: 1, Touched: 1}},
		{"without a place, and in the output", []span{phone}, result{Unplaced: 1, Output: text}, score{Labels: 1}},
		{"a document that was rejected is not counted", []span{phone}, result{Rejected: true}, score{}},
	} {
		have := score{}
		for _, s := range scoresOf([]document{{Text: text, Spans: c.labels}}, []result{c.result}) {
			if s.Entity == "PHONE" {
				have = s
			}
		}
		have.Entity = ""
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: (-want +have)\n%s", c.reason, diff)
		}
	}
}

// TestInterval holds the interval to values of Wilson's formula that others have published.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		n, of     int
		low, high string
	}{
		{0, 10, "0.000", "0.278"}, {10, 10, "0.722", "1.000"}, {5, 10, "0.237", "0.763"}, {81, 263, "0.255", "0.366"}, {0, 0, "0.000", "1.000"},
	} {
		s := score{Gone: c.n, Labels: c.of}.Recall()
		if low, high := fmt.Sprintf("%.3f", s.Low), fmt.Sprintf("%.3f", s.High); low != c.low || high != c.high {
			t.Errorf("%d of %d: want %s to %s, have %s to %s", c.n, c.of, c.low, c.high, low, high)
		}
	}
}

// TestRead holds what a line may be, and that no error shows a text.
func TestRead(t *testing.T) {
	ann := []span{{Start: 5, End: 8, Entity: "PERSON"}}
	for _, c := range []struct {
		reason, line string
		want         document
		err          string
	}{
		{"as it is documented", `{"text":"call Ann","spans":[{"start":5,"end":8,"entity":"PERSON"}],"locale":"en_US"}`, document{Text: "call Ann", Spans: ann, Locale: "en_US"}, ""},
		{"presidio-research", `{"full_text":"call Ann","spans":[{"entity_type":"PERSON","entity_value":"Ann","start_position":5,"end_position":8}]}`, document{Text: "call Ann", Spans: ann}, ""},
		{"lists", `{"text":"call Ann","label":[[5,8,"PERSON"]],"lang":"en"}`, document{Text: "call Ann", Spans: ann, Locale: "en"}, ""},
		{"nothing to find", `{"text":"ok","spans":[]}`, document{Text: "ok"}, ""},
		{"code points", `{"text":"é😀 Ann !","spans":[{"start":3,"end":6,"entity":"PERSON","value":"Ann"}]}`, document{Text: "é😀 Ann !", Spans: []span{{Start: 3, End: 6, Entity: "PERSON"}}}, ""},
		{"offsets of another unit", `{"text":"é😀 Ann !","spans":[{"start":4,"end":7,"entity":"PERSON","value":"Ann"}]}`, document{}, "set:1: span 1: want its value of 3 code points at 4"},
		{"beyond the text", `{"text":"Ann","spans":[{"start":0,"end":4,"entity":"PERSON"}]}`, document{}, "set:1: span 1: want a place within 3 code points, have 0 to 4"},
		{"no text", `{"spans":[]}`, document{}, `set:1: want a text at "text"`},
		{"no spans", `{"text":"Ann"}`, document{}, `set:1: want a list at "spans"`},
		{"no entity", `{"text":"Ann","spans":[{"start":0,"end":3}]}`, document{}, "want whole numbers start and end, and an entity, have a number, a number and nothing"},
		{"no JSON", `Ann`, document{}, "set:1: want an object"},
	} {
		docs, err := read(strings.NewReader(c.line+"\n"), "set")
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "Ann") {
				t.Errorf("%s: want %q, have %v", c.reason, c.err, err)
			}
			continue
		}
		if diff := cmp.Diff([]document{c.want}, docs); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +have)\n%s", c.reason, err, diff)
		}
	}
}

// TestPage holds that a page shows how a miss looks and never what it is, nor a word that only one document has.
func TestPage(t *testing.T) {
	var docs []document
	var results []result
	for range 6 {
		docs = append(docs, document{Text: "please call Ann", Spans: []span{{Start: 12, End: 15, Entity: "PERSON"}}, Locale: "en"})
		results = append(results, result{})
	}
	docs = append(docs, document{Text: `call Zoë-Marie, hunter2 <b>`, Spans: []span{{Start: 5, End: 14, Entity: "PERSON"}}})
	results = append(results, result{Findings: []span{{Start: 16, End: 23, Entity: "SECRET"}}})
	var b strings.Builder
	if err := newPage("a <set>", docs, results).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a &lt;set&gt;", "please call <mark>Xxx</mark>", "call <mark>Xxx-Xxxxx</mark>, xxxxxx9", "PERSON, en: 6", "PERSON (7)", "Locale en"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q on the page, have\n%s", want, b.String())
		}
	}
	for _, secret := range []string{"Ann", "Zoë", "Marie", "hunter"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("want nobody's %q on the page, have it", secret)
		}
	}
}

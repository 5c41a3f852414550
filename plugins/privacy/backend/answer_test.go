package backend

import (
	"strings"
	"testing"
)

// TestAnswers holds that an answer whose values have other types than the protocol's is a failure, and never a text without findings.
func TestAnswers(t *testing.T) {
	span := func(members string) string { return `{"id":1,"results":[[{` + members + `}]]}` }
	const ann = `"start":0,"end":3,"entity":"PERSON"`
	for _, c := range []struct{ reason, line, want string }{
		{"a score that is a number", span(ann + `,"score":0.98`), ""},
		{"no score", span(ann), ""},
		{"the least and the largest score", span(ann + `,"score":0},{` + ann + `,"score":1.0`), ""},
		{"a member that the protocol does not have", span(ann + `,"score":0.98,"text":"Ann"`), ""},
		{"offsets that a program writes as floats", span(`"start":0.0,"end":3.0,"entity":"PERSON"`), ""},
		{"a score that a program wrote as text", span(ann + `,"score":"0.98"`), "want a score from 0 to 1, have a string"},
		{"a score that is null", span(ann + `,"score":null`), "have null"},
		{"a score that is true", span(ann + `,"score":true`), "have true"},
		{"a score in a list", span(ann + `,"score":[0.98]`), "have an array"},
		{"a score in percent", span(ann + `,"score":98`), "have 98"},
		{"a score below zero", span(ann + `,"score":-0.5`), "have -0.5"},
		{"a score that is too large for a float", span(ann + `,"score":1e999`), "have 1e999"},
		{"results that are objects", `{"id":1,"results":[{}]}`, "want a result that is an array, have an object"},
		{"an object of spans for a text", `{"id":1,"results":[{"0":{` + ann + `}}]}`, "have an object"},
		{"null for a text", `{"id":1,"results":[null]}`, "have null"},
		{"an object of results", `{"id":1,"results":{"0":[]}}`, "want results that are an array, have an object"},
		{"no results", `{"id":1}`, "have no such member"},
		{"a span that is a list", `{"id":1,"results":[[[0,3,"PERSON"]]]}`, "want a span that is an object, have an array"},
		{"a span that is text", `{"id":1,"results":[["Ann"]]}`, "have a string"},
		{"no entity", span(`"start":0,"end":3`), "want an entity that is a string, have no such member"},
		{"an entity that is a number", span(`"start":0,"end":3,"entity":4155552671`), "have a number"},
		{"an offset that is text", span(`"start":"0","end":3,"entity":"PERSON"`), "want start to be a whole number, have a string"},
		{"an offset within a code point", span(`"start":0,"end":2.5,"entity":"PERSON"`), "want end to be a whole number, have 2.5"},
		{"an offset below zero", span(`"start":-1,"end":3,"entity":"PERSON"`), "have -1"},
		{"an offset that no text has", span(`"start":0,"end":1e300,"entity":"PERSON"`), "have 1e300"},
		{"a number that is text", `{"id":"1","results":[[]]}`, "want id to be a whole number, have a string"},
		{"an array as the answer", `[1,[[]]]`, "want an object as the answer, have an array"},
		{"a failure behind a text that is well", `{"id":1,"results":[[],[{` + ann + `,"score":"1"}],[]]}`, "have a string"},
	} {
		a := readAnswer([]byte(c.line + "\n"))
		switch {
		case c.want == "" && a.err != nil:
			t.Errorf("%s: want no error, have %v", c.reason, a.err)
		case c.want != "" && (a.err == nil || !strings.Contains(a.err.Error(), c.want) || strings.Contains(a.err.Error(), "Ann")):
			t.Errorf("%s: want %q, have %v", c.reason, c.want, a.err)
		}
	}
}

// TestScores holds that a failure in a score is seen, whatever the least score that counts.
func TestScores(t *testing.T) {
	for _, least := range []float64{0, 0.5, 1} {
		b := open(t, "score as text", Config{MinScore: least})
		if found, err := b.Ask(t.Context(), []string{"Ann is here"}); err == nil {
			t.Errorf("at least %v: want a failure, have %v", least, found)
		}
	}
	b := open(t, "well", Config{MinScore: 0.95})
	if found, err := b.Ask(t.Context(), []string{"Ann is here"}); err != nil || len(found[0]) > 0 {
		t.Errorf("want nothing of so high a score, have %v and error %v", found, err)
	}
}

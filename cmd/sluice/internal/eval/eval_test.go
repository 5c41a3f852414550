package eval

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEval holds the figures that the README promises; -v prints the table.
func TestEval(t *testing.T) {
	docs := documents(2400)
	step := generatedStep
	found, err := step.run(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range found {
		if r.Rejected {
			t.Errorf("%q: want it filtered, have it rejected", docs[i].Text)
		}
		if os.Getenv("EVAL_MISSES") != "" {
			logMisses(t, docs[i], r.Findings)
		}
	}
	scores := scoresOf(docs, found)
	t.Logf("%d documents, %d without anything\n%s", len(docs), len(docs)/3+1, table(append(scores, sumOf(scores))))
	if len(scores) < 20 {
		t.Errorf("want 20 entities or more, have %d", len(scores))
	}
	floors := map[string]float64{"API_KEY": 0.98, "ACCESS_TOKEN": 0.98, "JWT": 0.98, "PRIVATE_KEY": 0.98, "WEBHOOK_URL": 0.98,
		"CREDIT_CARD": 0.98, "IBAN_CODE": 0.98, "IP_ADDRESS": 0.98, "EMAIL_ADDRESS": 0.98, "PHONE_NUMBER": 0.90}
	for _, s := range scores {
		if recall := float64(s.Exact) / float64(max(1, s.Labels)); s.Labels > 0 && recall < floors[s.Entity] {
			t.Errorf("%s: want a recall of %.2f, have %.3f", s.Entity, floors[s.Entity], recall)
		}
	}
	if p := sumOf(scores).Precision().Value(); p < 0.97 {
		t.Errorf("want a precision of 0.97, have %.3f", p)
	}
}

// TestDocuments holds that a set is the same every time, so that its figures can be compared.
func TestDocuments(t *testing.T) {
	if diff := cmp.Diff(documents(300), documents(300)); diff != "" {
		t.Errorf("want the same documents again (-first +second):\n%s", diff)
	}
}

func logMisses(t *testing.T, d document, found []span) {
	runes := []rune(d.Text)
	for _, l := range d.Spans {
		if !slices.Contains(found, l) {
			t.Logf("missed %s %q in %q", l.Entity, string(runes[l.Start:l.End]), d.Text)
		}
	}
	for _, f := range found {
		if !slices.Contains(d.Spans, f) {
			t.Logf("wrong %s %q in %q", f.Entity, string(runes[f.Start:f.End]), d.Text)
		}
	}
}

package eval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/privacy/eval"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestEval holds the figures that the README promises; -v prints the table.
func TestEval(t *testing.T) {
	names := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(names, []byte(strings.Join(eval.Names, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	docs := eval.Documents(2400)
	inputs := make([]string, len(docs))
	for i, d := range docs {
		text, _ := json.Marshal(d.Text)
		inputs[i] = `{"log":"` + "x" + `","text":` + string(text) + `}`
	}
	args, _ := json.Marshal(map[string]any{"names_file": names, "entities": map[string]string{"STREET_ADDRESS": "mask"}})
	results, _ := sdktest.Run(t, privacy.Plugin, string(args), inputs...)
	findings := make([][]eval.Span, len(docs))
	for i, r := range results {
		if r.Verdict != "emit" {
			t.Errorf("%q: %s: %s", docs[i].Text, r.Verdict, r.Message)
		}
		for _, row := range r.Sides["ledger"] {
			findings[i] = append(findings[i], spanOf(docs[i].Text, gjson.Parse(row)))
		}
		if os.Getenv("EVAL_MISSES") != "" {
			logMisses(t, docs[i], findings[i])
		}
	}
	scores := eval.Scores(docs, findings)
	t.Logf("%d documents, %d without anything\n%s", len(docs), len(docs)/3+1, eval.Table(scores))
	if len(scores) < 20 {
		t.Errorf("want 20 entities or more, have %d", len(scores))
	}
	floors := map[string]float64{"API_KEY": 0.98, "ACCESS_TOKEN": 0.98, "JWT": 0.98, "PRIVATE_KEY": 0.98, "WEBHOOK_URL": 0.98,
		"CREDIT_CARD": 0.98, "IBAN_CODE": 0.98, "IP_ADDRESS": 0.98, "EMAIL_ADDRESS": 0.98, "PHONE_NUMBER": 0.90}
	for _, s := range scores {
		if recall := eval.Ratio(s.Found, s.Labels); recall < floors[s.Entity] {
			t.Errorf("%s: want a recall of %.2f, have %.3f", s.Entity, floors[s.Entity], recall)
		}
	}
	if sum := eval.Sum(scores); eval.Ratio(sum.TrueTouching, sum.Findings) < 0.97 || eval.Ratio(sum.TrueExact, sum.Findings) < 0.95 {
		t.Errorf("want a precision of 0.97, have %.3f", eval.Ratio(sum.TrueTouching, sum.Findings))
	}
}

// spanOf reads a row of the ledger. What was found in JSON that the text is has its offsets from the value there.
func spanOf(text string, row gjson.Result) eval.Span {
	span := eval.Span{Start: int(row.Get("start").Int()), End: int(row.Get("end").Int()), Entity: row.Get("entity").Str}
	if inner, ok := strings.CutPrefix(row.Get("path").Str, "text.@fromstr."); ok {
		value := gjson.Get(text, inner)
		before := utf8.RuneCountInString(text[:value.Index])
		if value.Type == gjson.String {
			before++
		}
		span.Start, span.End = span.Start+before, span.End+before
	}
	return span
}

func logMisses(t *testing.T, d eval.Document, found []eval.Span) {
	runes := []rune(d.Text)
	for _, l := range d.Spans {
		if !contains(found, l) {
			t.Logf("missed %s %q in %q", l.Entity, string(runes[l.Start:l.End]), d.Text)
		}
	}
	for _, f := range found {
		if !contains(d.Spans, f) {
			t.Logf("wrong %s %q in %q", f.Entity, string(runes[f.Start:f.End]), d.Text)
		}
	}
}

func contains(all []eval.Span, s eval.Span) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

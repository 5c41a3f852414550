package eval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	found := make([]eval.Result, len(docs))
	for i, r := range results {
		if r.Verdict != "emit" {
			t.Errorf("%q: %s: %s", docs[i].Text, r.Verdict, r.Message)
			continue
		}
		found[i] = resultOf(docs[i].Text, r)
		if os.Getenv("EVAL_MISSES") != "" {
			logMisses(t, docs[i], found[i].Findings)
		}
	}
	scores := eval.Scores(docs, found)
	t.Logf("%d documents, %d without anything\n%s", len(docs), len(docs)/3+1, eval.Table(append(scores, eval.Sum(scores))))
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
	if p := eval.Sum(scores).Precision().Value(); p < 0.97 {
		t.Errorf("want a precision of 0.97, have %.3f", p)
	}
}

// resultOf reads what became of a record, with the rows of its ledger.
func resultOf(text string, r sdktest.Result) eval.Result {
	out := eval.Result{Output: gjson.Get(r.Emitted[0], "text").Str}
	for _, line := range r.Sides["ledger"] {
		row := gjson.Parse(line)
		path := strings.TrimPrefix(strings.TrimPrefix(row.Get("path").Str, "text"), ".")
		start, end, ok := eval.Locate(text, path, row.Get("place").Str == "key", int(row.Get("start").Int()), int(row.Get("end").Int()))
		if !ok {
			out.Unplaced++
			continue
		}
		out.Findings = append(out.Findings, eval.Span{Start: start, End: end, Entity: row.Get("entity").Str})
	}
	return out
}

func logMisses(t *testing.T, d eval.Document, found []eval.Span) {
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

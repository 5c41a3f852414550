package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy/report"
)

func facts(files map[string][]byte) report.Facts {
	f := report.Facts{
		Inputs: []report.File{{Path: "in/a.jsonl", SHA256: strings.Repeat("ab", 32)}}, SourceKind: "user_export", Strict: true, Read: 2, Written: 2,
		Counts:    map[string]int64{"rule.email": 2, "rule.card-luhn": 1, "entity.EMAIL_ADDRESS": 2, "entity.CREDIT_CARD": 1, "category.contact": 3},
		RulesHash: "ab12", Tool: "sluice test", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	f.ConfigHash, _ = report.ConfigHash([]byte(`{"profile":"standard"}`))
	files["out.jsonl"], files["ledger.jsonl"] = []byte("{}\n{}\n"), []byte("{}\n{}\n{}\n")
	f.Output, f.Ledger = file(files, "out.jsonl", 2), file(files, "ledger.jsonl", 3)
	files["stats.json"] = report.Stats(f)
	f.Stats = file(files, "stats.json", 0)
	return f
}

func file(files map[string][]byte, name string, rows int64) report.File {
	sum := sha256.Sum256(files[name])
	return report.File{Path: "run/" + name, SHA256: hex.EncodeToString(sum[:]), Rows: rows}
}

func opener(files map[string][]byte) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		if files[name] == nil {
			return nil, fmt.Errorf("no such file")
		}
		return io.NopCloser(bytes.NewReader(files[name])), nil
	}
}

func TestAttestation(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(f *report.Facts, files map[string][]byte)
		passed bool
		want   string // of Verify's error; "" when there is none
	}{
		{"a run in order", func(*report.Facts, map[string][]byte) {}, true, ""},
		{"no records", func(f *report.Facts, _ map[string][]byte) { f.Read, f.Written = 0, 0 }, false, "want records"},
		{"residue", func(f *report.Facts, _ map[string][]byte) { f.Counts["residue"] = 1 }, false, "residual_findings_count"},
		{"invalid rows", func(f *report.Facts, _ map[string][]byte) { f.Invalid = 1 }, false, "no invalid rows"},
		{"a rejected record", func(f *report.Facts, _ map[string][]byte) { f.Written = 1 }, false, "as many records written"},
		{"a failed backend", func(f *report.Facts, _ map[string][]byte) { f.BackendFailed = 1 }, false, "not passed"},
		{"not strict", func(f *report.Facts, _ map[string][]byte) { f.Strict = false }, false, "not strict"},
		{"an output that was changed", func(_ *report.Facts, files map[string][]byte) { files["out.jsonl"] = []byte("{}\n[]\n") }, true, "out.jsonl: want sha256"},
		{"a ledger that is gone", func(_ *report.Facts, files map[string][]byte) { delete(files, "ledger.jsonl") }, true, "ledger.jsonl: no such file"},
	} {
		files := map[string][]byte{}
		f := facts(files)
		c.change(&f, files)
		doc, passed := report.Attest(f)
		err := report.Verify(doc, opener(files))
		if passed != c.passed || c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: want %q, have passed %t and %v", c.reason, c.want, passed, err)
		}
		if gjson.GetBytes(doc, "passed").Bool() != passed || !bytes.HasSuffix(doc, []byte("}\n")) {
			t.Errorf("%s: want passed %t and a newline at the end, have %s", c.reason, passed, doc)
		}
	}
}

func TestConfigHash(t *testing.T) {
	hash := func(s string) string {
		h, err := report.ConfigHash([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if hash(`{"a":1,"hash_key":"one"}`) != hash(`{ "hash_key": "two", "a": 1 }`) {
		t.Error("want the same hash for another order, spacing and key, have another")
	}
	if hash(`{"a":1}`) == hash(`{"a":2}`) {
		t.Error("want another hash for other attributes, have the same")
	}
}

package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy/report"
)

// row is one of a ledger.
func row(entity, rule, more string) string {
	return fmt.Sprintf(`{"file":"a.jsonl","line":1,"step":"privacy.redact","path":"text","place":"value","entity":%q,"rule":%q,"start":0,"end":3,"unit":"code_point","replacement":"<X>"%s}`, entity, rule, more) + "\n"
}

func facts(files map[string][]byte) report.Facts {
	f := report.Facts{
		Inputs: []report.File{{Path: "in/a.jsonl", SHA256: strings.Repeat("ab", 32)}}, SourceKind: "user_export", Strict: true, Read: 2, Written: 2,
		Counts:    map[string]int64{"rule.email": 2, "rule.card-luhn": 1, "entity.EMAIL_ADDRESS": 2, "entity.CREDIT_CARD": 1, "category.contact": 3},
		RulesHash: "ab12", LedgerHash: "none", Tool: "sluice test", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Run: report.Account{Read: 2},
		Scope: report.Scope{Profile: "standard", LookedFor: []string{"CREDIT_CARD", "EMAIL_ADDRESS"}, NotLookedFor: []string{"names of people"}},
	}
	f.ConfigHash, _ = report.ConfigHash([]byte(`{"profile":"standard"}`))
	files["out.jsonl"] = []byte("{}\n{}\n")
	files["ledger.jsonl"] = []byte(row("EMAIL_ADDRESS", "email", "") + row("EMAIL_ADDRESS", "email", "") + row("CREDIT_CARD", "card-luhn", ""))
	f.Output, f.Ledger, f.Rejects = file(files, "out.jsonl", 2), file(files, "ledger.jsonl", 3), file(files, "rejects.jsonl", 0)
	return f
}

func file(files map[string][]byte, name string, rows int64) report.File {
	sum := sha256.Sum256(files[name])
	return report.File{Path: "run/" + name, SHA256: hex.EncodeToString(sum[:]), Rows: rows}
}

func opener(files map[string][]byte) report.Open {
	return func(name string) (io.ReadCloser, error) {
		if files[name] == nil {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(files[name])), nil
	}
}

// TestAttestation holds that an attestation passes only for what it may, says why it does not, and that verifying finds
// the same afterwards.
func TestAttestation(t *testing.T) {
	type world = map[string][]byte
	for _, c := range []struct {
		reason string
		before func(f *report.Facts, files world) // it is attested
		after  func(files world)
		want   string // of the problems; "" when there is none
	}{
		{"a run in order", nil, nil, ""},
		{"no records", func(f *report.Facts, _ world) { f.Read, f.Written = 0, 0 }, nil, "want records"},
		{"residue", func(f *report.Facts, _ world) { f.Counts["residue"] = 1 }, nil, "residual_findings_count"},
		{"invalid rows", func(f *report.Facts, _ world) { f.Invalid = 1 }, nil, "no invalid rows"},
		{"a record that the step rejected", func(f *report.Facts, _ world) { f.Written = 1 }, nil, "as many records written"},
		{"a record that another step rejected", func(f *report.Facts, _ world) { f.Run.Rejected = map[string]int64{"shape": 2} }, nil, "no record of the run rejected, have 2"},
		{"rejects as they came", func(f *report.Facts, files world) {
			files["rejects.jsonl"] = []byte("{}\n")
			f.Rejects, f.Run.RawRejects = file(files, "rejects.jsonl", 1), 1
		}, nil, "as they were before the step, have 1 in rejects.jsonl"},
		{"a failed backend", func(f *report.Facts, _ world) { f.BackendFailed = 1 }, nil, "failures of a backend"},
		{"not strict", func(f *report.Facts, _ world) { f.Strict = false }, nil, "want strict and gate.strict true, have false and false"},
		{"an input that changed", func(f *report.Facts, _ world) { f.Inputs[0].Changed = true }, nil, "inputs that did not change"},
		{"an output that was changed before", func(_ *report.Facts, files world) { files["out.jsonl"] = []byte("{}\n[]\n") }, nil, "out.jsonl: want sha256"},
		{"a ledger with hashes that are not attested", func(f *report.Facts, files world) {
			files["ledger.jsonl"] = []byte(row("EMAIL_ADDRESS", "email", `,"value_hash":"ab"`))
			f.Ledger = file(files, "ledger.jsonl", 1)
		}, nil, "ledger.jsonl: line 1: want attested fields only, have field"},
		{"a ledger without the hashes that are attested", func(f *report.Facts, _ world) { f.LedgerHash = "key" }, nil, "want the fields value_hash, key_id, have 0"},
		{"a ledger that lacks a row of those counted", func(f *report.Facts, _ world) { f.Counts["rule.email"] = 3 }, nil, "entities and rules that the ledger has"},
		{"the reference, which misses most", func(f *report.Facts, _ world) { f.Scope.Profile = "reference" }, nil, `want scope.profile "standard", have "reference"`},
		{"a receipt that does not say what was looked for", func(f *report.Facts, _ world) { f.Scope = report.Scope{} }, nil, "want entities in scope.looked_for, have 0"},
		{"a list of what was not looked for that is empty", func(f *report.Facts, _ world) { f.Scope.NotLookedFor = nil }, nil, "want scope.not_looked_for and scope.meaning, have 0 kinds"},
		{"a ledger with what was not looked for", func(f *report.Facts, _ world) { f.Scope.LookedFor = []string{"EMAIL_ADDRESS"} }, nil, `of scope.looked_for only, have one of "CREDIT_CARD"`},
		{"an entity that is on and off", func(f *report.Facts, _ world) { f.Scope.Off = []string{"EMAIL_ADDRESS"} }, nil, "want EMAIL_ADDRESS either in scope.looked_for or in scope.switched_off"},
		{"a recogniser that finds what it likes", func(f *report.Facts, _ world) {
			f.Scope.LookedFor, f.Scope.Recogniser, f.Backend = []string{"EMAIL_ADDRESS"}, "names.py", "names.py"
		}, nil, ""},
		{"a file of names that nothing binds", func(f *report.Facts, _ world) { f.Scope.NamesFile = true }, nil, "want scope.names_file true with bindings.names_sha256 only"},
		{"an output that was changed afterwards", nil, func(files world) { files["out.jsonl"] = []byte("{}\n[]\n") }, "out.jsonl: want sha256"},
		{"a ledger that is gone", nil, func(files world) { delete(files, "ledger.jsonl") }, "ledger.jsonl: file does not exist"},
		{"rejects of another run beside it", nil, func(files world) { files["rejects.jsonl"] = []byte("{}\n") }, "rejects.jsonl: want as many rows"},
	} {
		files := world{}
		f := facts(files)
		if c.before != nil {
			c.before(&f, files)
		}
		doc, problems := attest(f, files)
		if have := errors.Join(problems...); c.after == nil {
			wantError(t, c.reason+", attested", have, c.want)
			if c.want != "" && !slices.ContainsFunc(gjson.GetBytes(doc, "not_passed").Array(), func(r gjson.Result) bool { return strings.Contains(r.Str, c.want) }) {
				t.Errorf("%s: want the attestation to say why, have %s", c.reason, doc)
			}
		} else {
			wantError(t, c.reason+", attested", have, "")
			c.after(files)
		}
		wantError(t, c.reason+", verified", report.Verify(doc, opener(files)), c.want)
		if passed := len(problems) == 0; gjson.GetBytes(doc, "passed").Bool() != passed || gjson.GetBytes(doc, "gate.passed").Bool() != passed || !bytes.HasSuffix(doc, []byte("}\n")) {
			t.Errorf("%s: want passed %t and a newline at the end, have %s", c.reason, passed, doc)
		}
	}
}

func attest(f report.Facts, files map[string][]byte) ([]byte, []error) {
	files["stats.json"] = report.Stats(f)
	f.Stats = file(files, "stats.json", 0)
	return report.Attest(f, opener(files))
}

func wantError(t *testing.T, reason string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: want %q, have %v", reason, want, err)
	}
}

// TestAttestationSaysWhatWasDone holds that an attestation describes the run, and not how runs usually are.
func TestAttestationSaysWhatWasDone(t *testing.T) {
	hashed := `,"value_hash":"ab","key_id":"cd"`
	for _, c := range []struct{ reason, path, want string }{
		{"nobody looked at it", "privacy.reviewed", "false"},
		{"without a key nothing is said of values", "artifacts.ledger_jsonl.value_fields", "[]"},
		{"without a key nothing is said of values", "ledger_policy.matched_values", "left_out"},
		{"without a key personal keys are left out", "ledger_policy.object_key_paths", "left_out"},
		{"what stands in the output", "rows.in_output", "2"},
		{"what was looked for", "scope.looked_for", `["CREDIT_CARD","EMAIL_ADDRESS"]`},
		{"what was not looked for", "scope.not_looked_for.0", "namesofpeople"},
		{"what was left though it is suspect", "suspects.token", "4"},
		{"of another kind there is none", "suspects.number", "0"},
		{"what was left out on purpose", "rows.dropped_by.double", "3"},
		{"what changed the rows afterwards", "rows.steps_behind.0", "chatml.row"},
		{"what lies beside it as it came", "rows.unfiltered_outputs.0", "raw.jsonl"},
	} {
		files := map[string][]byte{}
		f := facts(files)
		f.Counts["suspect.token"] = 4
		f.Run.Dropped, f.Run.StepsBehind, f.Run.Unfiltered = map[string]int64{"double": 3}, []string{"chatml.row"}, []string{"run/raw.jsonl"}
		doc, _ := attest(f, files)
		if have := strings.Join(strings.Fields(gjson.GetBytes(doc, c.path).String()), ""); have != c.want {
			t.Errorf("%s: want %s %s, have %s", c.reason, c.path, c.want, have)
		}
	}
	files := map[string][]byte{}
	f := facts(files)
	f.Reviewer, f.LedgerHash = "Ann", "run"
	files["ledger.jsonl"] = []byte(row("EMAIL_ADDRESS", "email", hashed) + row("EMAIL_ADDRESS", "email", hashed) + row("CREDIT_CARD", "card-luhn", hashed))
	f.Ledger = file(files, "ledger.jsonl", 3)
	doc, problems := attest(f, files)
	a := gjson.ParseBytes(doc)
	if len(problems) > 0 || !a.Get("privacy.reviewed").Bool() || a.Get("privacy.reviewed_by").Str != "Ann" || a.Get("ledger_policy.matched_values").Str != "keyed_hash_only" {
		t.Errorf("want it reviewed by Ann with hashes under a key, have %v, %s", problems, doc)
	}
}

// TestLines holds that people read of an attestation what it does not say, and that nothing of it can be changed alone.
func TestLines(t *testing.T) {
	files := map[string][]byte{}
	f := facts(files)
	f.Counts["suspect.token"], f.Counts["suspect.number"], f.Counts["suspect.date-of-birth"] = 4, 1, 1
	f.Scope.Off, f.Scope.Kept, f.Scope.Recogniser, f.Backend = []string{"IP_ADDRESS"}, []string{"2 allowed values"}, "names.py", "names.py"
	f.Run.StepsBehind = []string{"split.split", "chatml.row"}
	doc, _ := attest(f, files)
	have, err := report.Lines(doc)
	want := `passed: the rules find nothing more in what the step let through
output: out.jsonl, written by steps behind the filter, which nothing searched again: split.split, chatml.row
profile: standard
looked for: CREDIT_CARD, EMAIL_ADDRESS
not looked for by the rules: names of people
switched off: IP_ADDRESS
left as it is: 2 allowed values
recogniser: names.py
left, though suspect: 1 like a date of birth, 1 like the number of a card, 4 like a token`
	if strings.Join(have, "\n") != want {
		t.Errorf("want\n%s, have %v\n%s", want, err, strings.Join(have, "\n"))
	}
	for _, c := range []struct{ old, new, want string }{
		{`"token": 4`, `"token": 0`, "want the suspects that the attestation has"},
		{`"names of people"`, ``, "want scope.not_looked_for"},
		{`"profile": "standard"`, `"profile": "reference"`, "want scope.profile"},
		{`"scope":`, `"formerly":`, "want scope, which is missing"},
		{`"recogniser": "names.py"`, `"recogniser": null`, "want the same program in scope.recogniser and backend_name"},
	} {
		wantError(t, c.old+" replaced", report.Verify(bytes.Replace(doc, []byte(c.old), []byte(c.new), 1), opener(files)), c.want)
	}
}

// TestCompressedFiles holds that rows are counted in what a compressed file holds, and the hash is that of the file.
func TestCompressedFiles(t *testing.T) {
	files := map[string][]byte{}
	f := facts(files)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(files["ledger.jsonl"])
	w.Close()
	files["ledger.jsonl.gz"] = zipped.Bytes()
	f.Ledger = file(files, "ledger.jsonl.gz", 3)
	if _, problems := attest(f, files); len(problems) > 0 {
		t.Errorf("want it passed, have %v", problems)
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
	if one, two := hash(`{"a":1,"hash_key":"one"}`), hash(`{ "hash_key": "two", "a": 1 }`); one != two {
		t.Errorf("want one hash whatever the order, the spacing and the key, have %s and %s", one, two)
	}
	if hash(`{"a":1}`) == hash(`{"a":2}`) {
		t.Error("want another hash for other attributes, have the same")
	}
}

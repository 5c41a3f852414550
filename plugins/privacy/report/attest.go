package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Facts are what a run says about one privacy step, for its statistics and its attestation.
type Facts struct {
	Inputs         []File
	Output, Ledger File
	Stats          File             // the statistics as written; not needed for Stats
	SourceKind     string           // "public", "synthetic" or "user_export"
	Strict         bool             // the step rejects residue
	Override       string           // why it does not, or ""
	Read, Written  int64            // records
	Invalid        int64            // rows that were no JSON
	Counts         map[string]int64 // of the step, as Record.Count made them
	Backend        string           // the program, or ""
	BackendFailed  int64            // records that were rejected because of it
	RulesHash      string           // of what the step finds things with
	ConfigHash     string           // ConfigHash
	Tool           string           // name and version of what ran
	At             time.Time
}

// A File is one that a run read or wrote.
type File struct {
	Path   string
	SHA256 string // 64 hexadecimal digits
	Rows   int64
}

// object is JSON that is written with sorted keys.
type object = map[string]any

const (
	statsSchema       = "eliza.privacy_filter_stats.v1"
	attestationSchema = "eliza.privacy_filter_attestation.v1"
)

// Stats writes the statistics in the reference's schema.
func Stats(f Facts) []byte {
	doc := f.common()
	doc["schema"], doc["version"] = statsSchema, 1
	doc["source"] = object{"kind": f.SourceKind, "realUserExport": f.realUserExport()}
	doc["input_paths"] = f.refs()
	doc["strict_override_reason"] = orNull(f.Override)
	doc["records_read"], doc["records_written"], doc["invalid_json"] = f.Read, f.Written, f.Invalid
	doc["redactions"] = object{"total": f.redactions(), "by_category": f.categories(), "by_label": f.under("rule."), "by_entity": f.under("entity.")}
	residue := doc["residual_findings"].(object)
	residue["samples"] = []any{}
	doc["residual_high_risk"] = object{"total": residue["count"], "by_label": residue["by_label"], "samples": []any{}}
	doc["backend"] = object{"enabled": f.Backend != "", "name": orNull(f.Backend), "model": nil, "failures": f.BackendFailed, "skipped_too_long": 0}
	return write(doc)
}

// Attest writes the attestation in the reference's schema, bound to the hashes of inputs, outputs, rules and
// configuration. It passes only if the step was strict and records were read and all of them written, with nothing
// left in them; passed tells whether it does.
func Attest(f Facts) (doc []byte, passed bool) {
	a := f.common()
	passed = f.Strict && f.Read > 0 && f.Read == f.Written && f.Invalid == 0 && f.Counts["residue"] == 0 && f.BackendFailed == 0
	gate := f.common()
	for _, key := range []string{"input_path_refs", "bindings"} {
		delete(gate, key)
	}
	gate["passed"], gate["invalid_json"], gate["backend_failures"], gate["backend_skipped_too_long"] = passed, f.Invalid, f.BackendFailed, 0
	a["schema"], a["version"] = attestationSchema, 1
	a["generated_at"] = f.At.UTC().Format("2006-01-02T15:04:05Z")
	a["passed"] = passed
	a["source"] = object{"kind": f.SourceKind, "realUserExport": f.realUserExport(), "inputPathRefs": f.refs()}
	a["privacy"] = object{"reviewed": passed, "realUserExport": f.realUserExport(), "attestationType": "privacy_filter"}
	a["backend_skipped_too_long"] = 0
	a["strict_override_reason"] = orNull(f.Override)
	ledger := f.Ledger.artifact()
	ledger["entries"], ledger["raw_sensitive_values"] = f.Ledger.Rows, false
	ledger["value_fields"], ledger["replacement_fields"] = []string{"value_hash", "key_id"}, []string{"replacement"}
	output := f.Output.artifact()
	output["rows"] = f.Output.Rows
	a["artifacts"] = object{"redacted_jsonl": output, "ledger_jsonl": ledger, "stats_json": f.Stats.artifact()}
	a["gate"] = gate
	a["ledger_policy"] = object{"raw_sensitive_values": false, "matched_values": "keyed_hash_only", "object_key_paths": "hashed"}
	return write(a), passed
}

// common gives what statistics, attestation and its gate have in common.
func (f *Facts) common() object {
	residue := f.Counts["residue"]
	inputs := []object{}
	for _, in := range f.Inputs {
		inputs = append(inputs, object{"path_ref": ref(in.Path), "sha256": in.SHA256})
	}
	return object{
		"strict": f.Strict, "sourceKind": f.SourceKind, "input_path_refs": f.refs(),
		"input_count": f.Read, "output_count": f.Written, "redaction_count": f.redactions(), "categories": f.categories(),
		"backend_name": orNull(f.Backend), "backend_model": nil,
		"residual_findings": object{"count": residue, "by_label": f.under("residue.")}, "residual_findings_count": residue,
		"bindings": object{"inputs": inputs, "rules_sha256": f.RulesHash, "config_sha256": f.ConfigHash, "tool": f.Tool},
	}
}

func (f *Facts) realUserExport() bool { return f.SourceKind == "user_export" }

func (f *Facts) refs() []string {
	refs := []string{}
	for _, in := range f.Inputs {
		refs = append(refs, ref(in.Path))
	}
	return refs
}

// under gives the counts whose names begin with prefix, without it.
func (f *Facts) under(prefix string) map[string]int64 {
	all := map[string]int64{}
	for name, n := range f.Counts {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			all[rest] = n
		}
	}
	return all
}

func (f *Facts) redactions() (n int64) {
	for _, count := range f.under("rule.") {
		n += count
	}
	return n
}

// categories has the four of the reference at least.
func (f *Facts) categories() map[string]int64 {
	all := f.under("category.")
	for _, name := range []string{"secret", "geo", "contact", "backend"} {
		all[name] += 0
	}
	return all
}

func (f File) artifact() object {
	return object{"path": filepath.Base(f.Path), "path_ref": ref(f.Path), "sha256": f.SHA256}
}

// ref is how the reference names a path without telling it.
func ref(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "sha256:" + hex.EncodeToString(sum[:8])
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// write gives JSON with an indent of 2, sorted keys and a newline at its end.
func write(doc object) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		panic(err) // all of it is strings and numbers
	}
	return b.Bytes()
}

// ConfigHash is the SHA-256 of a step's attributes, a JSON object, whatever the order of its keys and its spacing.
// Of hash_key it has only whether there is one.
func ConfigHash(attributes []byte) (string, error) {
	var doc object
	if err := json.Unmarshal(attributes, &doc); err != nil {
		return "", fmt.Errorf("want an object of attributes: %w", err)
	}
	if key, ok := doc["hash_key"]; ok {
		doc["hash_key"] = key != ""
	}
	sum := sha256.Sum256(write(doc))
	return hex.EncodeToString(sum[:]), nil
}

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
	Rejects        File             // those of the run, with no path when it has none
	Stats          File             // the statistics as written; not needed for Stats
	SourceKind     string           // "public", "synthetic" or "user_export"
	Strict         bool             // the step rejects residue
	Override       string           // why it does not, or ""
	Reviewer       string           // the person who says that they looked at the output, or ""
	Read, Written  int64            // records of the step
	Invalid        int64            // rows that were no JSON
	Run            Account          // of the run
	LedgerHash     string           // what ledger rows say of a value: "key", "run" or "none"
	Counts         map[string]int64 // of the step, as Record.Count made them
	Backend        string           // the program, or ""
	BackendFailed  int64            // records that were rejected because of it
	RulesHash      string           // of what the step finds things with
	ConfigHash     string           // ConfigHash
	NamesHash      string           // of the file of names, or ""
	PipelineHash   string           // of the file that was run
	Tool           string           // name and version of what ran
	At             time.Time
}

// An Account says what became of all records of a run, for an output that holds some of them.
type Account struct {
	ID                string
	Read              int64            // by the sources
	Dropped, Rejected map[string]int64 // by reason, by code
	RawRejects        int64            // of the rejected ones, those that stand among the rejects as they were before the step
	StepsBehind       []string         // what changed the records after the step, in order
	Unfiltered        []string         // outputs of the run whose rows did not go through the step
}

// A File is one that a run read or wrote.
type File struct {
	Path    string
	SHA256  string // 64 hexadecimal digits
	Rows    int64
	Changed bool // while it was read
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
// configuration. It passes only if the step was strict, records were read and all of them written with nothing left in
// them, no record of the run was rejected, and the files are what the run wrote. problems say why it does not. open
// gives a file by its base name.
func Attest(f Facts, open Open) (doc []byte, problems []error) {
	gate := f.common()
	for _, key := range []string{"input_path_refs", "bindings"} {
		delete(gate, key)
	}
	gate["invalid_json"], gate["backend_failures"], gate["backend_skipped_too_long"] = f.Invalid, f.BackendFailed, 0
	a := f.common()
	a["schema"], a["version"] = attestationSchema, 1
	a["generated_at"] = f.At.UTC().Format("2006-01-02T15:04:05Z")
	a["source"] = object{"kind": f.SourceKind, "realUserExport": f.realUserExport(), "inputPathRefs": f.refs()}
	a["privacy"] = object{
		"reviewed": f.Reviewer != "", "reviewed_by": orNull(f.Reviewer), "realUserExport": f.realUserExport(), "attestationType": "privacy_filter",
	}
	a["backend_skipped_too_long"] = 0
	a["strict_override_reason"] = orNull(f.Override)
	a["artifacts"] = f.artifacts()
	a["gate"] = gate
	a["rows"] = f.rows()
	a["ledger_policy"] = f.ledgerPolicy()
	if problems = Check(write(a), open); len(problems) > 0 {
		var reasons []string
		for _, p := range problems {
			reasons = append(reasons, p.Error())
		}
		a["not_passed"] = reasons
	}
	a["passed"], gate["passed"] = len(problems) == 0, len(problems) == 0
	return write(a), problems
}

// artifacts are the files that verifying reads.
func (f *Facts) artifacts() object {
	ledger := f.Ledger.artifact()
	ledger["entries"], ledger["raw_sensitive_values"] = f.Ledger.Rows, false
	ledger["value_fields"], ledger["replacement_fields"] = f.valueFields(), []string{"replacement"}
	output := f.Output.artifact()
	output["rows"] = f.Output.Rows
	all := object{"redacted_jsonl": output, "ledger_jsonl": ledger, "stats_json": f.Stats.artifact()}
	if f.Rejects.Path != "" {
		rejects := f.Rejects.artifact()
		rejects["rows"], rejects["raw_rows"] = f.Rejects.Rows, f.Run.RawRejects
		all["rejects_jsonl"] = rejects
	}
	return all
}

// rows tells which records of the run the output holds, and where the others are.
func (f *Facts) rows() object {
	unfiltered := []string{}
	for _, path := range f.Run.Unfiltered {
		unfiltered = append(unfiltered, filepath.Base(path))
	}
	return object{
		"read": f.Run.Read, "into_step": f.Read, "out_of_step": f.Written, "in_output": f.Output.Rows,
		"rejected": sum(f.Run.Rejected), "rejected_by": orEmpty(f.Run.Rejected), "dropped": sum(f.Run.Dropped), "dropped_by": orEmpty(f.Run.Dropped),
		"steps_behind": append([]string{}, f.Run.StepsBehind...), "unfiltered_outputs": unfiltered,
	}
}

// valueFields are the fields of a ledger row that say something of the value.
func (f *Facts) valueFields() []string {
	if f.hashed() {
		return []string{"value_hash", "key_id"}
	}
	return []string{}
}

func (f *Facts) hashed() bool { return f.LedgerHash == "key" || f.LedgerHash == "run" }

// ledgerPolicy tells what stands in the place of values and of keys that are personal.
func (f *Facts) ledgerPolicy() object {
	values, keys := "left_out", "left_out"
	if f.hashed() {
		values, keys = "keyed_hash_only", "hashed"
	}
	return object{"raw_sensitive_values": false, "matched_values": values, "object_key_paths": keys, "hash_key": f.LedgerHash}
}

// common returns what statistics, attestation and its gate have in common.
func (f *Facts) common() object {
	residue := f.Counts["residue"]
	inputs := []object{}
	for _, in := range f.Inputs {
		inputs = append(inputs, object{"path_ref": ref(in.Path), "sha256": in.SHA256, "rows": in.Rows, "changed": in.Changed})
	}
	return object{
		"strict": f.Strict, "sourceKind": f.SourceKind, "input_path_refs": f.refs(),
		"input_count": f.Read, "output_count": f.Written, "redaction_count": f.redactions(), "categories": f.categories(),
		"backend_name": orNull(f.Backend), "backend_model": nil,
		"residual_findings": object{"count": residue, "by_label": f.under("residue.")}, "residual_findings_count": residue,
		"bindings": object{
			"inputs": inputs, "rules_sha256": f.RulesHash, "config_sha256": f.ConfigHash, "names_sha256": orNull(f.NamesHash),
			"pipeline_sha256": f.PipelineHash, "run": f.Run.ID, "tool": f.Tool,
		},
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

// under returns the counts whose names begin with prefix, without it.
func (f *Facts) under(prefix string) map[string]int64 {
	all := map[string]int64{}
	for name, n := range f.Counts {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			all[rest] = n
		}
	}
	return all
}

func (f *Facts) redactions() int64 { return sum(f.under("rule.")) }

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
	digest := sha256.Sum256([]byte(path))
	return "sha256:" + hex.EncodeToString(digest[:8])
}

func sum(by map[string]int64) (n int64) {
	for _, count := range by {
		n += count
	}
	return n
}

func orEmpty(by map[string]int64) map[string]int64 {
	if by == nil {
		return map[string]int64{}
	}
	return by
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// write returns JSON with an indent of 2, sorted keys and a newline at its end.
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
	digest := sha256.Sum256(write(doc))
	return hex.EncodeToString(digest[:]), nil
}

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

// Facts holds what a run knows of one privacy step, for its statistics and its attestation.
type Facts struct {
	Inputs         []File
	Output, Ledger File
	Rejects        File             // of the run; without a path when it has none
	Stats          File             // the statistics as written; not needed for Stats
	SourceKind     string           // "public", "synthetic" or "user_export"
	Strict         bool             // the step rejects residue
	Override       string           // why it does not reject it, or ""
	Reviewer       string           // the person who reviewed the output, or ""
	Read, Written  int64            // records of the step
	Invalid        int64            // rows that were not JSON
	Run            Account          // of the run
	LedgerHash     string           // the key of value hashes in ledger rows: "key", "run" or "none"
	Counts         map[string]int64 // of the step, as Record.Count made them
	Scope          Scope            // of the step
	Backend        string           // the program, or ""
	BackendFailed  int64            // records rejected for a failure of it
	RulesHash      string           // privacy.RulesHash
	ConfigHash     string           // ConfigHash
	NamesHash      string           // of the file of names, or ""
	PipelineHash   string           // of the file that was run
	Tool           string           // name and version of the program
	At             time.Time
}

// Account counts all records of a run, for an output that holds some of them.
type Account struct {
	ID                string
	Read              int64            // by the sources
	Dropped, Rejected map[string]int64 // by reason, by code
	RawRejects        int64            // rejects written as they were before the step
	StepsBehind       []string         // steps that changed the records after this one, in order
	Unfiltered        []string         // outputs of the run with rows that did not pass the step
}

// File is a file that a run read or wrote.
type File struct {
	Path    string
	SHA256  string // 64 hexadecimal digits; of an input whose run hashed by another algorithm empty
	BLAKE3  string // likewise, of an input whose run hashed by BLAKE3
	Rows    int64
	Changed bool // an input while the run read it, any other since the run
}

// An object is a JSON object, whose keys are sorted when it is written.
type object = map[string]any

const (
	statsSchema       = "eliza.privacy_filter_stats.v1"
	attestationSchema = "eliza.privacy_filter_attestation.v1"
)

// Stats returns the statistics in the schema of the Python tooling.
func Stats(f Facts) []byte {
	doc := f.common()
	doc["schema"], doc["version"] = statsSchema, 1
	doc["source"] = object{"kind": f.SourceKind, "realUserExport": f.SourceKind == "user_export"}
	doc["input_paths"] = f.refs()
	doc["strict_override_reason"] = orNull(f.Override)
	doc["records_read"], doc["records_written"], doc["invalid_json"] = f.Read, f.Written, f.Invalid
	doc["suspects"], doc["scope"] = f.suspects(), f.Scope.object()
	doc["redactions"] = object{"total": sum(f.under("rule.")), "by_category": f.categories(), "by_label": f.under("rule."), "by_entity": f.under("entity.")}
	residue := doc["residual_findings"].(object)
	residue["samples"] = []any{}
	doc["residual_high_risk"] = object{"total": residue["count"], "by_label": residue["by_label"], "samples": []any{}}
	doc["backend"] = object{"enabled": f.Backend != "", "name": orNull(f.Backend), "model": nil, "failures": f.BackendFailed, "skipped_too_long": 0}
	return write(doc)
}

// Attest returns the attestation in the schema of the Python tooling, bound to the hashes of inputs, outputs, rules and
// configuration. It passes only if the step was strict and of profile "standard", read records and wrote all of them with nothing in
// them that the rules find, the run rejected no record, and the files are as the run wrote them; otherwise problems say why. open
// opens a file by its base name.
func Attest(f Facts, open Open) (doc []byte, problems []error) {
	gate := f.common()
	for _, key := range []string{"input_path_refs", "bindings"} {
		delete(gate, key)
	}
	gate["invalid_json"], gate["backend_failures"], gate["backend_skipped_too_long"] = f.Invalid, f.BackendFailed, 0
	a := f.common()
	a["schema"], a["version"] = attestationSchema, 1
	a["generated_at"] = f.At.UTC().Format("2006-01-02T15:04:05Z")
	a["source"] = object{"kind": f.SourceKind, "realUserExport": f.SourceKind == "user_export", "inputPathRefs": f.refs()}
	a["privacy"] = object{
		"reviewed": f.Reviewer != "", "reviewed_by": orNull(f.Reviewer), "realUserExport": f.SourceKind == "user_export", "attestationType": "privacy_filter",
	}
	a["backend_skipped_too_long"] = 0
	a["strict_override_reason"] = orNull(f.Override)
	a["artifacts"] = f.artifacts()
	a["gate"] = gate
	a["rows"] = f.rows()
	a["ledger_policy"] = f.ledgerPolicy()
	a["suspects"], a["scope"] = f.suspects(), f.Scope.object()
	for _, file := range []File{f.Output, f.Ledger, f.Rejects} {
		if file.Changed {
			problems = append(problems, fmt.Errorf("%s: want the file that the run wrote, have one that changed", filepath.Base(file.Path)))
		}
	}
	if problems = append(problems, check(write(a), open)...); len(problems) > 0 {
		var reasons []string
		for _, p := range problems {
			reasons = append(reasons, p.Error())
		}
		a["not_passed"] = reasons
	}
	a["passed"], gate["passed"] = len(problems) == 0, len(problems) == 0
	return write(a), problems
}

// artifacts returns the files that Verify reads.
func (f *Facts) artifacts() object {
	ledger := f.Ledger.artifact()
	ledger["entries"], ledger["raw_sensitive_values"] = f.Ledger.Rows, false
	ledger["value_fields"], ledger["replacement_fields"] = []string{}, []string{"replacement"}
	if f.hashed() {
		ledger["value_fields"] = []string{"value_hash", "key_id"}
	}
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

// rows returns how many records of the run the output holds, and where the others are.
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

// hashed reports whether ledger rows hold keyed hashes of values.
func (f *Facts) hashed() bool { return f.LedgerHash == "key" || f.LedgerHash == "run" }

// ledgerPolicy returns how the ledger shows values and personal keys.
func (f *Facts) ledgerPolicy() object {
	values, keys := "left_out", "left_out"
	if f.hashed() {
		values, keys = "keyed_hash_only", "hashed"
	}
	return object{"raw_sensitive_values": false, "matched_values": values, "object_key_paths": keys, "hash_key": f.LedgerHash}
}

// common returns what statistics, attestation and gate have in common.
func (f *Facts) common() object {
	residue := f.Counts["residue"]
	inputs := []object{}
	for _, in := range f.Inputs {
		input := object{"path_ref": ref(in.Path), "rows": in.Rows, "changed": in.Changed}
		if in.BLAKE3 != "" {
			input["blake3"] = in.BLAKE3
		} else {
			input["sha256"] = in.SHA256
		}
		inputs = append(inputs, input)
	}
	return object{
		"strict": f.Strict, "sourceKind": f.SourceKind, "input_path_refs": f.refs(),
		"input_count": f.Read, "output_count": f.Written, "redaction_count": sum(f.under("rule.")), "categories": f.categories(),
		"backend_name": orNull(f.Backend), "backend_model": nil,
		"residual_findings": object{"count": residue, "by_label": f.under("residue.")}, "residual_findings_count": residue,
		"bindings": object{
			"inputs": inputs, "rules_sha256": f.RulesHash, "config_sha256": f.ConfigHash, "names_sha256": orNull(f.NamesHash),
			"pipeline_sha256": f.PipelineHash, "run": f.Run.ID, "tool": f.Tool,
		},
	}
}

func (f *Facts) refs() []string {
	refs := []string{}
	for _, in := range f.Inputs {
		refs = append(refs, ref(in.Path))
	}
	return refs
}

// under returns the counts with a prefix, by the rest of their names.
func (f *Facts) under(prefix string) map[string]int64 {
	all := map[string]int64{}
	for name, n := range f.Counts {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			all[rest] = n
		}
	}
	return all
}

// suspects returns what the step let through though it looks like a secret or a card, with both kinds at least.
func (f *Facts) suspects() map[string]int64 {
	all := f.under("suspect.")
	for _, name := range []string{"token", "number"} {
		all[name] += 0
	}
	return all
}

// categories returns the findings by category, with the four of the Python tooling at least.
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

// ref returns what the Python tooling writes in place of a path, which it does not show.
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

// ConfigHash returns the SHA-256 of a step's attributes, a JSON object, whatever the order of its keys and its spacing. The value
// of hash_key does not count, only whether there is one.
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

package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Verify checks an attestation, and the files it speaks of. open gives a file by the base name that the attestation
// has. It reports everything that is wrong.
func Verify(doc []byte, open func(name string) (io.ReadCloser, error)) error {
	var a struct {
		Schema                string
		Version               int
		Passed, Strict        bool
		InputCount            *int64 `json:"input_count"`
		OutputCount           *int64 `json:"output_count"`
		ResidualFindingsCount *int64 `json:"residual_findings_count"`
		Gate                  struct {
			Passed, Strict  bool
			InputCount      *int64 `json:"input_count"`
			OutputCount     *int64 `json:"output_count"`
			InvalidJSON     *int64 `json:"invalid_json"`
			BackendFailures *int64 `json:"backend_failures"`
		}
		Artifacts map[string]struct {
			Path, SHA256       string
			Rows, Entries      *int64
			RawSensitiveValues *bool `json:"raw_sensitive_values"`
		}
	}
	if err := json.Unmarshal(doc, &a); err != nil {
		return fmt.Errorf("want an attestation: %w", err)
	}
	var errs []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	is := func(n *int64, v int64) bool { return n != nil && *n == v }
	want(a.Schema == attestationSchema && a.Version == 1, "want schema %s version 1, have %q version %d", attestationSchema, a.Schema, a.Version)
	want(a.Passed && a.Gate.Passed, "want it passed, have it not passed")
	want(a.Strict && a.Gate.Strict, "want it strict, have it not strict")
	want(is(a.ResidualFindingsCount, 0), "want residual_findings_count 0, have another")
	want(is(a.Gate.InvalidJSON, 0) && is(a.Gate.BackendFailures, 0), "want no invalid rows and no failures of a backend, have some")
	want(a.InputCount != nil && *a.InputCount > 0, "want records, have none")
	want(a.InputCount != nil && is(a.OutputCount, *a.InputCount) && is(a.Gate.InputCount, *a.InputCount) && is(a.Gate.OutputCount, *a.InputCount),
		"want as many records written as read, have other counts")
	for _, name := range []string{"ledger_jsonl", "redacted_jsonl", "stats_json"} {
		artifact, ok := a.Artifacts[name]
		if !ok {
			errs = append(errs, fmt.Errorf("want artifacts.%s, have nothing", name))
			continue
		}
		sum, rows, err := hashFile(artifact.Path, open)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", artifact.Path, err))
			continue
		}
		want(sum == artifact.SHA256, "%s: want sha256 %s, have %s", artifact.Path, artifact.SHA256, sum)
		for _, n := range []*int64{artifact.Rows, artifact.Entries} {
			want(n == nil || *n == rows, "%s: want as many rows as attested, have %d", artifact.Path, rows)
		}
		if name == "ledger_jsonl" {
			want(artifact.RawSensitiveValues != nil && !*artifact.RawSensitiveValues, "want raw_sensitive_values false, have another")
		}
	}
	return errors.Join(errs...)
}

// hashFile gives the SHA-256 of a file and how many lines it has.
func hashFile(name string, open func(string) (io.ReadCloser, error)) (sum string, lines int64, err error) {
	file, err := open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash := sha256.New()
	buf := make([]byte, 1<<16)
	for {
		n, err := file.Read(buf)
		hash.Write(buf[:n])
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return hex.EncodeToString(hash.Sum(nil)), lines, nil
		}
		if err != nil {
			return "", 0, err
		}
	}
}

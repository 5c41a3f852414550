package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/compression"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Open opens a file by the base name in an attestation. Its error for a missing file is fs.ErrNotExist.
type Open func(name string) (io.ReadCloser, error)

// attested is the part of an attestation that is checked.
type attested struct {
	Schema                string
	Version               int
	Passed, Strict        bool
	NotPassed             []string `json:"not_passed"`
	InputCount            *int64   `json:"input_count"`
	OutputCount           *int64   `json:"output_count"`
	RedactionCount        *int64   `json:"redaction_count"`
	ResidualFindingsCount *int64   `json:"residual_findings_count"`
	Gate                  struct {
		Passed, Strict  bool
		InputCount      *int64 `json:"input_count"`
		OutputCount     *int64 `json:"output_count"`
		InvalidJSON     *int64 `json:"invalid_json"`
		BackendFailures *int64 `json:"backend_failures"`
	}
	Privacy struct {
		Reviewed   bool
		ReviewedBy string `json:"reviewed_by"`
	}
	Bindings struct {
		Inputs []struct{ Changed bool }
		Names  string `json:"names_sha256"`
	}
	BackendName string `json:"backend_name"`
	Scope       *attestedScope
	Suspects    map[string]int64
	Rows        struct {
		Rejected    *int64
		StepsBehind []string `json:"steps_behind"`
	}
	Artifacts map[string]artifact
}

type artifact struct {
	Path, SHA256       string
	Rows, Entries      *int64
	RawRows            int64    `json:"raw_rows"`
	RawSensitiveValues *bool    `json:"raw_sensitive_values"`
	ValueFields        []string `json:"value_fields"`
}

// Verify returns an error unless an attestation has passed and check finds nothing. The error holds all that is wrong.
func Verify(doc []byte, open Open) error {
	var a attested
	if err := json.Unmarshal(doc, &a); err != nil {
		return fmt.Errorf("want an attestation: %w", err)
	}
	var errs []error
	if !a.Passed || !a.Gate.Passed || len(a.NotPassed) > 0 {
		errs = append(errs, fmt.Errorf("want passed and gate.passed true, and not_passed empty, have %t, %t and %d reasons", a.Passed, a.Gate.Passed, len(a.NotPassed)))
	}
	return errors.Join(append(errs, check(doc, open)...)...)
}

// check returns all that keeps an attestation from passing, in the document and in the files that it names.
func check(doc []byte, open Open) []error {
	var a attested
	if err := json.Unmarshal(doc, &a); err != nil {
		return []error{fmt.Errorf("want an attestation: %w", err)}
	}
	c := checker{open: open}
	c.words(&a)
	c.scope(&a)
	var ledger statistics
	for _, name := range []string{"ledger_jsonl", "redacted_jsonl", "stats_json"} {
		file, ok := a.Artifacts[name]
		switch {
		case !ok:
			c.want(false, "want artifacts.%s, which is missing", name)
		case name == "ledger_jsonl":
			ledger.fields = file.ValueFields
			ledger.whole = c.file(file, ledger.row)
			c.entities(&a, &ledger)
		case name == "stats_json":
			c.stats(file, &a, &ledger)
		default:
			c.file(file, nil)
		}
	}
	if rejects, ok := a.Artifacts["rejects_jsonl"]; ok {
		c.rejects(rejects)
	}
	return c.errs
}

type checker struct {
	open Open
	errs []error
}

func (c *checker) want(ok bool, format string, args ...any) {
	if !ok {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
}

// words checks the document by itself.
func (c *checker) words(a *attested) {
	is := func(n *int64, v int64) bool { return n != nil && *n == v }
	c.want(a.Schema == attestationSchema && a.Version == 1, "want schema %s version 1, have %q version %d", attestationSchema, a.Schema, a.Version)
	c.want(a.Strict && a.Gate.Strict, "want strict and gate.strict true, have %t and %t", a.Strict, a.Gate.Strict)
	c.want(is(a.ResidualFindingsCount, 0), "want residual_findings_count 0, have %s", shown(a.ResidualFindingsCount))
	c.want(is(a.Gate.InvalidJSON, 0) && is(a.Gate.BackendFailures, 0), "want no invalid rows and no failures of a backend, have %s and %s",
		shown(a.Gate.InvalidJSON), shown(a.Gate.BackendFailures))
	c.want(a.InputCount != nil && *a.InputCount > 0, "want records, have input_count %s", shown(a.InputCount))
	c.want(a.InputCount != nil && is(a.OutputCount, *a.InputCount) && is(a.Gate.InputCount, *a.InputCount) && is(a.Gate.OutputCount, *a.InputCount),
		"want as many records written as read, have %s of %s, and %s of %s in the gate",
		shown(a.OutputCount), shown(a.InputCount), shown(a.Gate.OutputCount), shown(a.Gate.InputCount))
	if n := a.Rows.Rejected; n == nil {
		c.want(false, "want rows.rejected, which is missing")
	} else {
		c.want(*n == 0, "want no record of the run rejected, have %d", *n)
	}
	c.want(a.Privacy.Reviewed == (a.Privacy.ReviewedBy != ""), "want privacy.reviewed true with a name in reviewed_by only, have %t with %d bytes",
		a.Privacy.Reviewed, len(a.Privacy.ReviewedBy))
	for i, in := range a.Bindings.Inputs {
		c.want(!in.Changed, "want inputs that did not change while they were read, have input %d of %d changed", i+1, len(a.Bindings.Inputs))
	}
}

// shown returns a count as text, and "nothing" for a missing one.
func shown(n *int64) string {
	if n == nil {
		return "nothing"
	}
	return strconv.FormatInt(*n, 10)
}

// file checks the hash of a file and the number of its rows, and calls row for each. It reports whether it could read the file.
func (c *checker) file(want artifact, row func([]byte) error) bool {
	sum, rows, err := readRows(want.Path, c.open, row)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%s: %w", want.Path, err))
		return false
	}
	c.want(sum == want.SHA256, "%s: want sha256 %s, have %s", want.Path, want.SHA256, sum)
	for _, n := range []*int64{want.Rows, want.Entries} {
		c.want(n == nil || *n == rows, "%s: want as many rows as attested, %s, have %d", want.Path, shown(n), rows)
	}
	if want.Entries != nil {
		c.want(want.RawSensitiveValues != nil && !*want.RawSensitiveValues, "want raw_sensitive_values false, which is missing or true")
	}
	return true
}

// rejects checks that the file of rejects holds nothing from before the step. A file without rows may be gone.
func (c *checker) rejects(want artifact) {
	c.want(want.RawRows == 0, "want no rejects as they were before the step, have %d in %s", want.RawRows, want.Path)
	file, err := c.open(want.Path)
	if err == nil {
		file.Close()
	}
	if want.Rows == nil || *want.Rows > 0 || !errors.Is(err, fs.ErrNotExist) {
		c.file(want, nil)
	}
}

// stats checks the statistics and the attestation against the rows of the ledger, which were read before.
func (c *checker) stats(file artifact, a *attested, ledger *statistics) {
	var text []byte
	if !c.file(file, func(line []byte) error { text = append(text, line...); return nil }) || !ledger.whole {
		return
	}
	var doc struct {
		Suspects   map[string]int64
		Redactions struct {
			Total    int64
			ByLabel  map[string]int64 `json:"by_label"`
			ByEntity map[string]int64 `json:"by_entity"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		c.errs = append(c.errs, fmt.Errorf("%s: want statistics: %w", file.Path, err))
		return
	}
	c.want(maps.Equal(doc.Redactions.ByEntity, ledger.entities) && maps.Equal(doc.Redactions.ByLabel, ledger.rules),
		"%s: want the entities and rules that the ledger has, have %v and %v in place of %v and %v", file.Path,
		doc.Redactions.ByEntity, doc.Redactions.ByLabel, ledger.entities, ledger.rules)
	c.want(len(a.Suspects) > 0 && maps.Equal(a.Suspects, doc.Suspects), "%s: want the suspects that the attestation has, have %v in place of %v",
		file.Path, doc.Suspects, a.Suspects)
	c.want(a.RedactionCount != nil && *a.RedactionCount == ledger.rows && doc.Redactions.Total == ledger.rows,
		"want a redaction for each of the %d rows of the ledger, have %s, and %d in the statistics", ledger.rows, shown(a.RedactionCount), doc.Redactions.Total)
}

type statistics struct {
	fields          []string // that depend on the value
	whole           bool     // it could be read
	rows            int64
	entities, rules map[string]int64
}

func (s *statistics) count(entity, rule string) {
	if s.rows == 0 {
		s.entities, s.rules = map[string]int64{}, map[string]int64{}
	}
	s.rows++
	s.entities[entity]++
	s.rules[rule]++
}

// readRows returns the SHA-256 of a file and the number of its lines, uncompressed. It calls row, unless nil, for each line.
func readRows(name string, open Open, row func([]byte) error) (sum string, rows int64, err error) {
	file, err := open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash := sha256.New()
	raw := io.TeeReader(file, hash)
	plain, err := compression.NewText(name, raw)
	if err != nil {
		return "", 0, err
	}
	defer plain.Close()
	if row == nil {
		rows, err = countLines(plain)
	} else {
		rows, err = eachLine(plain, row)
	}
	if err != nil {
		return "", 0, err
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), rows, nil
}

func countLines(from io.Reader) (lines int64, err error) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}

// The most bytes and the most depth of a ledger row, which holds a path and no value.
const (
	maxLine  = 16 << 20
	maxDepth = 4
)

func eachLine(from io.Reader, row func([]byte) error) (lines int64, err error) {
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		lines++
		if err := row(scan.Bytes()); err != nil {
			return lines, fmt.Errorf("line %d: %w", lines, err)
		}
	}
	return lines, scan.Err()
}

// ledgerFields are the fields of every row of a ledger; the host writes the first three.
var ledgerFields = []string{"file", "line", "step", "path", "place", "entity", "rule", "start", "end", "unit", "replacement"}

// row counts a row of a ledger. Other fields than the attested ones are an error.
func (s *statistics) row(line []byte) error {
	if jsontext.Check(line, maxDepth) != nil {
		return fmt.Errorf("want a row of a ledger as JSON, have %d bytes of another kind", len(line))
	}
	row := gjson.ParseBytes(line)
	var err error
	fields, allowed := 0, 0
	row.ForEach(func(key, _ gjson.Result) bool {
		fields++
		switch {
		case slices.Contains(ledgerFields, key.Str):
		case slices.Contains(s.fields, key.Str):
			allowed++
		default:
			err = fmt.Errorf("want attested fields only, have field %d, which is not", fields)
		}
		return err == nil
	})
	if err == nil && allowed != len(s.fields) {
		err = fmt.Errorf("want the fields %s, have %d of %d", strings.Join(s.fields, ", "), allowed, len(s.fields))
	}
	s.count(row.Get("entity").Str, row.Get("rule").Str)
	return err
}

package reference_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

const (
	referenceCases   = "../../../shared/cases/render-cases.jsonl"
	referenceDigests = "../../../shared/cases/render-real-digests.jsonl"
)

// deviations are the cases in which the row of the chain of reference profiles differs from the Python renderer's, with the
// reason.
var deviations = map[string]string{}

// TestReferenceCases holds the chain of reference profiles against the rows of the Python renderer, byte for byte.
func TestReferenceCases(t *testing.T) {
	if _, err := os.Stat(referenceCases); err != nil {
		t.Skipf("%s is absent", referenceCases)
	}
	cases := lines(t, referenceCases)
	for _, line := range cases {
		c := gjson.Parse(line)
		in := c.Get("input_json").Str
		if in == "" {
			in = c.Get("input").Raw
		}
		if !gjson.Valid(in) { // the source rejects it
			continue
		}
		name, want := c.Get("name").Str, c.Get("expected_json").Str
		have := referenceRow(t, in, c.Get("env.prompt_registry").Raw)
		if _, known := deviations[name]; known != (have != want) {
			t.Errorf("%s:\nwant %s\nhave %s", name, want, have)
		}
	}
	if 100*len(deviations) > 5*len(cases) {
		t.Errorf("want at most one deviation in twenty cases, have %d in %d", len(deviations), len(cases))
	}
}

// TestReferenceDigests does the same for rows of a real corpus.
func TestReferenceDigests(t *testing.T) {
	if _, err := os.Stat(referenceDigests); err != nil {
		t.Skipf("%s is absent", referenceDigests)
	}
	files := map[string][]string{}
	for _, line := range lines(t, referenceDigests) {
		d := gjson.Parse(line)
		file := d.Get("file").Str
		if files[file] == nil {
			path := "../../../shared/" + file
			if _, err := os.Stat(path); err != nil {
				t.Skipf("%s is absent", path)
			}
			files[file] = lines(t, path)
		}
		have := referenceRow(t, files[file][d.Get("line").Int()-1], "")
		if sum := sha256.Sum256([]byte(have)); hex.EncodeToString(sum[:]) != d.Get("sha256").Str {
			t.Errorf("%s:%d: want %d bytes with another digest, have %d", file, d.Get("line").Int(), d.Get("bytes").Int(), len(have))
		}
	}
}

// referenceRow runs a record through the chain, and returns "" when it is rejected.
func referenceRow(t *testing.T, record, registry string) string {
	t.Helper()
	flat := `{"profile":"reference"}`
	if registry != "" {
		file := filepath.Join(t.TempDir(), "registry.json")
		if err := os.WriteFile(file, []byte(registry), 0o644); err != nil {
			t.Fatal(err)
		}
		flat = `{"profile":"reference","prompt_registry":"` + file + `"}`
	}
	row := ""
	for _, shape := range []step{shapes[0], shapes[1], {elizarecord.Plugin, flat}} {
		results, _ := sdktest.Direct(t, shape.plugin, shape.args, record)
		if r := results[0]; r.Verdict == "emit" {
			row = r.Emitted[0]
			break
		} else if r.Verdict != "decline" {
			return ""
		}
	}
	for _, s := range []step{steps[0], {privacy.Plugin, `{"profile":"reference","structured":false}`}} {
		if row == "" {
			return ""
		}
		results, _ := sdktest.Direct(t, s.plugin, s.args, row)
		if row = ""; results[0].Verdict == "emit" {
			row = results[0].Emitted[0]
		}
	}
	return row
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

package reference_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/privacy"
	_ "github.com/sluicehq/sluice/plugins/reference"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestCases compares what the reference profiles make of a record, in a row, with what the Python tooling makes of it, byte for
// byte.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("want cases in testdata, have none (%v)", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range archive.Files {
			record, want, _ := strings.Cut(strings.TrimSuffix(string(c.Data), "\n"), "\n")
			if diff := cmp.Diff(want, outcome(t, record)); diff != "" {
				t.Errorf("%s: %s (-want +have):\n%s", file, c.Name, diff)
			}
		}
	}
}

// TestSteps holds the steps that check and write rows to their cases.
func TestSteps(t *testing.T) {
	sdktest.Files(t, chatml.Plugin, "testdata/chatml/*.txtar")
	sdktest.Files(t, native.Plugin, "testdata/native/*.txtar")
}

// A step is a plugin with its attributes.
type step struct {
	plugin sdk.Plugin
	args   string
}

// shapes are tried in order, and the other steps follow on the one that takes the record.
var (
	shapes = []step{
		{native.Plugin, `{"profile":"reference"}`},
		{messages.Plugin, `{"profile":"reference"}`},
		{elizarecord.Plugin, `{"profile":"reference","prompt_registry":"testdata/registry.json"}`},
	}
	steps = []step{
		{chatml.Plugin, `{"profile":"reference"}`},
		{privacy.Plugin, `{"profile":"reference","structured":false,"strict":false}`},
	}
)

// outcome returns the row that becomes of a record, or "no row", or "reject" and the code.
func outcome(t *testing.T, record string) string {
	t.Helper()
	for _, shape := range shapes {
		results, _ := sdktest.Run(t, shape.plugin, shape.args, record)
		switch r := results[0]; r.Verdict {
		case "decline":
			continue
		case "emit":
			record = r.Emitted[0]
		default:
			return r.Verdict + " " + r.Code
		}
		for _, s := range steps {
			results, _ := sdktest.Run(t, s.plugin, s.args, record)
			if r := results[0]; r.Verdict != "emit" {
				return r.Verdict + " " + r.Code
			}
			record = results[0].Emitted[0]
		}
		return record
	}
	return "no row"
}

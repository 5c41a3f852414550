package plugins_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

// TestMarks protects records from being declined unread by the adapter that would take them, whatever shape they have: all
// records of cases here, and real rows and recorded inputs next to the repository.
func TestMarks(t *testing.T) {
	records := everyRecord(t)
	if len(records) < 500 {
		t.Fatalf("want hundreds of records, have %d", len(records))
	}
	others := map[string][]string{
		"trajectory": {`{"steps":["a.b"],"calls":["c"]}`, `{"preset":"recorder"}`},
		"chat-text":  {`{"preset":"rendered"}`, `{"fields":["prompt+completion"]}`, `{"preset":"hh-rlhf"}`},
	}
	for _, p := range plugins.All {
		if !isAdapter(p.Name) {
			continue
		}
		for _, args := range append(others[p.Name], "") {
			canonicaltest.Marks(t, p, args, records...)
		}
	}
}

// everyRecord returns the records of all cases.
func everyRecord(t *testing.T) (records []string) {
	for _, glob := range []string{"*/testdata/*.txtar", "*/testdata/cases/*.txtar", "modelspec/*/testdata/*.txtar"} {
		files, _ := filepath.Glob(glob)
		for _, file := range files {
			_, more := caseOf(t, file)
			records = append(records, more...)
		}
	}
	for _, glob := range []string{corpora, cases} {
		files, _ := filepath.Glob(glob)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
				var c recorded
				if json.Unmarshal([]byte(line), &c); c.Fn != "" {
					records = append(records, c.inputs()...)
				} else {
					records = append(records, line)
				}
			}
		}
	}
	var valid []string
	for _, record := range records {
		if json.Valid([]byte(record)) {
			valid = append(valid, record)
		}
	}
	return valid
}

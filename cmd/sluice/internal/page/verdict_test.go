package page

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestTitles holds that every warning of the host has a title that someone has read, whether it is in the table or its code says enough.
func TestTitles(t *testing.T) {
	titles := map[string]string{
		"all_rejected":      "All rejected",
		"candidate":         "Candidate failed",
		"deprecated":        "Deprecated",
		"input_changed":     "Input changed",
		"most_rejected":     "Many rejects",
		"no_output":         "Output without a block",
		"not_compared":      "Not compared",
		"nothing_read":      "Nothing read",
		"json_column":       "Columns of JSON text",
		"nothing_written":   "Nothing written",
		"padding":           "Zeros behind gzip data",
		"pipeline":          "About the pipeline",
		"private_rejects":   "Rejects are not filtered",
		"undeclared_code":   "Undeclared code",
		"undeclared_reason": "Undeclared reason",
		"unfiltered":        "Rules not stated",
		"unmet_case":        "Unmet case",
		"unmet_column":      "Unmet column",
		"unread_members":    "Members not read",
	}
	source, err := os.ReadFile(filepath.FromSlash("../../../../host/warn.go"))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{receipt.JSONColumn: true, receipt.UnmetColumn: true}
	for _, m := range regexp.MustCompile(`(?:say\(|Code: )"(\w+)"`).FindAllSubmatch(source, -1) {
		codes[string(m[1])] = true
	}
	want, have := slices.Sorted(maps.Keys(titles)), slices.Sorted(maps.Keys(codes))
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("want a title for each code of a warning that the host says:\n%s", diff)
	}
	for code, title := range titles {
		if have := titleOf(code); have != title {
			t.Errorf("%s: want %q, have %q", code, title, have)
		}
	}
}

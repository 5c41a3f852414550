package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestUnique(t *testing.T) { sdktest.Files(t, unique, "testdata/*.txtar") }

// TestRows holds what the README says of the sample.
func TestRows(t *testing.T) {
	rows, err := os.ReadFile("rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	results, _ := sdktest.Run(t, unique, `{"key":"id"}`, strings.Split(strings.TrimSpace(string(rows)), "\n")...)
	have := map[string]int{}
	for _, r := range results {
		have[r.Verdict]++
	}
	if diff := cmp.Diff(map[string]int{"emit": 3, "drop": 2, "reject": 1}, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

package main

import (
	"encoding/json"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestDesk(t *testing.T) { sdktest.Files(t, desk, "testdata/*.txtar") }

// FuzzDesk holds that any record ends as exactly one of a row, a decline and a reject.
func FuzzDesk(f *testing.F) {
	f.Add(`{"ticket": 1, "log": [{"who": "customer", "said": "a"}, {"who": "bot", "did": "x", "with": [], "got": null}, {"who": "bot", "said": "b"}]}`)
	f.Add(`{"ticket": "", "log": {"who": "bot"}}`)
	f.Fuzz(func(t *testing.T, record string) {
		if !json.Valid([]byte(record)) {
			return // the host hands out JSON only
		}
		results, _ := sdktest.Run(t, desk, "", record)
		if r := results[0]; r.Verdict == "drop" || r.Code == "error" {
			t.Errorf("want a row, a decline or a reject, have %s: %s", r.Verdict, r.Message)
		}
	})
}

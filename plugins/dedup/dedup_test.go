package dedup

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

// TestReasons protects the meaning of each reason: the report of a run shows it.
func TestReasons(t *testing.T) {
	for _, reason := range reasons {
		if Plugin.Drops[reason] == "" && Plugin.Codes[reason] == "" {
			t.Errorf("want a meaning of %s, have none", reason)
		}
	}
}

package messages

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestManyInstances holds that a record whose tools would stand in too many rows is rejected by name, before any row.
func TestManyInstances(t *testing.T) {
	record := func(described, instances int) string {
		return `{"Function_Description":{"f":"` + strings.Repeat("x", described) + `"},"Instances":[` +
			strings.Repeat(`{"input":"q","output":"a"},`, instances-1) + `{"input":"q","output":"a"}]}`
	}
	results, _ := sdktest.Run(t, Plugin, "", record(1<<20, 70), record(1<<10, 70))
	if r := results[0]; r.Code != "too_many_rows" || len(r.Emitted) > 0 {
		t.Errorf("want too_many_rows without rows, have %s %s with %d", r.Verdict, r.Code, len(r.Emitted))
	}
	if r := results[1]; len(r.Emitted) != 70 {
		t.Errorf("want 70 rows, have %d after %s %s", len(r.Emitted), r.Code, r.Message)
	}
}

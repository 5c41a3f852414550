package cli

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

// TestJSONLogOfProgress has progress reported as figures.
func TestJSONLogOfProgress(t *testing.T) {
	var out bytes.Buffer
	p := New(nil, &out, "")
	p.PresetLogFormat([]string{"--log-format=json"})
	show, err := p.Progress("auto")
	if err != nil {
		t.Fatal(err)
	}
	show(host.Progress{})
	show(host.Progress{
		Bytes: 5, Total: 10, Records: 3, Written: 2, Rejected: map[string]int64{"bad": 1}, Elapsed: 10 * time.Second,
		Steps: []host.StepProgress{{Name: "act.a", In: 3, Out: 2, Busy: time.Second, Queue: 1, Restarts: 4}},
	})
	var have map[string]any
	if err := json.Unmarshal(out.Bytes(), &have); err != nil {
		t.Fatalf("want one object, have %s: %v", &out, err)
	}
	want := map[string]any{
		"level": "INFO", "msg": "progress", "bytes_read": 5.0, "bytes": 10.0, "records_read": 3.0, "records_written": 2.0,
		"rejected": map[string]any{"bad": 1.0}, "seconds": 10.0,
		"steps": []any{map[string]any{
			"step": "act.a", "records_in": 3.0, "records_out": 2.0, "bytes_in": 0.0, "busy_seconds": 1.0, "queue": 1.0, "restarts": 4.0,
		}},
	}
	for name := range have {
		if want[name] == nil { // times and rates
			delete(have, name)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

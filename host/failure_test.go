package host_test

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sluicehq/sluice/host"
)

// TestFailureOfTheRunBefore holds that the receipt of a failed run is gone as soon as the records of the next one flow: if that is killed,
// nothing there is about an earlier run.
func TestFailureOfTheRunBefore(t *testing.T) {
	const failed = "out/receipt.failed.json"
	inFolder(t, pipeline, `{"do":"fatal"}`+"\n")
	if _, err := load(t, host.Options{InProcess: true}).Run(t.Context()); err == nil {
		t.Fatal("want a run that fails")
	}
	if _, err := os.Stat(failed); err != nil {
		t.Fatal(err)
	}
	var seen atomic.Bool
	again := host.Options{InProcess: true, Batch: func(host.BatchSpan) {
		if _, err := os.Stat(failed); err == nil {
			seen.Store(true)
		}
	}}
	if _, err := load(t, again).Run(t.Context()); err == nil {
		t.Fatal("want a run that fails")
	}
	if seen.Load() {
		t.Error("want no receipt of the failed run before, have one while the next goes on")
	}
	if text, err := os.ReadFile(failed); err != nil || !strings.Contains(string(text), `"step": "act.a"`) {
		t.Errorf("want a receipt of the failed run, have %s (%v)", text, err)
	}
}

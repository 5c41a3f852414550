package flow

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestSurvey checks that every record is observed once, in order, with the outcome of each step, that unreadable input is
// in the dead letter, and that all memory is released.
func TestSurvey(t *testing.T) {
	var have []string
	names := map[wire.Verdict]string{wire.Unchanged: "u", wire.Emitted: "e", wire.Declined: "d", wire.Rejected: "r"}
	sinks, sums, err := run(t, 3, 9, -1, map[int]bool{2: true}, func(w *world) []Node {
		return []Node{&Survey{Name: "p", Steps: []*Step{
			w.step("emits.x", add("!")), w.step("declines.x", func(string) string { return "decline" }), w.step("rejects.x", is("4", "reject")),
		}, Observe: func(r *wire.Record, outcomes []wire.Outcome) {
			said := string(r.Data) + " "
			for _, o := range outcomes {
				said += names[o.Verdict]
			}
			have = append(have, said)
		}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"0" edu`, `"1" edu`, `"3" edu`, `"4" edr`, `"5" edu`, `"6" edu`, `"7" edu`, `"8" edu`}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("observed (-want +have):\n%s", diff)
	}
	if dead := sinks["dead"]; strings.Count(dead, "\n") != 1 || !strings.Contains(dead, `"code":"invalid_json"`) {
		t.Errorf("want the record that could not be read in the dead letter, have %s", dead)
	}
	if sums.Read != 9 || sums.Written != 8 || sums.Rejected["invalid_json"] != 1 {
		t.Errorf("want 9 read, 8 polled and 1 rejected, have %+v", sums)
	}
}

// TestSurveyCrash checks that the crash of one step ends the run and names the record.
func TestSurveyCrash(t *testing.T) {
	_, _, err := run(t, 3, 9, -1, nil, func(w *world) []Node {
		m, _ := w.crashingStep("m.x", 1, failOn(errKilled, `"4"`))
		m.Isolate = false
		return []Node{&Survey{Name: "p", Steps: []*Step{w.step("a.x", add("!")), m}, Observe: func(*wire.Record, []wire.Outcome) {}}}
	})
	if err == nil || !strings.Contains(err.Error(), "step m.x: the plugin ended: exit status 2") {
		t.Errorf("want the crash, have %v", err)
	}
}

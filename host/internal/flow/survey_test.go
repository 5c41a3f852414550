package flow

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/batch"
)

// TestSurvey holds that every record is told of once, in order, with what each step said, and that no memory stays.
func TestSurvey(t *testing.T) {
	w := &world{rng: rand.New(rand.NewSource(3)), sinks: map[string]*text{}}
	steps := []*Step{
		w.step("emits.x", add("!")), w.step("declines.x", func(string) string { return "decline" }),
		w.step("rejects.x", is("4", "reject")),
	}
	src := &lines{texts: numbers(9), n: 4, arena: w.arena(), bad: map[int]bool{2: true}}
	var have []string
	names := map[batch.Verdict]string{batch.Unchanged: "u", batch.Emitted: "e", batch.Declined: "d", batch.Rejected: "r"}
	err := Survey(t.Context(), []Origin{{"lines.x", src}}, steps, func(s Sighting) {
		said := string(s.Record.Data) + " "
		if s.Fault != nil {
			said += s.Fault.Code
		}
		for _, o := range s.Outcomes {
			said += names[o.Verdict]
		}
		have = append(have, said)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`"0" edu`, `"1" edu`, `"2" invalid_json`, `"3" edu`, `"4" edr`, `"5" edu`, `"6" edu`, `"7" edu`, `"8" edu`,
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("sightings (-want +have):\n%s", diff)
	}
	for i, a := range w.arenas {
		if used := a.InUse(); used != 0 {
			t.Errorf("want arena %d empty, have %d bytes in use", i, used)
		}
	}
}

package receipt

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTimeline holds the lines of a timeline, which other programs read too, and that what is read is what was written.
func TestTimeline(t *testing.T) {
	want := Timeline{Steps: []string{"a.x", "b.y"}, Held: &Holder{"step", "b.y", 0.75}, Samples: []Sample{
		{Steps: []StepSample{{}, {}}},
		{1.5, 900, 800, 10, 7, 2, []StepSample{{10, 9, 900, 0.25, 2}, {9, 7, 800, 1, 0}}},
	}}
	const lines = `{"schema":"sluice.timeline.v1","steps":["a.x","b.y"],"columns":["in","out","bytes_in","busy_seconds","queue"],"held":{"kind":"step","name":"b.y","busy":0.75}}
{"seconds":0,"bytes_read":0,"bytes_done":0,"records":0,"written":0,"rejected":0,"steps":[[0,0,0,0,0],[0,0,0,0,0]]}
{"seconds":1.5,"bytes_read":900,"bytes_done":800,"records":10,"written":7,"rejected":2,"steps":[[10,9,900,0.25,2],[9,7,800,1,0]]}
`
	text, err := want.Encode()
	if err != nil || string(text) != lines {
		t.Errorf("want %s, have %s (%v)", lines, text, err)
	}
	have, err := ReadTimeline(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, have); diff != "" {
		t.Error(diff)
	}
}

// TestTimelineWithoutSteps holds that a timeline without steps reads the same whether they are absent, null or empty.
func TestTimelineWithoutSteps(t *testing.T) {
	want := &Timeline{Steps: []string{}, Samples: []Sample{{Seconds: 1, Steps: []StepSample{}}}}
	for _, steps := range []string{``, `,"steps":null`, `,"steps":[]`} {
		head := `{"schema":"sluice.timeline.v1","columns":["in","out","bytes_in","busy_seconds","queue"]` + steps + "}\n"
		have, err := ReadTimeline(strings.NewReader(head + `{"seconds":1` + steps + "}\n"))
		if err != nil {
			t.Fatalf("%q: %v", steps, err)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%q: %s", steps, diff)
		}
	}
}

// TestReadTimelineErrors holds that the error about a file that is no timeline, or was cut, names the line.
func TestReadTimelineErrors(t *testing.T) {
	const head = `{"schema":"sluice.timeline.v1","steps":["a.x"],"columns":["in","out","bytes_in","busy_seconds","queue"]}` + "\n"
	tests := []struct{ reason, text, want string }{
		{"no lines", "", "1: want a sample, have the end of the file"},
		{"no samples", head, "2: want a sample, have the end of the file"},
		{"another file", `{"schema":"sluice.origins.v1"}`, "1: want a timeline of the schema sluice.timeline.v1"},
		{"columns of another version", strings.Replace(head, `"in","out"`, `"out","in"`, 1), "1: want a timeline"},
		{"a line that was cut", head + `{"seconds":0,"steps":[[0,0`, "2: want a sample: "},
		{"a step too many", head + `{"seconds":0,"steps":[[0,0,0,0,0],[0,0,0,0,0]]}`, "2: want 1 steps, have 2"},
		{"a figure too few", head + `{"seconds":0,"steps":[[0,0,0,0]]}`, "2: want a sample: want 5 figures of a step, have 4"},
		{"a figure that is none", head + `{"seconds":0,"steps":[["0",0,0,0,0]]}`, "2: want a sample: "},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if _, err := ReadTimeline(strings.NewReader(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("want %q, have %v", tt.want, err)
			}
		})
	}
}

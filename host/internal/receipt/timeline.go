package receipt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// A Timeline is how a run went on. It lies beside the receipt as lines of JSON: the first names the steps, as they stand in the
// pipeline file, and the columns that a sample has for each; the others are the samples.
type Timeline struct {
	Steps   []string
	Samples []Sample // the first of the start of the run, the last of its end
}

// A Sample is what a run had done after so many seconds.
type Sample struct {
	Seconds   float64      `json:"seconds"`
	BytesRead int64        `json:"bytes_read"` // of the input files
	Records   int64        `json:"records"`    // read
	Written   int64        `json:"written"`    // by the sinks of the stream
	Rejected  int64        `json:"rejected"`
	Steps     []StepSample `json:"steps"`
}

// A StepSample is what one step had done. In JSON it is a list of its fields in their order.
type StepSample struct {
	In, Out     int64 // records
	BytesIn     int64
	BusySeconds float64 // of all its workers
	Queue       int     // batches that wait before it
}

// MarshalJSON implements json.Marshaler.
func (s StepSample) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{s.In, s.Out, s.BytesIn, s.BusySeconds, s.Queue})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *StepSample) UnmarshalJSON(data []byte) error {
	fields := []any{&s.In, &s.Out, &s.BytesIn, &s.BusySeconds, &s.Queue}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) != len(timelineColumns) {
		return fmt.Errorf("want %d figures of a step, have %d", len(timelineColumns), len(fields))
	}
	return nil
}

const timelineSchema = "sluice.timeline.v1"

// timelineColumns name the fields of a StepSample.
var timelineColumns = []string{"in", "out", "bytes_in", "busy_seconds", "queue"}

// timelineHead is the first line.
type timelineHead struct {
	Schema  string   `json:"schema"`
	Steps   []string `json:"steps"`
	Columns []string `json:"columns"`
}

// Encode gives the lines.
func (t *Timeline) Encode() ([]byte, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(timelineHead{timelineSchema, list(t.Steps), timelineColumns}); err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	for _, s := range t.Samples {
		s.Steps = list(s.Steps)
		if err := lines.Encode(s); err != nil {
			return nil, fmt.Errorf("timeline: %w", err)
		}
	}
	return b.Bytes(), nil
}

// ReadTimeline reads the timeline at path.
func ReadTimeline(path string) (*Timeline, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var head timelineHead
	t, n := &Timeline{}, 0
	for lines.Scan() {
		if n++; n == 1 {
			err := json.Unmarshal(lines.Bytes(), &head)
			if err != nil || head.Schema != timelineSchema || !slices.Equal(head.Columns, timelineColumns) {
				return nil, fmt.Errorf("%s:1: want a timeline of the schema %s, have another file", path, timelineSchema)
			}
			t.Steps = head.Steps
			continue
		}
		var s Sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: want a sample: %w", path, n, err)
		}
		if len(s.Steps) != len(t.Steps) {
			return nil, fmt.Errorf("%s:%d: want %d steps, have %d", path, n, len(t.Steps), len(s.Steps))
		}
		t.Samples = append(t.Samples, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(t.Samples) == 0 {
		return nil, fmt.Errorf("%s: want samples, have none", path)
	}
	return t, nil
}

package receipt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Timeline holds samples of how far a run was. It is stored next to the receipt as lines of JSON: the first names the steps, in the
// order of the pipeline file, and the columns that a sample has for each; the others are the samples.
type Timeline struct {
	Steps   []string
	Held    *Holder  // what the run waited for; nil when nothing held it
	Samples []Sample // the first at the start of the run, the last at its end
}

// Holder is what a run waited for, for which share of its time.
type Holder struct {
	Kind string  `json:"kind"` // step, source or sink
	Name string  `json:"name"` // TYPE.NAME
	Busy float64 `json:"busy"` // a step worked, a sink wrote, or the run waited for the source
}

// Sample is what a run had done after so many seconds.
type Sample struct {
	Seconds   float64      `json:"seconds"`
	BytesRead int64        `json:"bytes_read"` // of the input files
	BytesDone int64        `json:"bytes_done"` // of these, of the records that had left the run; 0 in all samples of older versions
	Records   int64        `json:"records"`    // read
	Written   int64        `json:"written"`    // by the sinks of the stream
	Rejected  int64        `json:"rejected"`
	Steps     []StepSample `json:"steps"`
}

// StepSample is what one step had done. In JSON it is a list of its fields in their order.
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

type timelineHead struct {
	Schema  string   `json:"schema"`
	Steps   []string `json:"steps"`
	Columns []string `json:"columns"`
	Held    *Holder  `json:"held,omitempty"`
}

// Encode returns the lines.
func (t *Timeline) Encode() ([]byte, error) {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	err := lines.Encode(timelineHead{timelineSchema, list(t.Steps), timelineColumns, t.Held})
	for _, s := range t.Samples {
		s.Steps = list(s.Steps)
		err = errors.Join(err, lines.Encode(s))
	}
	if err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	return text.Bytes(), nil
}

// ReadTimeline reads a timeline. Steps that are absent or null are an empty list, as Encode writes them. Errors begin with the line.
func ReadTimeline(from io.Reader) (*Timeline, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	var head timelineHead
	t, n := &Timeline{}, 0
	for lines.Scan() {
		if n++; n == 1 {
			err := json.Unmarshal(lines.Bytes(), &head)
			if err != nil || head.Schema != timelineSchema || !slices.Equal(head.Columns, timelineColumns) {
				return nil, fmt.Errorf("1: want a timeline of the schema %s, have schema %q", timelineSchema, head.Schema)
			}
			t.Steps, t.Held = list(head.Steps), head.Held
			continue
		}
		var s Sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%d: want a sample: %w", n, err)
		}
		if len(s.Steps) != len(t.Steps) {
			return nil, fmt.Errorf("%d: want %d steps, have %d", n, len(t.Steps), len(s.Steps))
		}
		s.Steps = list(s.Steps)
		t.Samples = append(t.Samples, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	if len(t.Samples) == 0 {
		return nil, fmt.Errorf("%d: want a sample, have the end of the file", n+1)
	}
	return t, nil
}

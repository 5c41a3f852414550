package flow

import (
	"bytes"
	"fmt"
	"slices"

	values "github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A result is what a step made of a record.
type result struct {
	verdict       string // "emitted", "dropped", "rejected", "declined" or "crashed"
	code, message string
	records       [][]byte
}

const crashed = "crashed"

func resultOf(in *wire.Record, o *wire.Outcome) result {
	switch o.Verdict {
	case wire.Unchanged:
		return result{verdict: "emitted", records: [][]byte{in.Data}}
	case wire.Emitted:
		r := result{verdict: "emitted", records: make([][]byte, len(o.Emitted))}
		for i := range o.Emitted {
			r.records[i] = o.Emitted[i].Data
		}
		return r
	case wire.Dropped:
		return result{verdict: "dropped", message: o.Fault.Message}
	case wire.Declined:
		return result{verdict: "declined", message: o.Fault.Message}
	}
	if o.Fault.Code == CrashCode {
		return result{verdict: crashed, code: CrashCode, message: o.Fault.Message}
	}
	return result{verdict: "rejected", code: o.Fault.Code, message: o.Fault.Message}
}

// outcome is as in "emitted 2" or "rejected no_user".
func (r *result) outcome() string {
	switch r.verdict {
	case "emitted":
		return fmt.Sprintf("emitted %d", len(r.records))
	case "rejected":
		return "rejected " + r.code
	}
	return r.verdict
}

// A difference comes with what each side has there, as far as it may be shown.
type difference struct {
	Difference
	current, candidate string
}

// A display says what of records may be shown.
type display struct{ values, private bool }

func (d display) show(text string) string {
	if text != "" && d.private {
		return "(private)"
	}
	return values.Excerpt(text)
}

// value is what may be shown of JSON text.
func (d display) value(raw string) string {
	if !d.values {
		return ""
	}
	return d.show(raw)
}

// of is what may be shown of a whole result: its message or its first record.
func (d display) of(r *result) string {
	if len(r.records) > 0 {
		return d.value(jsontext.View(r.records[0]))
	}
	return d.show(r.message)
}

// compare tells how two results differ, each difference once.
func compare(a, b result, d display) (found []difference) {
	if x, y := a.outcome(), b.outcome(); x != y {
		return []difference{{Difference{Current: x, Candidate: y}, d.of(&a), d.of(&b)}}
	}
	known := map[Difference]bool{}
	for i := range a.records {
		if bytes.Equal(a.records[i], b.records[i]) {
			continue
		}
		for _, f := range values.Values(trimmed(a.records[i]), trimmed(b.records[i])) {
			if x := (Difference{f.Path, f.A, f.B}); !known[x] {
				known[x] = true
				found = append(found, difference{x, d.value(string(f.TextA)), d.value(string(f.TextB))})
			}
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return compareDifferences(a.Difference, b.Difference) })
	return found
}

// trimmed is a record as a value, without the blanks that may stand around it.
func trimmed(record []byte) jsontext.JSON { return jsontext.Of(bytes.TrimSpace(record)) }

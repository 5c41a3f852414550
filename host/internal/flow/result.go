package flow

import (
	"bytes"
	"fmt"
	"slices"

	values "github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A result is what a step made of one record.
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

// outcome describes the result, as in "emitted 2" or "rejected no_user".
func (r *result) outcome() string {
	switch r.verdict {
	case "emitted":
		return fmt.Sprintf("emitted %d", len(r.records))
	case "rejected":
		return "rejected " + r.code
	}
	return r.verdict
}

// A difference is a Difference with the text of each side, as far as it may be shown.
type difference struct {
	Difference
	current, candidate string
}

// A display decides what may be shown of records.
type display struct{ values, private bool }

func (d display) show(text string) string {
	if text != "" && d.private {
		return "(private)"
	}
	return values.Excerpt(text)
}

// value returns what may be shown of JSON text.
func (d display) value(raw string) string {
	if !d.values {
		return ""
	}
	return d.show(raw)
}

// result returns what may be shown of a result: of its first record or its message.
func (d display) result(r *result) string {
	if len(r.records) > 0 {
		return d.value(jsontext.View(r.records[0]))
	}
	return d.show(r.message)
}

// compare returns how two results differ, each difference once.
func compare(a, b result, d display) (found []difference) {
	if outA, outB := a.outcome(), b.outcome(); outA != outB {
		return []difference{{Difference{Current: outA, Candidate: outB}, d.result(&a), d.result(&b)}}
	}
	known := map[Difference]bool{}
	for i := range a.records {
		if bytes.Equal(a.records[i], b.records[i]) {
			continue
		}
		for _, f := range values.Values(trimmed(a.records[i]), trimmed(b.records[i])) {
			if diff := (Difference{f.Path, f.A, f.B}); !known[diff] {
				known[diff] = true
				found = append(found, difference{diff, d.value(string(f.TextA)), d.value(string(f.TextB))})
			}
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return compareDifferences(a.Difference, b.Difference) })
	return found
}

// trimmed returns a record as a value, without blanks around it.
func trimmed(record []byte) jsontext.JSON { return jsontext.Of(bytes.TrimSpace(record)) }

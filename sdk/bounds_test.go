package sdk

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestBounds holds that a record which becomes more rows or records than memory is meant for is rejected by name, without them, and that
// the next one is answered.
func TestBounds(t *testing.T) {
	row := slices.Concat([]byte(`{"a":"`), bytes.Repeat([]byte("x"), 1<<20), []byte(`"}`))
	for _, c := range []struct {
		reason, want string
		process      func(r *Record, emit func(*Record))
	}{
		{"rows", "want at most 16777216 bytes of rows of side outputs for one record, have more", func(r *Record, _ func(*Record)) {
			for range 100 {
				r.Side("rows", row)
			}
		}},
		{"many rows", "want at most 65536 side rows of one record, have more", func(r *Record, _ func(*Record)) {
			for range wire.MostRows(0) + 1 {
				r.Side("rows", []byte(`{}`))
			}
		}},
		{"records", "want at most 131072 records of one, have more", func(r *Record, emit func(*Record)) {
			for range wire.MostEmitted(0) + 1 {
				emit(r)
			}
		}},
	} {
		p := process(func(r *Record, emit func(*Record)) error {
			if r.Pos().Line == 1 {
				c.process(r, emit)
			}
			emit(r)
			return nil
		})
		w, kept := open(t, tester(p), false), 0
		var faults []wire.Fault
		var verdicts []byte
		err := w.Process(t.Context(), input(`{"a":1}`, `{"a":2}`), &space{grant: 100, most: 1 << 20}, func(r *wire.Reply) error {
			faults, verdicts, kept = append(faults, r.Faults...), append(verdicts, r.Verdicts...), kept+len(r.Sides)+len(r.Lengths)
			return nil
		})
		if err != nil || len(faults) != 1 || faults[0].Code != "too_large" || faults[0].Message != c.want || kept > 0 || !bytes.Equal(verdicts, []byte{byte(wire.Rejected), byte(wire.Unchanged)}) {
			t.Errorf("%s: want only the first record rejected for %q, have %+v, verdicts %v and %d rows or records (%v)", c.reason, c.want, faults, verdicts, kept, err)
		}
	}
}

package flow

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestCommonReason holds that rejects of one code and step count together, whatever their messages say, also over a state that was kept.
func TestCommonReason(t *testing.T) {
	at := func(line int64) receipt.Position { return receipt.Position{File: "a", Line: line} }
	for _, c := range []struct {
		name  string
		kinds []rejectKind
		want  Reason
	}{
		{"nothing was rejected", nil, Reason{}},
		{"each message has a position of its own", []rejectKind{{"bad_type", "b"}, {"bad_type", "b"}, {"error", "a"}, {"error", "a"}, {"error", "a"}}, Reason{"error", "a", "byte 2", 3, at(2)}},
		{"two steps have the code", []rejectKind{{"error", "a"}, {"error", "b"}, {"odd", "c"}, {"error", "b"}}, Reason{"error", "b", "byte 1", 2, at(1)}},
		{"of equals the first", []rejectKind{{"odd", "c"}, {"error", "a"}}, Reason{"odd", "c", "byte 0", 1, at(0)}},
	} {
		var have, kept Totals
		for i, kind := range c.kinds {
			have.reasons.add(kind, fmt.Sprint("byte ", i), at(int64(i)))
			state := have.state()
			kept.restore(&state)
		}
		for _, x := range []*Totals{&have, &kept} {
			if diff := cmp.Diff(c.want, x.CommonReason()); diff != "" {
				t.Errorf("%s (-want +have): %s", c.name, diff)
			}
		}
	}
	var many Totals
	for i := range 10 * maxReasons {
		many.reasons.add(rejectKind{"odd", "a"}, fmt.Sprint("name ", i), at(int64(i)))
		many.reasons.add(rejectKind{"error", "b"}, fmt.Sprint("byte ", i), at(int64(i)))
	}
	many.reasons.add(rejectKind{"error", "b"}, "", at(0))
	if have := many.CommonReason(); have.Code != "error" || have.Records != 10*maxReasons+1 {
		t.Errorf("want every record counted, however many messages there are, have %+v", have)
	}
}

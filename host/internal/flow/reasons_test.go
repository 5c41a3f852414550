package flow

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestCommonReason holds that rejects of one code and step count together, whatever their messages say, and that the message is the one that
// most have, also over a state that was kept.
func TestCommonReason(t *testing.T) {
	at := func(line int64) receipt.Position { return receipt.Position{File: "a", Line: line} }
	reason := func(code, step, message string, n, first int64) Reason {
		return Reason{Code: code, Step: step, Message: message, Records: n, First: at(first)}
	}
	for _, c := range []struct {
		name  string
		kinds []rejectKind
		says  []string // nil: each something of its own
		want  Reason
	}{
		{"nothing was rejected", nil, nil, Reason{}},
		{"each message has a position of its own", []rejectKind{{"bad_type", "b"}, {"bad_type", "b"}, {"error", "a"}, {"error", "a"}, {"error", "a"}}, nil, reason("error", "a", "byte 2", 3, 2)},
		{"two steps have the code", []rejectKind{{"error", "a"}, {"error", "b"}, {"odd", "c"}, {"error", "b"}}, nil, reason("error", "b", "byte 1", 2, 1)},
		{"of equals the first", []rejectKind{{"odd", "c"}, {"error", "a"}}, nil, reason("odd", "c", "byte 0", 1, 0)},
		{"the first says what few say", []rejectKind{{"error", "a"}, {"error", "a"}, {"odd", "c"}, {"error", "a"}}, []string{"rare", "common", "common", "common"},
			reason("error", "a", "common", 3, 1)},
	} {
		var have, kept Totals
		for i, kind := range c.kinds {
			message := fmt.Sprint("byte ", i)
			if c.says != nil {
				message = c.says[i]
			}
			have.reasons.add(kind, message, at(int64(i)))
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

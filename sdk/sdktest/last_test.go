package sdktest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
)

// total counts records, and tells how many there were.
var total = sdk.Plugin{
	Name: "total", Doc: "counts records", Ordered: true, Outputs: []string{"sum"},
	New: func(sdk.Args) (sdk.Processor, error) { return new(totalling), nil },
}

type totalling int

func (n *totalling) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	*n++
	emit(r)
	return nil
}

func (n *totalling) Finish(r *sdk.Record) error {
	r.Side("sum", []byte{'{', '"', 'n', '"', ':', '0' + byte(*n), '}'})
	r.Count("finished", 1)
	return nil
}

// TestLast holds that a last word is asked for in every way that a case runs, also when there was no record.
func TestLast(t *testing.T) {
	Files(t, total, "testdata/last/*.txtar")
	for _, inputs := range [][]string{nil, {"1", "2"}} {
		want := map[string][]string{"sum": {`{"n":` + string('0'+byte(len(inputs))) + `}`}}
		if diff := cmp.Diff(want, Last(t, total, "", inputs...)); diff != "" {
			t.Errorf("%d records (-want +have):\n%s", len(inputs), diff)
		}
	}
	if have := Flushed(t, total, "", "1"); have.Verdict != "" || len(have.Emitted) != 0 {
		t.Errorf("want nothing flushed by a plugin that holds nothing, have %v", have)
	}
	if have := Last(t, upper, `{"field":"text"}`); len(have) != 0 {
		t.Errorf("want no last word of a plugin that keeps no state, have %v", have)
	}
}

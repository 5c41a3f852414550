package sdktest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
)

// pairs joins every two records, and flushes the last one when it is left over.
var pairs = sdk.Plugin{
	Name: "pairs", Doc: "joins every two records", Ordered: true, Outputs: []string{"left"}, Labels: []string{"size"},
	New: func(sdk.Args) (sdk.Processor, error) { return &pairing{}, nil },
}

type pairing struct {
	held string
	of   []sdk.Pos
}

func (p *pairing) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if p.of == nil {
		p.held, p.of = string(r.JSON()), r.Origins()
		return sdk.Drop("held")
	}
	p.emit(r, fmt.Sprintf("[%s,%s]", p.held, r.JSON()), append(p.of, r.Pos()), emit)
	return nil
}

func (p *pairing) Flush(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if p.of != nil {
		r.Side("left", []byte(`{"n":1}`))
		p.emit(r, "["+p.held+"]", p.of, emit)
	}
	return nil
}

func (p *pairing) emit(r *sdk.Record, json string, of []sdk.Pos, emit func(*sdk.Record)) {
	pair := r.Derive([]byte(json))
	pair.SetOrigins(of...)
	pair.SetLabel("size", fmt.Sprint(len(of)))
	emit(pair)
	p.of = nil
}

// TestFlush holds that what a plugin flushes, and which records it says that a record was made of, is in the answers of every way that
// a case runs, and in the text of a case.
func TestFlush(t *testing.T) {
	Files(t, pairs, "testdata/flush/*.txtar")
	want := Result{Verdict: "emit", Emitted: []string{"[3]"}, Labels: []map[string]string{{"size": "1"}}, Origins: [][]int64{{3}}}
	if diff := cmp.Diff(want, Flushed(t, pairs, "", "1", "2", "3")); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	results, _ := Run(t, pairs, "", "1", "2")
	if diff := cmp.Diff([][]int64{{1, 2}}, results[1].Origins); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

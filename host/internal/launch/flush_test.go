package launch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// holding drops records and keeps their places. At the end it emits a record for each, and one of all.
var holding = sdk.Plugin{
	Name: "hold", Doc: "holds records until the end", Args: holdArgs{}, Ordered: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		h := &holder{}
		return h, a.Decode(&h.holdArgs)
	},
}

type holdArgs struct {
	Size int `hcl:"size"`
}

type holder struct {
	holdArgs
	places []sdk.Pos
}

func (h *holder) Process(_ context.Context, r *sdk.Record, _ func(*sdk.Record)) error {
	h.places = append(h.places, r.Origins()...)
	return sdk.Drop("held")
}

func (h *holder) Flush(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	for i := range h.places {
		one := r.Derive(fmt.Appendf(nil, `{"n":%d,"pad":%q}`, i, strings.Repeat("x", h.Size)))
		one.SetOrigins(h.places[i])
		emit(one)
	}
	all := r.Derive([]byte(`{"all":true}`))
	all.SetOrigins(h.places...)
	emit(all)
	return nil
}

// A flushLog sends what a step emits at the end to another step, and releases it as soon as that has answered.
type flushLog struct {
	next  func([]wire.Record) ([]wire.Record, error)
	lines []string
}

func (l *flushLog) Waiting(bool) {}

func (l *flushLog) Answer(a wire.Answer) error {
	out, err := l.next(a.Made)
	for _, r := range out {
		text := string(r.Data)
		if i := strings.Index(text, `,"pad":"`); i >= 0 {
			text = text[:i]
		}
		l.lines = append(l.lines, fmt.Sprintf("%s %s:%d %v %v", text, r.File, r.Line, r.Origins.List, r.Labels))
	}
	wire.ReleaseAll(out)
	return err
}

// A collecting receiver takes the records that go on.
type collecting struct{ out []wire.Record }

func (c *collecting) Waiting(bool) {}

func (c *collecting) Answer(a wire.Answer) error {
	for _, o := range a.Outcomes {
		c.out = append(c.out, o.Emitted...)
	}
	return nil
}

// TestFlush holds that what a step emits at the end comes in every mode, also when it is more than the step's memory, and that the
// next process edits it like any record and leaves its origins.
func TestFlush(t *testing.T) {
	const n, size = 40, 1 << 20
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			f := start(t, opts, Request{Plugin: "hold", Args: fmt.Appendf(nil, `{"size":%d}`, size)}, Request{Plugin: "mark", Args: []byte(`{"key":"k"}`)})
			hold, mark := f.Chains[0].Stages()[0], f.Chains[1].Stages()[0]
			if _, err := send(t.Context(), hold, records(t, f, strings.Split(strings.Repeat("1", n), "")...)); err != nil {
				t.Fatal(err)
			}
			l := &flushLog{next: func(in []wire.Record) ([]wire.Record, error) {
				c := &collecting{}
				err := mark.Process(t.Context(), in, c)
				wire.ReleaseAll(in)
				return c.out, err
			}}
			if err := hold.Process(t.Context(), nil, l); err != nil {
				t.Fatal(err)
			}
			if len(l.lines) != n+1 {
				t.Fatalf("want %d records, have %d", n+1, len(l.lines))
			}
			if want := "{\"n\":7 in.jsonl:8 [{in.jsonl 8}] [{marked k}]"; l.lines[7] != want {
				t.Errorf("want %s, have %s", want, l.lines[7])
			}
			if all := l.lines[n]; !strings.HasPrefix(all, `{"all":true,"k":true} in.jsonl:1 [{in.jsonl 1} {in.jsonl 2} `) || strings.Count(all, "in.jsonl") != n+1 {
				t.Errorf("want the record of all %d, have %s", n, all)
			}
			checkEmpty(t, f)
		})
	}
}

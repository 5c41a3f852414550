package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// spoil emits invalid JSON, or JSON that nests too deep, when the record says so.
var spoil = sdk.Plugin{
	Name: "spoil", Doc: "spoils records", Outputs: []string{"log"},
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			r.Count("seen", 1)
			switch r.Get("do").Str {
			case "spoil":
				emit(r.Derive([]byte(`{"a":`)))
				return nil
			case "deep":
				const levels = 10_000 // of a value that Set takes
				if err := r.SetRaw("to", []byte(strings.Repeat("[", levels)+strings.Repeat("]", levels))); err != nil {
					return err
				}
			case "row":
				r.Side("log", []byte(`[]`))
			case "panic":
				panic("as asked")
			}
			emit(r)
			return nil
		}), nil
	},
}

// A lastStepLog writes down the answers of the last step of a chain.
type lastStepLog struct {
	lines []string
	seen  int64
}

func (p *lastStepLog) Waiting(bool) {}

func (p *lastStepLog) Answer(a wire.Answer) error {
	last := a.Behind[len(a.Behind)-1]
	for _, o := range last.Outcomes {
		line := fmt.Sprint(o.Verdict)
		if o.Fault != nil {
			line += fmt.Sprintf(" %s %.8s %s", o.Fault.Code, o.Fault.Record, o.Fault.Message)
		}
		p.lines = append(p.lines, line)
	}
	for _, c := range last.Counts {
		p.seen += c.N
	}
	wire.ReleaseAll(a.Out)
	return nil
}

// TestUnfit checks that a step inside a chain rejects a record for which it emits invalid JSON, wherever that is in the
// batch, and that all others have one answer and are counted once.
func TestUnfit(t *testing.T) {
	const good, spoils, row, deep = `{"do":""}`, `{"do":"spoil"}`, `{"do":"row"}`, `{"do":"deep"}`
	const notJSON = "3 invalid_output {\"do\":\"s want JSON from plugin spoil, have 5 bytes that are not: want a value, have the end at byte 5"
	const notRow = "3 invalid_output {\"do\":\"r want a JSON object for output log, have 2 bytes that are none"
	const tooDeep = "3 invalid_output {\"do\":\"d want JSON from plugin spoil, have 920037 bytes that are not: want at most 1000 levels, have more at byte 901035"
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			if opts.Inline {
				t.Skip("a program without shared memory does not chain")
			}
			f := start(t, opts, Request{Plugin: "fan", Args: []byte(`{"n":1,"pad":900000}`)}, Request{Plugin: "spoil", Follows: true})
			if len(f.Chains) != 1 {
				t.Fatalf("want a chain, have %d crews", len(f.Chains))
			}
			for _, c := range []struct{ in, want []string }{
				{[]string{good, good, spoils, good, row, spoils, good}, []string{"0", "0", notJSON, "0", notRow, notJSON, "0"}},
				{[]string{row, good}, []string{notRow, "0"}},
				{[]string{good, deep, good}, []string{"0", tooDeep, "0"}},
			} {
				have := lastStepLog{}
				in := records(t, f, c.in...)
				err := f.Chains[0].Stages()[0].Process(t.Context(), in, &have)
				wire.ReleaseAll(in)
				if diff := cmp.Diff(c.want, have.lines); diff != "" || err != nil || have.seen != int64(len(in)) {
					t.Errorf("want %d records seen, have %d (%v; -want +have):\n%s", len(in), have.seen, err, diff)
				}
				checkEmpty(t, f)
			}
		})
	}
}

// TestCrashBehindUnfit checks that a crash names the record by its index in the batch, although a part of the batch was
// sent twice.
func TestCrashBehindUnfit(t *testing.T) {
	in := slices.Concat(slices.Repeat([]string{"{}"}, 40)[:8], []string{`{"do":"spoil"}`}, slices.Repeat([]string{"{}"}, 40)[:5], []string{`{"do":"panic"}`}, slices.Repeat([]string{"{}"}, 40)[:5])
	for _, opts := range []Options{{}, {InProcess: true}} {
		f, problems, err := tryStart(opts, Request{Plugin: "fan", Args: []byte(`{"n":1,"pad":900000}`)}, Request{Plugin: "spoil", Follows: true})
		if err != nil || problems != nil {
			t.Fatal(problems, err)
		}
		records := records(t, f, in...)
		have := lastStepLog{}
		err = f.Chains[0].Stages()[0].Process(t.Context(), records, &have)
		wire.ReleaseAll(records)
		crash, ok := errors.AsType[*flow.Crash](err)
		if !ok || crash.At != 14 || crash.Step != 1 || len(have.lines) > 14 {
			t.Errorf("want a crash over record 14 in step 1, have %+v (%v) after %d answers", crash, err, len(have.lines))
		}
		if spoilt := slices.IndexFunc(have.lines, func(s string) bool { return strings.HasPrefix(s, "3") }); spoilt >= 0 && spoilt != 8 {
			t.Errorf("want record 8 rejected, have %d", spoilt)
		}
		f.Abort()
	}
}

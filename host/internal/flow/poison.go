package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	values "github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A KeptViewError reports a step that makes something else of a record when the memory of earlier records is overwritten.
type KeptViewError struct {
	Plugin string
	At     receipt.Position // of the record; without a file after the last one
	What   string           // is different
}

// Error implements error.
func (e *KeptViewError) Error() string {
	at := "after the last record"
	if e.At.File != "" {
		at = e.At.String()
	}
	return fmt.Sprintf("%s: want plugin %s to answer as it does without --poison, have %s: it reads the memory of a record whose call "+
		"has returned, such as a view that it kept (Get returns copies), or it answers differently each time (sluice plugin verify finds out)",
		at, e.Plugin, e.What)
}

func isKeptView(err error) bool {
	_, ok := errors.AsType[*KeptViewError](err)
	return ok
}

// A poisonedStage sends every batch through two workers: first through one whose answers are only remembered, then through Stage,
// which overwrites the memory of each record once its call has returned. Where the answers differ, a step reads such memory.
type poisonedStage struct {
	Stage
	plain Stage
	chain []*Step
}

func (p poisonedStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	want := newEffects(p.chain)
	out.Waiting(true) // the clock of the plain worker is its own
	_, _, err := callStage(ctx, p.plain, in, &plainReceiver{in: in, effects: want})
	out.Waiting(false)
	if err != nil {
		return err
	}
	r := &poisonReceiver{Receiver: out, in: in, want: want, have: newEffects(p.chain)}
	_, refused, err := callStage(ctx, p.Stage, in, r)
	switch {
	case refused || ctx.Err() != nil:
		return err
	case err != nil:
		return r.failure(err)
	case len(in) == 0:
		return r.compare(true)
	}
	return nil
}

// effects are what the steps of a chain made of the records of a batch, in order.
type effects struct {
	chain []*Step
	of    [][]effect // for each step
	last  effect     // of Flush and Finish
}

// An effect is what a step made of one record, without its counts.
type effect struct {
	at receipt.Position
	result
	labels  [][]wire.Label
	origins []*wire.Origins
	rows    []wire.Side
}

func newEffects(chain []*Step) *effects {
	return &effects{chain: chain, of: make([][]effect, len(chain))}
}

// add adds an answer about records. It keeps no memory of theirs.
func (e *effects) add(in []wire.Record, a *wire.Answer) {
	if len(in) == 0 && len(a.Outcomes) == 0 {
		e.last.emit(a.Made)
		e.last.addRows(a.Sides)
		return
	}
	e.addStep(0, in, a)
	for i := range a.Behind {
		e.addStep(i+1, a.Behind[i].In, &a.Behind[i])
	}
}

func (e *effects) addStep(step int, in []wire.Record, a *wire.Answer) {
	from := len(e.of[step])
	for i := range a.Outcomes {
		o := &a.Outcomes[i]
		f := effect{at: positionOf(&in[i]), result: resultOf(&in[i], o)}
		f.records = nil
		switch o.Verdict {
		case wire.Emitted:
			f.emit(o.Emitted)
		case wire.Unchanged:
			f.verdict = "unchanged"
		}
		e.of[step] = append(e.of[step], f)
	}
	for i := range a.Sides {
		e.of[step][from+a.Sides[i].Index].addRows(a.Sides[i : i+1])
	}
}

func (f *effect) emit(records []wire.Record) {
	for i := range records {
		r := &records[i]
		f.records = append(f.records, slices.Clone(r.Data))
		f.labels, f.origins = append(f.labels, slices.Clone(r.Labels)), append(f.origins, r.Origins)
	}
}

func (f *effect) addRows(rows []wire.Side) {
	for _, s := range rows {
		f.rows = append(f.rows, wire.Side{Output: s.Output, JSON: slices.Clone(s.JSON)})
	}
}

// difference says what of have is not as in want, "" for nothing. It shows no values.
func (f *effect) difference(have *effect) string {
	if a, b := f.outcome(), have.outcome(); a != b {
		return b + ", not " + a
	}
	if f.message != have.message {
		return "a changed message"
	}
	for i := range f.records {
		if a, b := f.records[i], have.records[i]; !bytes.Equal(a, b) {
			return "a changed record" + firstPath(a, b)
		}
	}
	if !reflect.DeepEqual(f.labels, have.labels) {
		return "changed labels"
	}
	if !reflect.DeepEqual(f.origins, have.origins) {
		return "changed origins"
	}
	for i := range min(len(f.rows), len(have.rows)) {
		if a, b := f.rows[i], have.rows[i]; a.Output != b.Output || !bytes.Equal(a.JSON, b.JSON) {
			return "a changed row of output " + a.Output + firstPath(a.JSON, b.JSON)
		}
	}
	if a, b := len(f.rows), len(have.rows); a != b {
		return fmt.Sprintf("%s beside the stream, not %d", plural.Of(b, "row"), a)
	}
	return ""
}

// firstPath names the first place where two values differ, as far as it may be shown.
func firstPath(a, b []byte) string {
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	differ, _ := values.Values(jsontext.JSON(jsontext.View(a)), jsontext.JSON(jsontext.View(b)), nil)
	if len(differ) == 0 || differ[0].Path == "" {
		return ""
	}
	return " at " + differ[0].Path
}

// A plainReceiver remembers the answers of the plain worker and releases their memory.
type plainReceiver struct {
	*effects
	in []wire.Record // not answered yet
}

func (p *plainReceiver) Waiting(bool) {}

func (p *plainReceiver) Answer(a wire.Answer) error {
	p.add(p.in[:len(a.Outcomes)], &a)
	p.in = p.in[len(a.Outcomes):]
	release(&a)
	return nil
}

// release releases the memory of an answer that goes nowhere.
func release(a *wire.Answer) {
	for i := range a.Outcomes {
		wire.ReleaseAll(a.Outcomes[i].Emitted)
	}
	wire.ReleaseAll(a.Made)
	for i := range a.Behind {
		release(&a.Behind[i])
	}
}

// A poisonReceiver passes on the answers of a poisoned worker that are those of the plain one.
type poisonReceiver struct {
	Receiver
	in         []wire.Record // not answered yet
	want, have *effects
	compared   []int // records, for each step
}

func (p *poisonReceiver) Answer(a wire.Answer) error {
	p.have.add(p.in[:len(a.Outcomes)], &a)
	p.in = p.in[len(a.Outcomes):]
	if err := p.compare(false); err != nil {
		release(&a)
		return err
	}
	return p.Receiver.Answer(a)
}

// compare returns an error for the first effect that differs, in the order of the steps. Up to there all steps got the same.
func (p *poisonReceiver) compare(last bool) error {
	if p.compared == nil {
		p.compared = make([]int, len(p.have.of))
	}
	for step, have := range p.have.of {
		want := p.want.of[step]
		for i := p.compared[step]; i < len(have); i++ {
			what := "one record more"
			if i < len(want) {
				what = want[i].difference(&have[i])
			}
			if what != "" {
				return p.found(step, have[i].at, what)
			}
			want[i], have[i] = effect{}, effect{} // their memory
		}
		p.compared[step] = len(have)
	}
	if last {
		if what := p.want.last.difference(&p.have.last); what != "" {
			return p.found(0, receipt.Position{}, what)
		}
	}
	return nil
}

func (p *poisonReceiver) found(step int, at receipt.Position, what string) error {
	return &wire.StepError{Step: step, Err: &KeptViewError{Plugin: p.have.chain[step].Plugin, At: at, What: what}}
}

// failure returns the error of a poisoned worker that failed where the plain one did not.
func (p *poisonReceiver) failure(err error) error {
	step, at := 0, receipt.Position{}
	if len(p.in) > 0 {
		at = positionOf(&p.in[0])
	}
	if stepErr, ok := errors.AsType[*wire.StepError](err); ok {
		step = stepErr.Step
	}
	if bad, ok := errors.AsType[*RecordError](err); ok {
		at = bad.At
	}
	if crash, ok := errors.AsType[*Crash](err); ok {
		step = crash.Step
		if answered := len(p.have.of[0]); crash.At >= answered && crash.At-answered < len(p.in) {
			at = positionOf(&p.in[crash.At-answered])
		}
	}
	return p.found(step, at, fmt.Sprintf("an error (%v)", err))
}

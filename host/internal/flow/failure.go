package flow

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A StepFailure is an error of a step that ends the run.
type StepFailure struct {
	Step string   // TYPE.NAME
	At   Position // of the first record that may have caused it; without a file when no record has
	err  error
}

// Error implements error. The text names step and records.
func (f *StepFailure) Error() string { return f.err.Error() }

// Unwrap returns the error without step and records.
func (f *StepFailure) Unwrap() error { return f.err }

// failure returns the error of a batch of which so many records were answered. It names the record that the worker was
// at, or those that are left.
func (s *Step) failure(ctx context.Context, in []wire.Record, answered int, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(in) == 0 {
		return &StepFailure{Step: s.Name, err: fmt.Errorf("step %s: after the last record: %w", s.Name, err)}
	}
	left, step := in[min(answered, len(in)-1):], s
	fail := func(format string, args ...any) error {
		return &StepFailure{step.Name, positionOf(&left[0]), fmt.Errorf(format, args...)}
	}
	if stepErr, ok := errors.AsType[*wire.StepError](err); ok {
		step = s.chain()[stepErr.Step]
	}
	if limit, ok := errors.AsType[*crashLimitError](err); ok {
		step = s.chain()[limit.last.Step]
		return fail("%s: want at most %d crashes of step %s in a run, have %d: %w", rangeText(left), maxCrashes, step.Name, maxCrashes+1, limit.last)
	}
	crash, ok := errors.AsType[*Crash](err)
	if !ok {
		return fail("step %s: %w", step.Name, err)
	}
	step = s.chain()[crash.Step]
	if crash.At >= answered && crash.At < len(in) {
		left = in[crash.At : crash.At+1]
	}
	others := ""
	if n := len(s.stages); n > 1 {
		others = fmt.Sprintf(", over this or the record of another of its %d workers", n)
	}
	if s.Ordered {
		return fail("%s: step %s: %w; it keeps state from record to record, so no record can be set aside", rangeText(left), step.Name, err)
	}
	return fail("%s: step %s: %w%s; on_crash = \"reject\" in its host block sets such records aside and goes on",
		rangeText(left), s.suspects(crash), err, others)
}

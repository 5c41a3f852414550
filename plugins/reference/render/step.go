package render

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// New returns a step that emits the row of the Python renderer.
func New() sdk.Processor {
	var row []byte
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		var reason string
		row, reason = Append(jsontext.Reuse(row), jsontext.Of(r.JSON()))
		if reason != "" {
			return sdk.Reject("not_rendered", "", "want a row the reference renders: %s", reason)
		}
		emit(r.Derive(row))
		return nil
	})
}

// NewCheck returns a step that emits the canonical rows which the Python renderer renders, unchanged. That renderer tries the
// other shapes on a row that fails, so the step declines such a row.
func NewCheck() sdk.Processor {
	var row []byte
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		var reason string
		row, reason = Append(row[:0], jsontext.Of(r.JSON()))
		switch reason {
		case "":
			emit(r)
			return nil
		case ReasonAuxiliary:
			return sdk.Reject("auxiliary", "", "want a row for training, have one of the repair loop")
		case ReasonBoundary, ReasonInteger:
			return sdk.Reject("reference_error", "", "want a row the reference can read: %s", reason)
		}
		return sdk.Decline(reason)
	})
}

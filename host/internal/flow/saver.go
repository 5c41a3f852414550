package flow

import (
	"context"
	"io"
)

// A Saver is a Stage that may be able to write down the state of its step, so that another run goes on from there. It is called when
// no call of Process is under way.
type Saver interface {
	Stage
	Saves() bool // the other methods can be called

	// Save writes the state to w and leaves the stage as it is. An error of w is returned as it is; after any other the stage is gone.
	Save(ctx context.Context, w io.Writer) error
	// Restore goes on from what Save wrote, once, before the first call of Process. After an error the stage is gone.
	Restore(ctx context.Context, r io.Reader) error
}

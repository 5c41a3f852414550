package sdktest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// maxResumes is about how often a case is interrupted: between all of its records unless they are many.
const maxResumes = 32

// saves reports whether the processors of p are Savers.
func saves(p sdk.Plugin, args string) bool {
	w, bad := worker(p, args, false)
	if len(bad) > 0 {
		return false
	}
	defer w.Close()
	s, ok := w.(wire.Saver)
	return ok && s.Saves()
}

// resumed runs p in this process. Every few records it goes on with a new processor from the state that the last one saved.
func resumed(p sdk.Plugin, args string, inputs []string) (outcome, error) {
	w, bad := worker(p, args, true)
	if len(bad) > 0 {
		return outcome{Bad: bad}, nil
	}
	in := records(inputs)
	c := newCollector(in)
	process := func(in []wire.Record) error { return processDirectly(p, w, in, c) }
	size, err := max(1, len(in)/maxResumes), error(nil)
	for from := 0; err == nil && from < len(in); from += size {
		if err = process(in[from:min(from+size, len(in))]); err == nil {
			w, err = resume(p, args, w, &c.outcome)
		}
	}
	if err == nil && p.Ordered {
		err = process(nil)
	}
	return c.done(errors.Join(err, end(w, &c.outcome)))
}

// resume returns a new worker with the state of w, which it ends.
func resume(p sdk.Plugin, args string, w wire.Worker, o *outcome) (wire.Worker, error) {
	var state bytes.Buffer
	if err := w.(wire.Saver).Save(&state); err != nil {
		return w, fmt.Errorf("save: %w", err)
	}
	next, bad := worker(p, args, true)
	if len(bad) > 0 {
		return w, fmt.Errorf("want the same attributes taken again, have %v", bad)
	}
	if err := next.(wire.Saver).Restore(&state); err != nil {
		return w, errors.Join(fmt.Errorf("restore: %w", err), next.Close())
	}
	return next, end(w, o)
}

// end closes a worker and notes the mistake that it found.
func end(w wire.Worker, o *outcome) error {
	if m, ok := w.(interface{ Mistake() error }); ok {
		o.mistake = cmp.Or(o.mistake, m.Mistake())
	}
	return w.Close()
}

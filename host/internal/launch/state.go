package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

var _ flow.Saver = (*worker)(nil)

// Saves implements flow.Saver: an ordered step has one worker, and a chain to itself.
func (w *worker) Saves() bool { return w.chain.saves && w.chain.Info.Ordered }

// Save implements flow.Saver. The step's timeout limits the time for each piece of the state.
func (w *worker) Save(ctx context.Context, out io.Writer) error {
	return w.moveState(ctx, "save its state", &stateStream{out: out})
}

// Restore implements flow.Saver.
func (w *worker) Restore(ctx context.Context, in io.Reader) error {
	return w.moveState(ctx, "go on from its state", &stateStream{in: in})
}

// moveState moves the state of the step to or from a stream of the host. An error of the stream itself is returned as it is.
func (w *worker) moveState(ctx context.Context, what string, s *stateStream) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit := w.chain.Timeout; limit > 0 {
		late := fmt.Errorf("want a piece of it within %v, have silence", limit)
		s.limit, s.timer = limit, time.AfterFunc(limit, func() { cancel(late) })
	}
	defer s.end()
	err := w.exchangeState(ctx, s)
	switch {
	case s.failed != nil:
		return s.failed
	case err != nil:
		return fmt.Errorf("step %s: %s: %w", w.chain.Name, what, err)
	}
	return nil
}

func (w *worker) exchangeState(ctx context.Context, s *stateStream) error {
	if w.chain.opts.InProcess {
		return w.localState(ctx, s)
	}
	p, err := w.chain.ensureProcess(ctx)
	if err != nil {
		return err
	}
	if s.out != nil {
		err = p.workers[w.n].Save(ctx, s)
	} else {
		err = p.workers[w.n].Restore(ctx, s)
	}
	if err == nil || s.failed != nil && s.out != nil { // the rest of the state was passed over
		return err
	}
	err = p.callError(ctx, err, wire.Spot{Record: -1})
	w.chain.reap(p, err)
	return err
}

// localState moves the state of the worker in this process. When ctx ends it is abandoned.
func (w *worker) localState(ctx context.Context, s *stateStream) error {
	if w.local == nil {
		return w.chain.noRestartError()
	}
	l := w.local
	saver := l.saver()
	done := make(chan error, 1)
	move := func() error { return saver.Restore(s) }
	if s.out != nil {
		move = func() error { return saver.Save(s) }
	}
	go func() { done <- l.guard(move) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		w.chain.fleet.abandoned.Store(true)
		err = context.Cause(ctx)
	}
	if err != nil && (s.failed == nil || s.out == nil) {
		w.local = nil
	}
	return err
}

// saver returns the worker if it can save the state of its step, or nil.
func (l *localWorker) saver() wire.Saver {
	if s, ok := l.worker.(wire.Saver); ok && s.Saves() {
		return s
	}
	return nil
}

// A stateStream is what the host writes a state to, or reads it from. While it waits for the plugin its timer runs.
type stateStream struct {
	out io.Writer // one of the two
	in  io.Reader

	limit time.Duration
	timer *time.Timer // nil: no limit

	mu     sync.Mutex
	ended  bool
	failed error // of out or in
}

func (s *stateStream) Write(p []byte) (int, error) { return s.use(s.out.Write, p) }

func (s *stateStream) Read(p []byte) (int, error) { return s.use(s.in.Read, p) }

func (s *stateStream) use(move func([]byte) (int, error), p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, errors.New("the call is over")
	}
	if s.timer != nil {
		s.timer.Stop()
		defer s.timer.Reset(s.limit)
	}
	n, err := move(p)
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

// end keeps an abandoned worker from using the stream.
func (s *stateStream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

package launch

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// closeTries is how often a step without order is closed. The second time tells whether its process was killed, or ends each time.
const closeTries = 2

// close closes the processors, then the process. When the process ends meanwhile, or is not done in time, it is started and closed again,
// where a crash may be isolated: all records have been answered by then, and what a processor kept of them any crash would have lost. A
// plugin that keeps state would close without it, so that run fails, and so it does when the new process ends too.
func (c *Chain) close(ctx context.Context) error {
	err, again := c.closeOnce(ctx)
	for try := 1; again && try < closeTries && c.Restarts() < c.Step.Restarts; try++ {
		first := err // it knows the step, which a process without records does not note
		if _, err = c.ensureProcess(ctx); err != nil {
			break
		}
		if err, again = c.closeOnce(ctx); isCrash(err) {
			err = first
		}
	}
	var stepErr *wire.StepError
	switch {
	case err == nil:
		return nil
	case c.Candidate:
		c.CloseErr = err
		return nil
	case errors.As(err, &stepErr):
		return fmt.Errorf("step %s: %w", c.steps()[stepErr.Step].Name, err)
	}
	return fmt.Errorf("step %s: %w", c.Name, err)
}

// closeOnce closes the processors and ends their process. again reports whether another process may be closed in its place.
func (c *Chain) closeOnce(ctx context.Context) (err error, again bool) {
	closing := ctx
	if !c.opts.Idle { // without records the time it takes says nothing about the plugin
		var stop context.CancelFunc
		closing, stop = c.limit(ctx, "its processors closed")
		defer stop()
	}
	if c.opts.InProcess {
		return c.closeLocal(closing), false
	}
	p := c.current()
	if p == nil {
		return nil, false
	}
	err = c.closeProcess(closing, p)
	crash, crashed := errors.AsType[*flow.Crash](err)
	ended := crashed && !crash.Breach || closing.Err() != nil && ctx.Err() == nil
	return err, err != nil && ended && c.Restart && !c.Info.Ordered
}

func (c *Chain) closeProcess(ctx context.Context, p *process) error {
	var g errgroup.Group
	for _, w := range p.workers {
		g.Go(func() error { return w.Close(ctx) })
	}
	err := g.Wait()
	if err != nil {
		at := c.closingSpot()
		if err = p.callError(ctx, err, at); isCrash(err) {
			err = crashAtClose(err, at)
		}
		c.reap(p, err)
		return err
	}
	if p.client != nil {
		p.client.Kill() // asks the process to exit first
	}
	c.reap(p, nil)
	return nil
}

// crashAtClose returns the crash of a plugin that closes as that of its step.
func crashAtClose(err error, at wire.Spot) error {
	return &wire.StepError{Step: at.Step, Err: fmt.Errorf("%w while it closed", err)}
}

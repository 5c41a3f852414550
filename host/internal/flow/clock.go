package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A timedStage cancels a call that goes without an answer for too long.
type timedStage struct {
	Stage
	limit time.Duration
}

func (t *timedStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := &Crash{How: fmt.Sprintf("want an answer within %v, have none", t.limit), At: -1}
	c := &clock{Receiver: out, limit: t.limit, left: t.limit, since: time.Now()}
	c.timer = time.AfterFunc(t.limit, func() { cancel(late) })
	defer c.timer.Stop()
	err := t.Stage.Process(ctx, in, c)
	if err == nil || context.Cause(ctx) != error(late) {
		return err
	}
	if crash, ok := errors.AsType[*Crash](err); ok { // the stage may know the record
		return crash
	}
	return late
}

// A clock stops while the worker waits for the host, and is reset by each answer.
type clock struct {
	Receiver
	timer *time.Timer
	limit time.Duration
	left  time.Duration
	since time.Time
}

func (c *clock) Answer(a wire.Answer) error {
	c.pause()
	if len(a.Outcomes) > 0 {
		c.left = c.limit
	}
	err := c.Receiver.Answer(a)
	c.resume()
	return err
}

func (c *clock) Waiting(begins bool) {
	if begins {
		c.pause()
	}
	c.Receiver.Waiting(begins)
	if !begins {
		c.resume()
	}
}

func (c *clock) pause() {
	c.timer.Stop()
	c.left -= time.Since(c.since)
}

func (c *clock) resume() {
	c.since = time.Now()
	c.timer.Reset(max(c.left, 0))
}

package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// timed ends a call that gives no answer for too long.
type timed struct {
	Stage
	limit time.Duration
}

func (t *timed) Process(ctx context.Context, in []wire.Record, out Receiver) error {
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
	if crash, ok := errors.AsType[*Crash](err); ok { // it may know the record
		return crash
	}
	return late
}

// A clock stands still while the host is busy, and starts anew with each answer.
type clock struct {
	Receiver
	timer *time.Timer
	limit time.Duration
	left  time.Duration
	since time.Time
}

func (c *clock) Answer(a wire.Answer) error {
	c.hold()
	if len(a.Outcomes) > 0 {
		c.left = c.limit
	}
	err := c.Receiver.Answer(a)
	c.run()
	return err
}

func (c *clock) Waiting(begins bool) {
	if begins {
		c.hold()
	}
	c.Receiver.Waiting(begins)
	if !begins {
		c.run()
	}
}

func (c *clock) hold() {
	c.timer.Stop()
	c.left -= time.Since(c.since)
}

func (c *clock) run() {
	c.since = time.Now()
	c.timer.Reset(max(c.left, 0))
}

package launch

import (
	"context"
	"fmt"
	"sync"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A localCall is one batch in a worker of this process. It is the wire.Space that the worker writes to.
type localCall struct {
	*localWorker
	ctx       context.Context
	out       flow.Receiver
	validator wire.Validator
	mem       []byte // of the granted region
	used      int
	broken    bool // the worker cannot be used again

	mu        sync.Mutex // held while the worker uses the host: then it cannot be abandoned
	abandoned bool
}

// run answers the batch. A panic is a crash.
func (c *localCall) run(in []wire.Record) (err error) {
	defer func() {
		if r := recover(); r != nil {
			how := fmt.Sprintf("panic: %v", r)
			at := c.spot()
			if c.chain.steps()[at.Step].Info.Private { // the message of a panic may hold text of a record
				how = "panic"
			}
			err = crash(how, at)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.abandoned {
			c.validator.End()
		}
	}()
	switch err := c.worker.Process(c.ctx, in, c, c.reply); {
	case err == wire.ErrUnfit:
		c.worker.Check()
		c.checks = true
		return err
	case err != nil:
		c.broken = true
		return err
	}
	c.note.Store(0)
	if n := c.validator.Answered(); n != len(in) {
		c.broken = true
		return fmt.Errorf("plugin %s broke the protocol: want %d records answered, have %d", c.chain.Location.Name, len(in), n)
	}
	return nil
}

// abandon detaches the worker, once it is not using the host: from there it always returns.
func (c *localCall) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = true
}

// enter begins a use of the host. On success c.mu is held.
func (c *localCall) enter() error {
	c.mu.Lock()
	if c.abandoned {
		c.mu.Unlock()
		return context.Cause(c.ctx)
	}
	return nil
}

func (c *localCall) reply(r *wire.Reply) error {
	if r.Empty() {
		return nil
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	a, err := c.validator.Admit(r)
	if err != nil || a.Empty() {
		return err
	}
	return c.out.Answer(a)
}

// The methods below implement wire.Space.

func (c *localCall) Take(n int) (uint64, []byte) {
	if n > len(c.mem)-c.used {
		return 0, nil
	}
	at := c.used
	c.used += n
	return uint64(at), c.mem[at : at+n : at+n]
}

func (c *localCall) Untake(n int) { c.used -= n }

func (c *localCall) Note(at wire.Spot) { c.note.Store(at.Note()) }

func (c *localCall) Limit() int { return c.arena.Cap() }

// localRegion is how many bytes a worker takes at a time.
const localRegion = 2 << 20

func (c *localCall) Grow(ctx context.Context, n int) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	c.validator.End()
	c.out.Waiting(true)
	defer c.out.Waiting(false)
	region, err := c.arena.Alloc(ctx, max(n, min(localRegion, c.arena.Budget())))
	if err != nil {
		return err
	}
	c.validator.Grant(region, 0)
	c.mem, c.used = region.Bytes(), 0
	return nil
}

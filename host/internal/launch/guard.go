package launch

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// guard calls code of the chain's plugins in this process. A panic there is a crash, told as that of a process is.
func (l *localWorker) guard(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			at := l.spot()
			err = crash(l.chain.panicText(r, at), at)
		}
	}()
	return call()
}

// panicText returns the first line of a panic, as it may be shown. That of a private step may hold text of a record.
func (c *Chain) panicText(value any, at wire.Spot) string {
	var steps []int // of which one has panicked
	for i := range c.steps() {
		if at.Record < 0 || i == at.Step {
			steps = append(steps, i)
		}
	}
	if c.private(steps) {
		return "panic"
	}
	text, _, _ := strings.Cut(fmt.Sprintf("panic: %v", value), "\n")
	if c.opts.Hide != nil {
		text = c.opts.Hide(text)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxLine)], "\uFFFD")
}

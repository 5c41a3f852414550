package sdk

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestTallyMerges holds that a figure that a record counts again and again takes memory once, and that its sum stays bounded.
func TestTallyMerges(t *testing.T) {
	var c tally
	for range 1000 {
		c.add("a", 2)
	}
	c.add("b", 1<<62)
	c.add("b", 1<<62)
	c.add("a", 1)
	if n := len(c.pending); n > 4 {
		t.Errorf("want at most 4 increments, have %d", n)
	}
	c.settle(true)
	c.keep()
	if have := c.drain(); len(have) != 2 || have[0].N != 2001 || have[1].N != wire.MaxCount {
		t.Errorf("want a 2001 and b %d, have %v", int64(wire.MaxCount), have)
	}
}

package source

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

type closing struct {
	io.Reader
	closed atomic.Bool // a pump may close twice, from two goroutines
}

func (c *closing) Close() error {
	c.closed.Store(true)
	return nil
}

// What a pump opened it closes, both at the end and when nobody wants the rest.
func TestPumpCloses(t *testing.T) {
	for _, wanted := range []int{0, 1, 1 << 10} {
		synctest.Test(t, func(t *testing.T) {
			src := &closing{Reader: strings.NewReader(strings.Repeat("x", 100))}
			p := startPump(pipeBuffers, closedBy(func() (io.ReadCloser, error) { return src, nil }))
			if _, err := io.ReadAll(io.LimitReader(p, int64(wanted))); err != nil {
				t.Fatal(err)
			}
			p.stop()
			synctest.Wait()
			if !src.closed.Load() {
				t.Errorf("not closed after %d bytes", wanted)
			}
		})
	}
}

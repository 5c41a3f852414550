package rows

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestDrop protects scans that somebody waits for or asks about from those that others begin, and memory from all the rest.
func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &Index{}
		add := func(name string, ended bool, waiting int) {
			s := &scan{of: reading{Text: name}, ended: make(chan struct{}), asked: time.Now(), waiting: waiting}
			_, s.cancel = context.WithCancel(t.Context())
			if ended {
				close(s.ended)
			}
			x.drop()
			x.scans = append(x.scans, s)
		}
		add("forgotten", false, 0)
		add("waited for", false, 1)
		add("ended", true, 0)
		time.Sleep(unasked + time.Second)
		add("asked for", false, 0)
		for i := range mostKept {
			add(fmt.Sprint(i), true, 0)
		}
		var left []string
		for _, s := range x.scans {
			left = append(left, s.of.Text)
			s.cancel()
		}
		if want := []string{"waited for", "asked for", "0", "1", "2", "3", "4", "5", "6", "7"}; !slices.Equal(left, want) {
			t.Errorf("want %v, have %v", want, left)
		}
	})
}

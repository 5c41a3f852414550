package rows

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestDrop protects scans that somebody asks about from those that others begin, and memory from all the rest.
func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &Index{}
		add := func(name string, ended bool) {
			s := &scan{of: reading{Text: name}, ended: make(chan struct{}), asked: time.Now()}
			_, s.cancel = context.WithCancel(t.Context())
			if ended {
				close(s.ended)
			}
			x.drop()
			x.scans = append(x.scans, s)
		}
		add("forgotten", false)
		add("ended", true)
		time.Sleep(unasked + time.Second)
		add("asked for", false)
		for i := range mostKept {
			add(fmt.Sprint(i), true)
		}
		var left []string
		for _, s := range x.scans {
			left = append(left, s.of.Text)
			s.cancel()
		}
		if want := []string{"asked for", "0", "1", "2", "3", "4", "5", "6", "7"}; !slices.Equal(left, want) {
			t.Errorf("want %v, have %v", want, left)
		}
	})
}

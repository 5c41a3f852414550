package wire

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestArenaOrder(t *testing.T) {
	ctx := t.Context()
	trimmed := 0
	a := NewArena(make([]byte, 1000), 100, func(_, n int) { trimmed += n })
	alloc := func(n int) *Region {
		r, err := a.Alloc(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	first, second := alloc(40), alloc(40)
	if first.Offset() != 0 || second.Offset() != 40 {
		t.Errorf("want regions at 0 and 40, have %d and %d", first.Offset(), second.Offset())
	}
	second.Shrink(10)
	third := alloc(50) // fits only because of the shrink
	if third.Offset() != 50 {
		t.Errorf("want what was given back used first, at 50, have %d", third.Offset())
	}
	first.Release()
	if r := alloc(30); r.Offset() != 0 {
		t.Errorf("want the lowest place, 0, have %d", r.Offset())
	} else {
		r.Release()
	}

	// A request larger than the budget waits for everything else, and those behind it wait for it.
	large, small := make(chan *Region), make(chan *Region)
	go func() { r, _ := a.Alloc(ctx, 900); large <- r }()
	waitFor(a, 1)
	go func() { r, _ := a.Alloc(ctx, 10); small <- r }()
	waitFor(a, 2)
	second.Release()
	third.Release()
	r := <-large
	if r.Offset() != 0 || len(r.Bytes()) != 900 {
		t.Errorf("want 900 bytes at 0, have %d at %d", len(r.Bytes()), r.Offset())
	}
	r.Release()
	if trimmed != 800 {
		t.Errorf("want the 800 bytes beyond the budget given back, have %d", trimmed)
	}
	(<-small).Release()
	if n := a.InUse(); n != 0 {
		t.Errorf("want an empty arena, have %d bytes in use", n)
	}
}

// waitFor spins until n requests wait in line.
func waitFor(a *Arena, n int) {
	for {
		a.mu.Lock()
		have := len(a.waiting)
		a.mu.Unlock()
		if have == n {
			return
		}
	}
}

func TestArenaCancel(t *testing.T) {
	a := NewArena(make([]byte, 100), 100, nil)
	held, err := a.Alloc(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := a.Alloc(ctx, 50); done <- err }()
	waitFor(a, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("want a cancelled wait, have %v", err)
	}
	held.Release()
	if r, err := a.Alloc(t.Context(), 100); err != nil {
		t.Errorf("want the arena whole after a cancelled wait, have %v", err)
	} else {
		r.Release()
	}
	if _, err := a.Alloc(t.Context(), 101); !errors.Is(err, ErrTooLarge) {
		t.Errorf("want more than the capacity refused, have %v", err)
	}
}

// TestArenaCancelServes holds that a wait that is given up lets in those behind it, which may have waited for it only.
func TestArenaCancelServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewArena(make([]byte, 100), 100, nil)
		held, err := a.Alloc(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = a.Alloc(ctx, 90) }()
		synctest.Wait()
		small := make(chan *Region, 1)
		go func() {
			r, err := a.Alloc(t.Context(), 20)
			if err != nil {
				t.Error(err)
			}
			small <- r
		}()
		synctest.Wait()
		if len(small) > 0 {
			t.Error("want requests met in line, have one met before those in front of it")
		}
		cancel()
		(<-small).Release()
		held.Release()
	})
}

func TestReferences(t *testing.T) {
	a := NewArena(make([]byte, 100), 100, nil)
	r, err := a.Alloc(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	records := []Record{{Mem: r}, {Mem: nil}, {Mem: r}, {Mem: r}}
	RetainAll(records)
	r.Release()
	if a.InUse() != 10 {
		t.Error("want the region held by its records")
	}
	ReleaseAll(records)
	if a.InUse() != 0 {
		t.Error("want the region free when its last record is")
	}
	defer func() {
		if recover() == nil {
			t.Error("want a release too many to be caught")
		}
	}()
	r.Release()
}

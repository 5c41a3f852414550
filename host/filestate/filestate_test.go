//go:build linux || darwin

package filestate

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

// TestOf protects what is not read again: two files have two states, one that nobody touches keeps its own, and no time that somebody
// sets is part of it.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	state := func(name string) State {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s, known := Of(info)
		if !known {
			t.Fatalf("want the state of %s known", name)
		}
		return s
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b := state("a"), state("b")
	if a != state("a") {
		t.Errorf("want one state of a file that nobody touches, have %v and %v", a, state("a"))
	}
	if a.Device != b.Device || a.Number == b.Number {
		t.Errorf("want two numbers on one device, have %v and %v", a, b)
	}
	old := time.Unix(1, 0)
	if err := os.Chtimes(filepath.Join(dir, "a"), old, old); err != nil {
		t.Fatal(err)
	}
	if have := state("a"); have.Changed.Before(a.Changed) {
		t.Errorf("want a time that nobody sets, have %v after %v", have.Changed, a.Changed)
	}
	info, err := fstest.MapFS{"a": {}}.Stat("a")
	if err != nil {
		t.Fatal(err)
	}
	if s, known := Of(info); known {
		t.Errorf("want nothing known of a file that no system has, have %v", s)
	}
}

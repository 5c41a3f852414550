//go:build unix

package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// waitForClose waits until nobody reads from the pipe any more. It writes nothing, since that would wake a reader.
func waitForClose(w *os.File) error {
	defer w.Close()
	pipe := []unix.PollFd{{Fd: int32(w.Fd())}}
	_, err := unix.Poll(pipe, -1)
	for err == unix.EINTR {
		_, err = unix.Poll(pipe, -1)
	}
	return err
}

// A pipe without a writer cannot be opened, and to wait for one must not keep a run from ending. A writer that comes
// later finds nobody, and nothing is left behind: TestMain looks for goroutines.
func TestWaitingForAWriterEndsWithTheContext(t *testing.T) {
	for _, kind := range textKinds() {
		name := fifo(t)
		s, err := open(t, kind, options(Options{Paths: []string{name}}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := next(t, ctx, s, newArena(1<<10)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: have %v", kind, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		// Whether somebody was waiting already or is about to depends on when the context ended. Opened like this a pipe
		// waits for nobody, and stays open for whoever comes late, who then has to go.
		if _, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// A writer that says nothing does not keep the pipe open either.
func TestCloseLeavesAnIdleWriter(t *testing.T) {
	name := fifo(t)
	s, err := open(t, "jsonl", options(Options{Paths: []string{name}}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		w, err := os.OpenFile(name, os.O_WRONLY, 0)
		cancel() // the reader is there, and waits for what does not come
		left <- errors.Join(err, waitForClose(w))
	}()
	if _, err := s.Next(ctx, newArena(1<<10)); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

func TestPipe(t *testing.T) {
	for _, kind := range textKinds() {
		sample, name := sampleOf(t, kind), fifo(t)
		s, err := open(t, kind, options(Options{Paths: []string{name}}))
		if err != nil {
			t.Fatal(err)
		}
		wrote := make(chan error)
		go func() { wrote <- os.WriteFile(name, []byte(sample.text), 0) }()
		want := sample.want[:len(sample.want)/2]
		if rows, err := drain(t, s, newArena(1<<10)); err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s: have %q, %v, want %q", kind, rows, err, want)
		}
		if err := <-wrote; err != nil {
			t.Error(err)
		}
		if in := s.Inputs(); len(in) != 1 || in[0].Changed {
			t.Errorf("%s: have %+v", kind, in)
		}
	}
}

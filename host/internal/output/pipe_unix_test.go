//go:build unix

package output

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe is written as it stands and has one writer; a device may have many.
func TestPipesAndDevices(t *testing.T) {
	inFolder(t, nil, map[string]string{"link": "pipe", "null": "/dev/null"})
	must(t, syscall.Mkfifo("pipe", 0o666))
	read := make(chan string)
	go func() {
		f, err := os.Open("pipe")
		if err != nil {
			read <- err.Error()
			return
		}
		data, _ := io.ReadAll(f)
		f.Close()
		read <- string(data)
	}()
	s := newSet(t)
	pipe := addSink(t, s, "a", "pipe")
	null := addSink(t, s, "b", "null")
	addSink(t, s, "c", "/dev/null")
	prepare(t, s)
	must(t, pipe.Write(records("1", "2")))
	must(t, null.Write(records("3")))
	files := finish(t, s)
	must(t, s.Commit())
	if have := <-read; have != "1\n2\n" {
		t.Errorf("the reader has %q", have)
	}
	if len(files) != 3 || files[0].Records != 2 || files[0].Bytes != 4 || files[1].Records != 1 {
		t.Errorf("have %+v", files)
	}
	info, err := os.Lstat("pipe")
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is gone: %v, %v", info, err)
	}

	again := New(Options{Run: testRun})
	addSink(t, again, "a", "pipe")
	addSink(t, again, "b", "link")
	if len(again.Conflicts()) != 1 {
		t.Errorf("have %v for two writers of a pipe", again.Conflicts())
	}
}

// Nobody reads the pipe: the wait for a reader can be interrupted.
func TestPipeWithoutReader(t *testing.T) {
	inFolder(t, nil, nil)
	must(t, syscall.Mkfifo("pipe", 0o666))
	s := newSet(t)
	addSink(t, s, "sink a", "pipe")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := s.Prepare(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "sink a: pipe: want a reader of the pipe") {
		t.Errorf("have %v", err)
	}
}

// A reader that has gone is no failure of the run's own, so the caller must be able to tell.
func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	defer w.Close()
	s := New(Options{Run: testRun, Stdout: w})
	sink := addSink(t, s, "a", "-")
	prepare(t, s)
	must(t, r.Close())
	if err := sink.Write(records("1")); !errors.Is(err, syscall.EPIPE) || err.Error() != "-: broken pipe" {
		t.Errorf("have %v", err)
	}
	if _, err := s.Finish(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("have %v at the end", err)
	}
	must(t, s.Abort())
}

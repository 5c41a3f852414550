package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// processes are the modes out of process.
var processes = map[string]Options{"shared memory": {}, "inline": {Inline: true}}

// TestCrash checks that the error of a crash says how the process ended, with the record where it is noted, and that the
// next call starts a new process.
func TestCrash(t *testing.T) {
	cases := []struct{ reason, do, how string }{
		{"a panic is told by its first line", "panic", "panic: as asked (exit status 2)"},
		{"an exit by its status", "exit", "exit status 3"},
	}
	for mode, opts := range processes {
		for _, c := range cases {
			t.Run(mode+"/"+c.reason, func(t *testing.T) {
				f := start(t, opts, Request{Plugin: "trouble", Restart: true})
				st := f.Chains[0].Stages()[0]
				_, err := send(t.Context(), st, records(t, f, `{"n":1}`, `{"n":2}`, fmt.Sprintf(`{"do":%q}`, c.do), `{"n":4}`))
				crash, ok := errors.AsType[*flow.Crash](err)
				if !ok || crash.How != c.how {
					t.Fatalf("want a crash by %q, have %v", c.how, err)
				}
				want := 2
				if opts.Inline { // there is no memory to note it in
					want = -1
				}
				if crash.At != want {
					t.Errorf("want record %d at hand, have %d", want, crash.At)
				}
				if have, err := send(t.Context(), st, records(t, f, `{"n":1}`)); err != nil || have != "{\"n\":1}\n" {
					t.Errorf("want a new process for the next batch, have %q (%v)", have, err)
				}
				checkEmpty(t, f)
			})
		}
	}
	t.Run("in process", func(t *testing.T) {
		f := start(t, Options{InProcess: true}, Request{Plugin: "trouble", Restart: true})
		st := f.Chains[0].Stages()[0]
		_, err := send(t.Context(), st, records(t, f, `{"n":1}`, `{"do":"panic"}`))
		if crash, ok := errors.AsType[*flow.Crash](err); !ok || crash.How != "panic: as asked" || crash.At != 1 {
			t.Errorf("want a crash at record 1, have %v", err)
		}
		if have, err := send(t.Context(), st, records(t, f, `{"n":1}`)); err != nil || have != "{\"n\":1}\n" {
			t.Errorf("want a new processor for the next batch, have %q (%v)", have, err)
		}
		checkEmpty(t, f)
	})
}

// TestPrivateCrash checks that the panic message of a private plugin, which may hold text of a record, is not shown.
func TestPrivateCrash(t *testing.T) {
	for mode, opts := range modes {
		f := start(t, opts, Request{Plugin: "discreet", Restart: true})
		_, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, `{"do":"panic"}`))
		if !isCrash(err) || strings.Contains(err.Error(), "as asked") {
			t.Errorf("%s: want a crash without the words of the panic, have %v", mode, err)
		}
	}
}

// TestCrashOfMany checks that the end of a process reaches all of its workers at once, without one waiting for another's
// stream: twenty processes with four workers.
func TestCrashOfMany(t *testing.T) {
	f := start(t, Options{}, Request{Plugin: "trouble", Workers: 4, Restart: true})
	for range 20 {
		var g sync.WaitGroup
		for n, st := range f.Chains[0].Stages() {
			in := records(t, f, `{"n":1}`, `{"n":2}`)
			if n == 0 {
				in = append(in, records(t, f, `{"do":"panic"}`)...)
			}
			g.Go(func() {
				_, err := send(t.Context(), st, in)
				if _, ok := errors.AsType[*flow.Crash](err); err != nil && !ok {
					t.Errorf("worker %d: want an answer or a crash, have %v", n, err)
				}
			})
		}
		g.Wait()
	}
	checkEmpty(t, f)
}

// TestStartedOnce checks that a plugin that keeps state is not restarted silently.
func TestStartedOnce(t *testing.T) {
	for mode, opts := range modes {
		want := "panic: as asked" // once more
		if opts.InProcess {
			want = "started once"
		}
		for reason, r := range map[string]Request{
			"restarts are off": {Plugin: "trouble"}, "it keeps state from record to record": {Plugin: "counting", Restart: true},
		} {
			f := start(t, opts, r)
			st := f.Chains[0].Stages()[0]
			if _, err := send(t.Context(), st, records(t, f, `{"do":"panic"}`)); err == nil {
				t.Errorf("%s: want a crash", mode)
			}
			if _, err := send(t.Context(), st, records(t, f, `{"n":1}`)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: want no second process, have %v", mode, reason, err)
			}
		}
	}
}

// TestFirstCause holds that all workers of a process that a crash of one has ended tell that crash, whether they were in a call or begin
// one, since any of them may be the first to end the run.
func TestFirstCause(t *testing.T) {
	for mode, opts := range processes {
		inCall := make(chan struct{}, 2)
		opts.Log = func(_, line string) {
			if line == "on stderr" {
				inCall <- struct{}{}
			}
		}
		f := start(t, opts, Request{Plugin: "trouble", Workers: 3})
		stages := f.Chains[0].Stages()
		want := &flow.Crash{How: "want an answer within 2s, have silence", At: -1}
		wantIt := func(worker string, err error) {
			if crash, ok := errors.AsType[*flow.Crash](err); !ok || crash.How != want.How {
				t.Errorf("%s: %s: want %v, have %v", mode, worker, want, err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		var g sync.WaitGroup
		for n, ctx := range []context.Context{ctx, t.Context()} {
			in := records(t, f, `{"do":"say"}`, `{"do":"hang"}`)
			g.Go(func() {
				_, err := send(ctx, stages[n], in)
				wantIt([]string{"the one that hangs", "one in a call"}[n], err)
			})
			<-inCall
		}
		cancel(want)
		g.Wait()
		_, err := send(t.Context(), stages[2], records(t, f, `{"n":1}`))
		wantIt("one that begins a call", err)
	}
}

// TestFirstError holds that when one worker of a process ends the run with its words, another in a call, or one that begins a call, tells
// the same, and not that the process has been killed for it.
func TestFirstError(t *testing.T) {
	for mode, opts := range processes {
		inCall := make(chan struct{}, 1)
		opts.Log = func(_, line string) {
			if line == "on stderr" {
				inCall <- struct{}{}
			}
		}
		f := start(t, opts, Request{Plugin: "trouble", Workers: 3})
		stages := f.Chains[0].Stages()
		wantIt := func(worker string, err error) {
			if err == nil || err.Error() != "cannot go on" {
				t.Errorf("%s: %s: want the words of the first, have %v", mode, worker, err)
			}
		}
		hanging := records(t, f, `{"do":"say"}`, `{"do":"hang"}`)
		var g sync.WaitGroup
		g.Go(func() {
			_, err := send(t.Context(), stages[0], hanging)
			wantIt("one in a call", err)
		})
		<-inCall
		_, err := send(t.Context(), stages[1], records(t, f, `{"do":"fatal"}`))
		wantIt("the first", err)
		g.Wait()
		_, err = send(t.Context(), stages[2], records(t, f, `{"n":1}`))
		wantIt("one that begins a call", err)
	}
}

// TestHang checks that a call ends with its context, whatever the plugin does, and that a time-out is a crash.
func TestHang(t *testing.T) {
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			f, _, err := tryStart(opts, Request{Plugin: "trouble", Restart: true})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Abort()
			st := f.Chains[0].Stages()[0]
			cause := &flow.Crash{How: "want an answer within 200ms, have silence", At: -1}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, cause)
			defer cancel()
			_, err = send(ctx, st, records(t, f, `{"n":1}`, `{"do":"hang"}`))
			crash, ok := errors.AsType[*flow.Crash](err)
			if !ok || crash.How != cause.How {
				t.Errorf("want the limit that was passed, have %v", err)
			}
			if have, err := send(t.Context(), st, records(t, f, `{"n":1}`)); err != nil || have != "{\"n\":1}\n" {
				t.Errorf("want a new process after it, have %q (%v)", have, err)
			}
		})
	}
}

// TestCancelStart checks that a start ends with its context when the program prints no handshake.
func TestCancelStart(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script(t, dir, "silent", "touch "+started+"; exec sleep 100")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
		}
	}()
	began := time.Now()
	opts := defaults(Options{Finder: Finder{Dir: dir}})
	_, problems, err := Start(ctx, opts, []Request{{Name: "silent.x", Plugin: "silent", Workers: 1}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("want the cancellation, have %v %v", problems, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("want an end with the context, have it after %v", took)
	}
}

// TestStartTimeout holds that a program has time to start, however short the timeout of its step is.
func TestStartTimeout(t *testing.T) {
	for _, c := range []struct{ timeout, want time.Duration }{
		{0, math.MaxInt64}, {time.Millisecond, 30 * time.Second}, {5 * time.Minute, 5 * time.Minute},
	} {
		chain := &Chain{Step: &Step{Request: Request{Timeout: c.timeout}}}
		if have := chain.startTimeout(); have != c.want {
			t.Errorf("with a timeout of %v: want %v to start, have %v", c.timeout, c.want, have)
		}
	}
}

// TestClose checks that errors of closing are returned, and that closing has a time limit.
func TestClose(t *testing.T) {
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			f, _, err := tryStart(opts, Request{Plugin: "closing", Args: []byte(`{"how":"error"}`)})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "step closing.x: could not flush") {
				t.Errorf("want the processor's error, have %v", err)
			}
			f, _, err = tryStart(opts, Request{Plugin: "closing", Args: []byte(`{"how":"panic"}`)})
			if err != nil {
				t.Fatal(err)
			}
			err = f.Close(t.Context())
			if want := "step closing.x: the plugin ended: panic: as asked"; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), " while it closed") {
				t.Errorf("want %q, have %v", want, err)
			}
			f, _, err = tryStart(opts, Request{Plugin: "closing", Args: []byte(`{"how":"hang"}`), Timeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "want its processors closed within 2s") {
				t.Errorf("want the limit told, have %v", err)
			}
		})
	}
	f, _, err := tryStart(Options{}, Request{Plugin: "closing", Args: []byte(`{"how":"exit"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "the plugin ended: exit status 4 while it closed") {
		t.Errorf("want an exit told, have %v", err)
	}
}

// TestGrandchild checks that the host does not wait for a child of a plugin that keeps its stderr open, nor for the end of
// an endless line, and that it does not keep all of that line.
func TestGrandchild(t *testing.T) {
	shown := 0
	f, _, err := tryStart(Options{Log: func(_, line string) { shown += len(line) }}, Request{Plugin: "trouble"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, `{"do":"grandchild"}`, `{"do":"shout"}`)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := f.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("want an end without the child, have it after %v", took)
	}
	if shown > maxLine {
		t.Errorf("want at most %d bytes of a line shown, have %d", maxLine, shown)
	}
}

// TestFatal checks that an error that ends the run is not taken for a crash, and comes with the record of the batch that it is about.
func TestFatal(t *testing.T) {
	for mode, opts := range modes {
		f := start(t, opts, Request{Plugin: "trouble", Restart: true})
		_, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, `{}`, `{}`, `{"do":"fatal"}`, `{}`))
		if isCrash(err) || err == nil || err.Error() != "cannot go on" {
			t.Errorf("%s: want the plugin's own words, have %v", mode, err)
		}
		if of, ok := errors.AsType[*flow.RecordError](err); !ok || of.At.Line != 3 {
			t.Errorf("%s: want line 3 named, have %+v", mode, of)
		}
	}
}

// TestMemoryLimit checks that private and shared memory of a process count.
func TestMemoryLimit(t *testing.T) {
	for _, do := range []string{"eat", "eat shared"} {
		f := start(t, Options{}, Request{Plugin: "trouble", Memory: 256 << 20})
		_, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, fmt.Sprintf(`{"do":%q}`, do)))
		if err == nil || !strings.Contains(err.Error(), "memory: want at most 256MiB, have more") {
			t.Errorf("%s: want a crash for memory, have %v", do, err)
		}
	}
}

// TestCrashOfAnother holds that a worker whose call ends with the crash of another has a copy of it: each goes on to change its own.
func TestCrashOfAnother(t *testing.T) {
	first := &flow.Crash{How: "panic: as asked", At: 3}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("step s: %w", first))
	err := (&process{}).callError(ctx, errors.New("cut off"), wire.Spot{})
	if crash, ok := errors.AsType[*flow.Crash](err); !ok || crash == first || crash.How != first.How {
		t.Errorf("want a copy of %v, have %v", first, err)
	}
}

// TestLongLinesHideSecrets holds that no part of a secret is shown which a line is cut within, wherever in the line it is.
func TestLongLinesHideSecrets(t *testing.T) {
	const secret = "hunter2-and-more"
	for _, c := range []struct {
		reason, line string
		shown        int // bytes at least
	}{
		{"before the cut", strings.Repeat("a", maxLine-20) + secret + strings.Repeat("b", 100), maxLine},
		{"across the cut", strings.Repeat("a", maxLine-8) + secret, maxLine},
		{"across the end of what is read", strings.Repeat("a", 2*maxLine-8) + secret, maxLine},
		{"so often that what follows moves up", strings.Repeat(secret+"-", 3*maxLine/len(secret)), 1},
	} {
		var shown []string
		tail := &logTail{hide: strings.NewReplacer(secret, "(sensitive)").Replace, show: func(line string) { shown = append(shown, line) }, released: true}
		w := &lineWriter{tail: tail}
		if _, err := w.Write([]byte(c.line + "\nnext\n")); err != nil {
			t.Fatal(err)
		}
		w.flush()
		if len(shown) != 2 || shown[1] != "next" || len(shown[0]) < c.shown || len(shown[0]) > maxLine {
			t.Fatalf("%s: want a line of at most %d bytes and the next, have %.100q", c.reason, maxLine, shown)
		}
		if strings.Contains(strings.ReplaceAll(shown[0], "(sensitive)", ""), "hunter") {
			t.Errorf("%s: have a part of the secret: %q", c.reason, shown[0][len(shown[0])-40:])
		}
	}
}

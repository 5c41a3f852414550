//go:build unix

package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

func init() { builtIns = append(builtIns, frail, mortal, waiting) }

type frailArgs struct {
	File string `hcl:"file"` // has a line for each time that it was started
	Kill int    `hcl:"kill"` // how often it is killed
}

// frail is killed the first times that it is started.
var frail = sdk.Plugin{
	Name: "frail",
	Doc:  "is killed while it starts",
	Args: frailArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg frailArgs
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		before, err := os.ReadFile(cfg.File)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(cfg.File, append(before, '\n'), 0o600); err != nil {
			return nil, err
		}
		if len(before) < cfg.Kill {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return sdk.Map(func(*sdk.Record) error { return nil }), nil
	},
}

// TestKilledAtStart holds that a process which someone kills while it starts is started again, a few times, and that this is an
// error of the run and no mistake in the pipeline.
func TestKilledAtStart(t *testing.T) {
	for _, c := range []struct {
		kill   int
		starts int
		want   string
	}{
		{0, 1, ""},
		{startTries - 1, startTries, ""},
		{startTries, startTries, "was killed each of the 3 times that it was started: the plugin ended: signal: killed"},
	} {
		file := filepath.Join(t.TempDir(), "starts")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f, problems, err := tryStart(Options{}, Request{Plugin: "frail", Args: fmt.Appendf(nil, `{"file":%q,"kill":%d}`, file, c.kill)})
		if problems != nil || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("killed %d times: want %q, have %v and %v", c.kill, c.want, problems, err)
		}
		if f != nil {
			f.Abort()
		}
		if lines, err := os.ReadFile(file); err != nil || len(lines) != c.starts {
			t.Errorf("killed %d times: want %d starts, have %d (%v)", c.kill, c.starts, len(lines), err)
		}
	}
}

// TestKilledBeforeWork holds that a process which someone kills just before its workers begin is told as one that is killed at any other time.
func TestKilledBeforeWork(t *testing.T) {
	f, _, err := tryStart(Options{}, Request{Plugin: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	p := f.Chains[0].current()
	protocol, err := p.client.Client()
	if err != nil {
		t.Fatal(err)
	}
	client, err := rpc.Dispense(protocol)
	if err != nil {
		t.Fatal(err)
	}
	about, err := client.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.runner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.runner.ended
	for err = nil; err == nil; { // until its connection is known to be lost, too
		err = p.openWorkers(client, true, about)
	}
	if !isCrash(err) || err.Error() != "the plugin ended: signal: killed" {
		t.Errorf("want the end of the process, have %v", err)
	}
}

// TestShortage holds that a plugin which cannot be started since this process may have no more files is an error of the run and no
// mistake in the pipeline, whichever file it is that fails.
func TestShortage(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	own.mu.Lock()
	own.program = nil // it is opened anew, which fails too, and not for ever
	own.mu.Unlock()
	last, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	failed := 0
	for more := uint64(1); ; more++ {
		limit := before
		limit.Cur = uint64(last.Fd()) + more
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		f, problems, err := tryStart(Options{}, Request{Plugin: "trouble"})
		if problems != nil || err != nil && !isShortage(err) {
			t.Errorf("%d more files: want an error that says what the system lacks, have %v and %v", more, problems, err)
		}
		if f != nil {
			f.Abort()
		}
		if err == nil {
			break
		}
		failed++
	}
	if failed == 0 {
		t.Error("want a limit that is too low, have none")
	}
}

type mortalArgs struct {
	File string `hcl:"file"` // has a line for each time that it was closed
	Kill int    `hcl:"kill"` // how often it is killed
	How  string `hcl:"how,optional"`
}

// mortal is killed the first times that it closes.
var mortal = sdk.Plugin{
	Name: "mortal",
	Doc:  "is killed while it closes",
	Args: mortalArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg mortalArgs
		return dying{closing{&closingArgs{}}, &cfg}, a.Decode(&cfg)
	},
}

type dying struct {
	closing
	*mortalArgs
}

func (d dying) Close() error {
	before, err := os.ReadFile(d.File)
	if err != nil {
		return err
	}
	if err := os.WriteFile(d.File, append(before, '\n'), 0o600); err != nil {
		return err
	}
	if len(before) < d.Kill {
		if d.mortalArgs.How == "hang" {
			select {}
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return nil
}

// TestKilledAtClose holds that a process which someone kills while it closes, or which does not close in time, ends no run that isolates
// crashes: it is started and closed again.
func TestKilledAtClose(t *testing.T) {
	again := Request{Plugin: "mortal", Restart: true, Restarts: 1, Timeout: 2 * time.Second}
	for _, c := range []struct {
		reason, how string
		kill        int
		change      func(*Request)
		closes      int
		want        string
	}{
		{reason: "it closes", closes: 1},
		{reason: "killed once", kill: 1, closes: 2},
		{reason: "without an answer once", how: "hang", kill: 1, closes: 2},
		{reason: "killed each time", kill: 2, closes: 2, want: "the plugin ended: signal: killed while it closed"},
		{reason: "without an answer each time", how: "hang", kill: 2, closes: 2, want: "want its processors closed within 2s, have silence"},
		{reason: "no restart is left", kill: 1, closes: 1, want: "signal: killed while it closed", change: func(r *Request) { r.Restarts = 0 }},
		{reason: "a crash ends the run", kill: 1, closes: 1, want: "signal: killed while it closed", change: func(r *Request) { r.Restart = false }},
	} {
		file := filepath.Join(t.TempDir(), "closes")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r := again
		if r.Args = fmt.Appendf(nil, `{"file":%q,"kill":%d,"how":%q}`, file, c.kill, c.how); c.change != nil {
			c.change(&r)
		}
		f, problems, err := tryStart(Options{}, r)
		if err != nil || problems != nil {
			t.Fatal(problems, err)
		}
		if err := f.Close(t.Context()); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		if lines, err := os.ReadFile(file); err != nil || len(lines) != c.closes {
			t.Errorf("%s: want it closed %d times, have %d (%v)", c.reason, c.closes, len(lines), err)
		}
	}
}

type waitingArgs struct {
	File string `hcl:"file"` // a pipe, if there is one
}

// waiting does what the record says. A pipe holds up its start until it is closed, once.
var waiting = sdk.Plugin{
	Name: "wait",
	Doc:  "waits while it starts",
	Args: waitingArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg waitingArgs
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		if _, err := os.ReadFile(cfg.File); err == nil {
			_ = os.Remove(cfg.File)
		}
		return sdk.Map(misbehave), nil
	},
}

// A waitLog says when a worker waits for its process.
type waitLog struct {
	answerLog
	waits chan<- struct{}
}

func (w *waitLog) Waiting(begins bool) {
	if begins {
		w.waits <- struct{}{}
	}
}

// TestProgressWhileStarting holds that whoever reports on a chain does not wait for a process that starts, and that of several workers
// which wait for one, one starts it.
func TestProgressWhileStarting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipe")
	f := start(t, Options{}, Request{Plugin: "wait", Args: fmt.Appendf(nil, `{"file":%q}`, file), Workers: 2, Restart: true, Timeout: time.Minute})
	chain := f.Chains[0]
	if _, err := send(t.Context(), chain.Stages()[0], records(t, f, `{"do":"panic"}`)); !isCrash(err) {
		t.Fatalf("want a crash, have %v", err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	waits := make(chan struct{}, 9)
	var workers sync.WaitGroup
	for n, st := range chain.Stages() {
		in := records(t, f, `{"n":1}`)
		workers.Go(func() {
			w := &waitLog{answerLog{in: in}, waits}
			err := st.Process(t.Context(), in, w)
			wire.ReleaseAll(in)
			if err != nil || w.String() != "{\"n\":1}\n" {
				t.Errorf("worker %d: want its answer, have %q (%v)", n, w.String(), err)
			}
		})
	}
	<-waits
	<-waits
	pipe, err := os.OpenFile(file, os.O_WRONLY, 0) // it opens when the plugin reads it
	if err != nil {
		t.Fatal(err)
	}
	restarts := chain.Restarts()
	chain.Usage()
	if ended := chain.Ended(); restarts != 1 || ended.Exit != "exit status 2" {
		t.Errorf("want 1 restart and the end of the first process, have %d and %q", restarts, ended.Exit)
	}
	pipe.Close()
	workers.Wait()
	if have := chain.Restarts(); have != 1 {
		t.Errorf("want one process started for both workers, have %d", have)
	}
}

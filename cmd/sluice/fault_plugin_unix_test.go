//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

func init() { testPlugins["fault"] = serving(fault) }

type faultArgs struct {
	Calm     bool   `hcl:"calm,optional"`     // does nothing bad
	Declines bool   `hcl:"declines,optional"` // leaves every record to the next
	Close    string `hcl:"close,optional"`    // how it ends: "error", "exit", "killed once" or well
	Pipe     string `hcl:"pipe,optional"`     // told the process's id when a record asks to wait; or a file that is there once it was killed
}

// fault marks records, and fails in the way that one of them asks for.
var fault = sdk.Plugin{
	Name: "fault",
	Doc:  "marks records and fails as asked",
	Args: faultArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg faultArgs
		return failing{&cfg}, a.Decode(&cfg)
	},
}

type failing struct{ *faultArgs }

// neverHangsOn is closed when the tests of hanging are over, for those that hang in the process of the tests.
var neverHangsOn = make(chan struct{})

// alone tells whether the plugin has a process of its own.
func alone() bool { return os.Getenv(rpc.AliveEnv) != "" }

func (f failing) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if f.Declines {
		return sdk.Decline("not mine")
	}
	if !f.Calm {
		if err := f.fail(ctx, r.Get("do").String()); err != nil {
			return err
		}
	}
	if err := r.Set("by", "fault"); err != nil {
		return err
	}
	emit(r)
	return nil
}

func (f failing) fail(ctx context.Context, how string) error {
	switch how {
	case "crash":
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return err
		}
		select {}
	case "exit":
		os.Exit(3)
	case "eat":
		eaten := []byte{1}
		for {
			eaten = append(eaten, eaten...)
		}
	case "hang":
		<-neverHangsOn
	case "panic":
		panic("as asked")
	case "wait":
		return f.wait(ctx)
	case "read the environment":
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		return cmp.Or(err, fmt.Errorf("read %q", env))
	case "stray":
		return f.stray()
	}
	return nil
}

// wait tells that the record is at hand, and holds it. The pipe stays open as long as whoever holds it is there.
func (f failing) wait(ctx context.Context) error {
	pipe, err := os.OpenFile(f.Pipe, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer pipe.Close()
	if _, err := fmt.Fprintln(pipe, os.Getpid()); err != nil {
		return err
	}
	if alone() {
		select {}
	}
	<-ctx.Done()
	return ctx.Err()
}

// stray leaves processes that end of nothing but SIGKILL, one of them in a session of its own, before it waits as one itself. All
// hold the pipe.
func (f failing) stray() error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	pipe, err := os.OpenFile(f.Pipe, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, own := range []bool{false, true} {
		child := exec.Command("/bin/sh", "-c", "trap '' HUP TERM INT QUIT; while :; do sleep 9; done")
		child.ExtraFiles = []*os.File{pipe}
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		if err := child.Start(); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(pipe, os.Getpid()); err != nil {
		return err
	}
	select {}
}

func (f failing) Close() error {
	switch {
	case f.Calm:
		return nil
	case f.faultArgs.Close == "error":
		return errors.New("could not flush")
	case f.faultArgs.Close == "exit":
		os.Exit(3)
	case f.faultArgs.Close == "killed once" && os.Mkdir(f.Pipe, 0o700) == nil:
		return f.fail(context.Background(), "crash")
	}
	return nil
}

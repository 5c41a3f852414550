//go:build unix

package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	scriptCommands["fifo"] = fifo
	scriptCommands["feed"] = feed
	scriptCommands["interrupt"] = interrupt
	scriptCommands["ended"] = ended
	scriptCommands["evilname"] = evilName
}

// fifo makes a named pipe.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "fifo FILE")
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o666))
}

// feed writes a file into a named pipe, which stays open until the script ends.
func feed(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "feed PIPE FILE")
	text := ts.ReadFile(args[1])
	pipe, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	ts.Defer(func() { pipe.Close() })
	_, err = pipe.WriteString(text)
	ts.Check(err)
}

// interrupt waits for the word of the plugin "herald" and then interrupts the one program in the background.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	programs := ts.BackgroundCmds()
	want(ts, neg, len(args) == 1 && len(programs) == 1, "interrupt PIPE, with one program in the background")
	b := ts.Value(backgroundKey{}).(*background)
	b.program = programs[0]
	pid, err := strconv.Atoi(ts.ReadFile(args[0]))
	ts.Check(err)
	b.children = append(children(b.program.Process.Pid), pid)
	ts.Check(b.program.Process.Signal(os.Interrupt))
}

// children are the processes that a process has started, as far as the system tells.
func children(pid int) (pids []int) {
	tasks, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	for _, task := range tasks {
		list, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + task.Name() + "/children")
		for _, field := range strings.Fields(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// ended wants the exit code of the program that was interrupted, and none of its processes left.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	b := ts.Value(backgroundKey{}).(*background)
	want(ts, neg, len(args) == 1 && b.program != nil, "ended CODE, after interrupt and wait")
	if have := strconv.Itoa(b.program.ProcessState.ExitCode()); have != args[0] {
		ts.Fatalf("want exit code %s, have %s", args[0], have)
	}
	for _, pid := range b.children {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			ts.Fatalf("want no process left, have %d (%v)", pid, err)
		}
	}
}

// evilName writes a file whose name would colour a terminal and forge a line of the program, and which is no gzip file.
func evilName(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 0, "evilname")
	const name = "evil\x1b[31mRED\a\nsluice: forged.jsonl.gz"
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte("{}\n"), 0o666))
}

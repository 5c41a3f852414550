package chaos

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A fault is what goes wrong in one run: at a call that the host makes to the system, or at a record that a plugin is given.
type fault struct {
	kind string
	at   class // of the call
	n    int   // number of the call
	step string
	id   int64 // of the record
	once bool  // the plugin does it only once, not each time it is given the record

	most uint64 // of what the host may have, when that is limited

	happened bool
	struck   string // kind of the call that failed
}

func (f *fault) String() string {
	if f.step != "" {
		return fmt.Sprintf("%s in %s at record %d (once: %v, happened: %v)", f.kind, f.step, f.id, f.once, f.happened)
	}
	return fmt.Sprintf("%s at call %d of class %d (happened: %v, to %s)", f.kind, f.n, f.at, f.happened, f.struck)
}

// effect is what may come of a fault.
type effect int

const (
	ends    effect = iota // the run may fail, and then leaves everything as it was
	rejects               // the run may fail, or reject the record
	refuses               // the run rejects the record
	passes                // the run does as without the fault
)

// effects has what may come of each kind of fault.
var effects = map[string]effect{
	"panic": rejects, "exit0": rejects, "exit1": rejects, "kill": rejects, "segv": rejects, "stop": rejects, "memory": rejects, "hang": rejects,
	"nonsense": refuses, "huge": refuses, "late": rejects,
	"flood-out": passes, "flood-err": passes, "slow": passes, "child": passes, "grandchild": passes, "deaf": passes,
	"host-kill": ends, "host-term": ends, "host-int": ends, "host-hup": ends, "host-stop": passes,

	"kill at call": ends, "term at call": ends, "int at call": ends, "hup at call": ends, "stop at call": passes,
	"power loss": ends, "EIO": ends, "ENOSPC": ends, "EACCES": ends, "EINTR": passes, "full disk": ends, "slow disk": passes,
	"plugin killed": rejects, "plugin stopped": passes,
	"clock jump": passes, "slow reader": passes, "stalled reader": passes, "file size limit": ends, "open file limit": ends,
}

// interrupts are the faults that ask the program to end.
var interrupts = map[string]bool{
	"host-term": true, "host-int": true, "host-hup": true, "term at call": true, "int at call": true, "hup at call": true,
}

// ended is how the end of a plugin is told, which some kinds of faults cause.
var ended = map[string]*regexp.Regexp{
	"panic": regexp.MustCompile(`the plugin ended: panic: as ordered`), "exit0": regexp.MustCompile(`the plugin ended: exit status 0`),
	"exit1": regexp.MustCompile(`the plugin ended: exit status 1`), "kill": killed, "plugin killed": killed,
	"segv": regexp.MustCompile(`the plugin ended: signal: segmentation fault`), "stop": silent, "hang": silent,
	"memory": regexp.MustCompile(`the plugin ended: memory: want at most 200MiB, have [0-9.]+MiB`),
}

var (
	killed = regexp.MustCompile(`the plugin ended: signal: killed`)
	silent = regexp.MustCompile(`the plugin ended: want an answer within 2s, have none`)
)

var (
	atRecords = []string{"panic", "exit0", "exit1", "kill", "kill", "segv", "nonsense", "huge", "late", "flood-out", "flood-err", "slow", "child",
		"grandchild", "deaf", "host-kill", "host-kill", "host-term", "host-int", "host-hup", "host-stop"}
	inHurry = []string{"stop", "memory", "hang"}
	atCalls = []string{"kill at call", "kill at call", "kill at call", "term at call", "int at call", "hup at call", "stop at call", "power loss",
		"power loss", "EIO", "ENOSPC", "EACCES", "EINTR", "full disk", "slow disk"}
	atPlugins = []string{"plugin killed", "plugin killed", "plugin stopped"}
	atReaders = []string{"slow reader", "stalled reader"}
	atStarts  = []string{"clock jump", "clock jump", "file size limit", "open file limit"}
)

func drawFault(r *rand.Rand, w *world) *fault {
	f := &fault{once: r.IntN(2) == 0}
	some := atCalls
	switch {
	case w.piped != "" && r.IntN(5) == 0:
		some = atReaders
	case r.IntN(12) == 0:
		some = atStarts
	case !w.bare && r.IntN(2) == 0:
		some = atRecords
		if w.hurried {
			some = inHurry
		}
		all := slices.Concat(w.steps, sortedKeys(w.beside))
		f.step, f.id = all[r.IntN(len(all))], w.ids[r.IntN(len(w.ids))]
	case !w.bare && r.IntN(4) == 0:
		some = atPlugins
	}
	switch f.kind = some[r.IntN(len(some))]; {
	case f.kind == "clock jump":
		f.at = clocks
	case f.kind == "file size limit":
		f.most = 1 + r.Uint64N(uint64(w.largest))
	case f.kind == "open file limit":
		f.most = 8 + r.Uint64N(48)
	case f.kind == "full disk" || r.IntN(5) == 0 && w.made[writes] > 0:
		f.at = writes
	}
	f.n = r.IntN(max(1, w.made[f.at]))
	return f
}

// order is what the plugin is told.
func (f *fault) order() string {
	return fmt.Sprintf(`{"step":%q,"id":%d,"do":%q,"once":%v}`, f.step, f.id, f.kind, f.once)
}

// set has a run meet the fault, if there is one, and the disk hear of what becomes of its files.
func (f *fault) set(l *launch, r *rand.Rand, d *disk) {
	if f == nil || f.step != "" {
		l.answer = d.heard(nil)
		return
	}
	l.answer = d.heard(func(c call) (unix.Errno, bool) { return f.meet(r, c) })
	l.writes = f.at == writes
	switch f.kind {
	case "clock jump":
		jump := []time.Duration{time.Hour, -time.Hour, 400 * 24 * time.Hour, -400 * 24 * time.Hour, time.Second, -time.Second}[r.IntN(6)]
		l.shift = func(n int) time.Duration {
			if n < f.n {
				return 0
			}
			f.happened = true
			return jump
		}
	case "file size limit":
		l.limits = map[int]uint64{unix.RLIMIT_FSIZE: f.most}
		f.happened = true
	case "open file limit":
		l.limits = map[int]uint64{unix.RLIMIT_NOFILE: f.most}
		f.happened = true
	case "slow reader":
		l.speed, f.happened = slow, true
	case "stalled reader":
		l.speed, f.happened = stalled, true
	}
}

// meet is asked about every call. It returns the error with which the call fails, or whether it is made.
func (f *fault) meet(r *rand.Rand, c call) (failed unix.Errno, made bool) {
	switch {
	case f.kind == "slow disk" && c.class == names:
		f.happened = true
		time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
	case f.kind == "full disk" && f.happened && (c.kind == "write" || c.kind == "create" || c.kind == "mkdir"):
		return unix.ENOSPC, false
	}
	if f.happened || c.class != f.at || c.n < f.n {
		return 0, true
	}
	f.happened, f.struck = true, c.kind
	return f.strike(r, c)
}

func (f *fault) strike(r *rand.Rand, c call) (failed unix.Errno, made bool) {
	if name, ok := strings.CutSuffix(f.kind, " at call"); ok {
		_ = unix.Kill(c.pid, signals[name])
		if name == "stop" {
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			_ = unix.Kill(c.pid, unix.SIGCONT)
		}
		return 0, name != "kill"
	}
	switch f.kind {
	case "power loss":
		_ = unix.Kill(c.pid, unix.SIGKILL)
		return 0, false
	case "EIO":
		return unix.EIO, false
	case "ENOSPC", "full disk":
		return unix.ENOSPC, false
	case "EACCES":
		return unix.EACCES, false
	case "EINTR":
		return unix.EINTR, false
	case "plugin killed", "plugin stopped":
		f.happened = f.strikePlugin(r, c.pid)
	}
	return 0, true
}

// strikePlugin kills or stops a process that the host has started. It reports whether there is any.
func (f *fault) strikePlugin(r *rand.Rand, host int) bool {
	others := session(host)
	if len(others) == 0 {
		return false
	}
	pid := others[r.IntN(len(others))]
	if f.kind == "plugin killed" {
		_ = unix.Kill(pid, unix.SIGKILL)
		return true
	}
	_ = unix.Kill(pid, unix.SIGSTOP)
	time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
	_ = unix.Kill(pid, unix.SIGCONT)
	return true
}

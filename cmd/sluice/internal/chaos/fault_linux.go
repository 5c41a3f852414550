package chaos

import (
	"fmt"
	"math/rand/v2"
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
}

var (
	atRecords = []string{"panic", "exit0", "exit1", "kill", "kill", "segv", "nonsense", "huge", "late", "flood-out", "flood-err", "slow", "child",
		"grandchild", "deaf", "host-kill", "host-kill", "host-term", "host-int", "host-hup", "host-stop"}
	inHurry = []string{"stop", "memory", "hang"}
	atCalls = []string{"kill at call", "kill at call", "kill at call", "term at call", "int at call", "hup at call", "stop at call", "power loss",
		"power loss", "EIO", "ENOSPC", "EACCES", "EINTR", "full disk", "slow disk"}
	atPlugins = []string{"plugin killed", "plugin killed", "plugin stopped"}
)

func drawFault(r *rand.Rand, w *world) *fault {
	f := &fault{once: r.IntN(2) == 0}
	some := atCalls
	if !w.bare {
		switch {
		case r.IntN(2) == 0:
			some = atRecords
			if w.hurried {
				some = inHurry
			}
		case r.IntN(4) == 0:
			some = atPlugins
		}
	}
	f.kind = some[r.IntN(len(some))]
	if _, plugins := effects[f.kind]; plugins && (&some[0] == &atRecords[0] || &some[0] == &inHurry[0]) {
		all := slices.Concat(w.steps, sortedKeys(w.beside))
		f.step, f.id = all[r.IntN(len(all))], w.ids[r.IntN(len(w.ids))]
		return f
	}
	if f.kind == "full disk" || r.IntN(5) == 0 && w.made[writes] > 0 {
		f.at = writes
	}
	f.n = r.IntN(max(1, w.made[f.at]))
	return f
}

// order is what the plugin is told.
func (f *fault) order() string {
	return fmt.Sprintf(`{"step":%q,"id":%d,"do":%q,"once":%v}`, f.step, f.id, f.kind, f.once)
}

// watch makes a fault at a call happen.
func (f *fault) watch(r *rand.Rand, d *disk) watcher {
	if f == nil || f.step != "" {
		return nil
	}
	return func(c call) unix.Errno {
		switch {
		case f.kind == "slow disk" && c.class == names:
			f.happened = true
			time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
		case f.kind == "full disk" && f.happened && (c.kind == "write" || c.kind == "create" || c.kind == "mkdir"):
			return unix.ENOSPC
		}
		if f.happened || c.class != f.at || c.n < f.n {
			if f.kind == "power loss" {
				d.note(c)
			}
			return 0
		}
		f.happened, f.struck = true, c.kind
		return f.strike(r, c)
	}
}

func (f *fault) strike(r *rand.Rand, c call) unix.Errno {
	if name, ok := strings.CutSuffix(f.kind, " at call"); ok {
		_ = unix.Kill(c.pid, signals[name])
		if name == "stop" {
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			_ = unix.Kill(c.pid, unix.SIGCONT)
		}
		return 0
	}
	switch f.kind {
	case "power loss":
		_ = unix.Kill(c.pid, unix.SIGKILL)
	case "EIO":
		return unix.EIO
	case "ENOSPC":
		return unix.ENOSPC
	case "EACCES":
		return unix.EACCES
	case "EINTR":
		return unix.EINTR
	case "full disk":
		return unix.ENOSPC
	case "plugin killed", "plugin stopped":
		f.happened = false
		others := session(c.pid)
		if len(others) == 0 {
			return 0 // at the next call
		}
		f.happened = true
		pid := others[r.IntN(len(others))]
		if f.kind == "plugin killed" {
			_ = unix.Kill(pid, unix.SIGKILL)
			return 0
		}
		_ = unix.Kill(pid, unix.SIGSTOP)
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		_ = unix.Kill(pid, unix.SIGCONT)
	}
	return 0
}

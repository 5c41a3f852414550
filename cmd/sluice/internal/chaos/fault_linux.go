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

// drawFault draws the fault of a run. The first one of each scenario goes by its seed, so that a few scenarios have many kinds.
func drawFault(r *rand.Rand, w *world, seed uint64, first bool) *fault {
	all := atCalls
	switch {
	case w.hurried:
		all = inHurry
	case !w.bare:
		all = atPlugins
	}
	f := &fault{kind: all[r.IntN(len(all))], once: r.IntN(2) == 0}
	if first {
		f.kind = all[seed%uint64(len(all))]
	}
	switch k := kinds[f.kind]; {
	case k.where == atReading && w.piped == "":
		f.kind = "kill at call"
	case k.where == atRecord:
		steps := slices.Concat(w.steps, sortedKeys(w.beside))
		f.step, f.id = steps[r.IntN(len(steps))], w.ids[r.IntN(len(w.ids))]
		f.once = f.once || k.asks // since asking again ends the host at once
		return f
	case f.kind == "clock jump":
		f.at = clocks
	case f.kind == "file size limit":
		f.most = 1 + r.Uint64N(uint64(w.largest))
	case f.kind == "open file limit":
		f.most = 8 + r.Uint64N(48)
	}
	if f.kind == "full disk" || kinds[f.kind].where == atCall && f.at == names && r.IntN(5) == 0 {
		f.at = writes
	}
	f.n = r.IntN(max(1, w.made[f.at]))
	return f
}

func (f *fault) ended() *regexp.Regexp { return kinds[f.kind].ended }

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

package launch

import (
	"time"

	"github.com/prometheus/procfs"
)

// usage is what a process has used of the processors, and how much memory it has for itself, without the arenas.
func usage(pid int) (cpu time.Duration, memory int64) {
	p, err := procfs.NewProc(pid)
	if err != nil { // it has just ended
		return 0, 0
	}
	if stat, err := p.Stat(); err == nil {
		cpu = time.Duration(stat.CPUTime() * float64(time.Second))
	}
	if status, err := p.NewStatus(); err == nil {
		memory = int64(status.RssAnon)
	}
	return cpu, memory
}

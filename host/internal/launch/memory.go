package launch

import (
	"fmt"
	"time"
)

// watchMemory kills the process when it uses more memory than it may.
func (p *process) watchMemory() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := p.chain.Memory
	for {
		select {
		case <-p.runner.ended:
			return
		case <-tick.C:
			if have := resident(p.runner.cmd.Process.Pid, limit); have > limit {
				p.runner.killFor(fmt.Sprintf("want at most %s of memory, have %s", mebibytes(limit), mebibytes(have)))
				return
			}
		}
	}
}

// mebibytes formats a size as in a pipeline file.
func mebibytes(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%dMiB", n>>20)
	}
	return fmt.Sprintf("%.1fMiB", float64(n)/(1<<20))
}

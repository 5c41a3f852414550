//go:build !unix

package launch

import "os"

// There is no watchdog here: a plugin ends itself when its pipe to this process ends.
type watchdog struct{}

func startWatchdog() *watchdog { return nil }

func (*watchdog) env() []string { return nil }

func (*watchdog) began(int) {}

func (*watchdog) ended(int) {}

func (*watchdog) end() {}

func killGroup(int) error { return nil }

func kill(p *os.Process) error { return p.Kill() }

func bySignal(*os.ProcessState) bool { return false }

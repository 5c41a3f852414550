//go:build !linux

package launch

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func kill(p *os.Process) error { return p.Kill() }

// resident is not known here, so memory limits are not held.
func resident(int, int64) int64 { return 0 }

//go:build !linux

package launch

import (
	"os"
	"syscall"
	"time"
)

func attributes() *syscall.SysProcAttr { return nil }

func kill(p *os.Process) error { return p.Kill() }

// resident is unknown here, so memory limits have no effect.
func resident(int, int64) int64 { return 0 }

// usage is unknown here.
func usage(int) (time.Duration, int64) { return 0, 0 }

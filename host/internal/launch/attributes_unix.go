//go:build unix && !linux

package launch

import "syscall"

// attributes put a plugin into a process group of its own, so that Ctrl-C reaches the host alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

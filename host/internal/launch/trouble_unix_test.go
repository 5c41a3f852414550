//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

// eatShared takes memory that is shared with nobody until it is ended.
func eatShared() error {
	for {
		mem, err := syscall.Mmap(-1, 0, 16<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		for i := 0; i < len(mem); i += 4096 {
			mem[i] = 1
		}
	}
}

// leaveChild starts a process that outlives this one and has its stderr.
func leaveChild() error {
	child := exec.Command("sleep", "60")
	child.Stdout, child.Stderr, child.SysProcAttr = os.Stderr, os.Stderr, &syscall.SysProcAttr{Setsid: true}
	return child.Start()
}

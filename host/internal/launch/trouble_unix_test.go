//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

// eatShared takes ever more shared memory that no other process maps.
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

// leaveChild starts a process that outlives this one and keeps its stderr open.
func leaveChild() error {
	child := exec.Command("sleep", "60")
	child.Stdout, child.Stderr, child.SysProcAttr = os.Stderr, os.Stderr, &syscall.SysProcAttr{Setsid: true}
	return child.Start()
}

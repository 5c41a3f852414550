//go:build !linux

package launch

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// resident is unknown here, so memory limits have no effect.
func resident(int, int64) int64 { return 0 }

// peakSoFar, ownPeak and peakOf are unknown here.
func peakSoFar(int) int64 { return 0 }

func ownPeak() int64 { return 0 }

func peakOf(*os.ProcessState) int64 { return 0 }

// usage is unknown here.
func usage(int) (time.Duration, int64) { return 0, 0 }

func ownFile(path string) string { return path }

// inPlace checks that the path still leads to the open file, since it is the path that runs.
func (p *program) inPlace() error {
	open, err := p.file.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(p.path); err != nil || !os.SameFile(open, now) {
		return fmt.Errorf("%s: want the program that the run began with: it was replaced or removed", p.path)
	}
	return nil
}

// command runs the program by its path.
func (p *program) command(args []string, files []*os.File) *exec.Cmd {
	return &exec.Cmd{Path: p.path, Args: append([]string{p.path}, args...), ExtraFiles: files}
}

//go:build !linux

package launch

import "os/exec"

// Elsewhere the system does not end a process with the one that started it.
type forker struct{}

func newForker() forker { return forker{} }

func (forker) start(do func() error) error { return do() }

func (*forker) end() {}

// awaitEnd waits for a process. What it has left behind is killed after that, by a number that might be another's then.
func awaitEnd(cmd *exec.Cmd) { _ = cmd.Wait() }

// killMarked does nothing: the environment of other processes is not known here.
func killMarked(string) {}

// hideSelf does nothing: other processes are not shown the environment of this one here, or the system offers no way.
func hideSelf() {}

//go:build !linux

package main

import (
	"os/exec"
	"time"
)

// used is not known here.
func used() usage { return usage{} }

// canPin tells whether a program can be held to some of the cores.
const canPin = false

// startOn starts a program on all cores.
func startOn(_ int, cmd *exec.Cmd) error { return cmd.Start() }

// threadTime is not known here.
func threadTime() time.Duration { return 0 }

// watchMemory knows nothing here.
func watchMemory(int) func() int64 { return func() int64 { return 0 } }

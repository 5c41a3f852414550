//go:build !linux

package main

import (
	"io"
	"os"
)

func stdout() io.Writer { return os.Stdout }

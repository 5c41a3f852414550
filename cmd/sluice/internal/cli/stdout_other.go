//go:build !linux

package cli

import (
	"io"
	"os"
)

func Stdout() io.Writer { return os.Stdout }

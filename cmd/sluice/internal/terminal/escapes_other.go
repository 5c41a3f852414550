//go:build !windows

package terminal

import "os"

func obeysEscapes(*os.File) bool { return true }

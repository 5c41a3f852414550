//go:build !windows

package live

import "os"

func obeysEscapes(*os.File) bool { return true }

package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysEscapes switches the console to escape sequences, and reports whether it obeys them.
func obeysEscapes(file *os.File) bool {
	var mode uint32
	console := windows.Handle(file.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

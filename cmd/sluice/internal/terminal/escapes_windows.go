package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysEscapes has the console take escape sequences, and tells whether it does.
func obeysEscapes(file *os.File) bool {
	var mode uint32
	console := windows.Handle(file.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

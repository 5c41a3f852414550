//go:build !(linux || darwin)

package filestate

import "io/fs"

// Of returns nothing: of what this system notes of a file, anybody can set the time.
func Of(fs.FileInfo) (s State, known bool) { return State{}, false }

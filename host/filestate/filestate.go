// Package filestate tells whether a file is the one that it was, and as it was, by what the system knows of it and nobody can set.
package filestate

import "time"

// A State is the same for no two files, nor for one before and after a change, unless that is within the tick of a clock.
type State struct {
	Device, Number uint64    // of the file
	Changed        time.Time // its bytes, name or rights, for the last time
}

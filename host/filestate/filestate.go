// Package filestate returns what identifies a file and its last change, by what the system notes and nobody can set.
package filestate

import "time"

// A State is the same for no two files, nor for one before and after a change, unless that is within the tick of a clock.
type State struct {
	Device, Number uint64    // of the file
	Changed        time.Time // its bytes, name or rights, for the last time
}

package output

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/places"
)

// Endings of what parts leave beside each other in the folder of sidecars.
const (
	lockEnding  = ".lock"  // held while a part runs
	linesEnding = ".lines" // how many lines of an input lie before each part
)

// sidecarEndings are the endings of the sidecars that finished runs leave.
var sidecarEndings = []string{originsEnding, timelineEnding, lockEnding, linesEnding}

// Unfinished returns the paths of what lies in a folder, or in its folder of sidecars, of runs that have not finished: their files under
// hidden names and their states. A run that still goes on has such files, too.
func Unfinished(folder string) (paths []string) {
	for _, name := range regular(folder) {
		if isTemporary(name) {
			paths = append(paths, places.Join(folder, name))
		}
	}
	hidden := places.Join(folder, sidecarFolder)
	for _, name := range regular(hidden) {
		if !slices.ContainsFunc(sidecarEndings, func(ending string) bool { return strings.HasSuffix(name, ending) }) || isTemporary(name) {
			paths = append(paths, places.Join(hidden, name))
		}
	}
	return paths
}

// Written returns the names of the files in a folder whose rows a run has written, as their origins say.
func Written(folder string) (names []string) {
	for _, sidecar := range regular(places.Join(folder, sidecarFolder)) {
		if name, cut := strings.CutSuffix(sidecar, originsEnding); cut && !isTemporary(sidecar) {
			names = append(names, name)
		}
	}
	return names
}

// NumberOf returns the number that the name of a file has where a sink rotates, and the path without it.
// It returns 0 for any other name.
func NumberOf(path string) (number int, of string) {
	if _, number = familyOf(path); number == 0 {
		return 0, ""
	}
	stem, ext := cutExt(path)
	return number, stem[:strings.LastIndexByte(stem, '-')+1] + ext
}

// regular returns the names of the regular files in a folder, none of one that cannot be read.
func regular(folder string) (names []string) {
	entries, _ := places.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}

// StateOf returns the path of the state of the interrupted run with this receipt, "" when there is none. The state of a run into a bucket
// lies on the machine that the run was on.
func StateOf(receipt string) string {
	if places.IsS3(receipt) {
		staged, err := new(Set).mirrored(receipt)
		if err != nil {
			return ""
		}
		receipt = staged
	}
	path := sidecarPath(receipt, stateEnding)
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// InterruptedAt returns the text that Checkpoint.Save stored for the interrupted run with this receipt. committing reports that only names
// are missing, found that there is such a run.
func InterruptedAt(receipt string) (text json.RawMessage, committing, found bool) {
	path := StateOf(receipt)
	if path == "" {
		return nil, false, false
	}
	x, err := readState(path)
	if err != nil {
		return nil, false, false
	}
	return x.Text, len(x.Commit) > 0, true
}

// PartBegun reports whether a run of a part that writes into a folder goes on, or has ended without removing what it holds.
func PartBegun(folder, part string) bool {
	_, err := os.Lstat(partLock(folder, part))
	return err == nil
}

func partLock(folder, part string) string {
	return filepath.Join(noteFolder(folder), "part-"+part+lockEnding)
}

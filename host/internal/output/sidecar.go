package output

import (
	"path/filepath"
	"strings"
)

// sidecarFolder is the hidden folder that files lie in which tell more of those beside it.
const sidecarFolder = ".sluice"

// sidecarPath is where what tells more of a file lies, "" when its name gets too long.
func sidecarPath(path, ending string) string {
	folder, name := filepath.Split(path)
	if len(name)+len(ending) > maxName {
		return ""
	}
	return filepath.Join(folder, sidecarFolder, name+ending)
}

// TimelinePath is where the timeline of the run with a receipt lies, "" when its name is too long for it.
func TimelinePath(receipt string) string {
	return sidecarPath(strings.TrimSuffix(receipt, ".json"), ".timeline.jsonl")
}

// Timeline claims what goes beside the receipt, whose path c has, as Report does. There is none beside a pipe or a device, or a
// name that is too long.
func (s *Set) Timeline(c Claim) (*Report, error) {
	c.Path, c.Light = TimelinePath(c.Path), true
	if c.Path == "" || s.receipt == nil || s.receipt.target.inPlace() {
		return nil, nil
	}
	return s.Report(c)
}

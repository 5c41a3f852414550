package output

import "path/filepath"

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
	return sidecarPath(receipt, ".timeline.jsonl")
}

// Timeline claims what goes beside the receipt, whose path c has, as Spare does. It gives nil where it has no place: beside a pipe or
// a device, or a name that is too long, and where something else stands or is written.
func (s *Set) Timeline(c Claim) *Report {
	c.Path = TimelinePath(c.Path)
	if c.Path == "" || s.receipt == nil || s.receipt.target.inPlace() {
		return nil
	}
	r, err := s.Optional(c)
	if err != nil {
		return nil
	}
	return r
}

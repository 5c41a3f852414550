package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// MayReplace says why what stands at a path is not to be replaced by a file that begins with mark: it is another's. An empty file,
// and nothing at all, may be.
func MayReplace(path, mark string) error {
	info, err := os.Stat(path)
	switch {
	case missing(err):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", path, reason(err))
	case info.IsDir():
		return fmt.Errorf("want a file to write, have the folder %q", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("want a file to write, have the pipe or device %q", path) // opening a pipe can block for good
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	defer f.Close()
	head := make([]byte, len(mark))
	n, err := io.ReadFull(f, head)
	if err == nil && bytes.Equal(head, []byte(mark)) || n == 0 && err == io.EOF {
		return nil
	}
	return fmt.Errorf("%s is there and is not of sluice", path)
}

// Spare claims a file that is written last, as Report does, and without which a run goes well: it is left out when it cannot be
// written. The error says why nothing is claimed: somebody has the path already, or no file can stand there.
func (s *Set) Spare(c Claim) (*Report, error) {
	t, err := s.locate(c.Path)
	if err == nil {
		err = t.writable()
	}
	if err != nil {
		return nil, err
	}
	if t.inPlace() {
		return nil, fmt.Errorf("want a file to write, have the pipe or device %q", c.Path)
	}
	if h, taken := s.obstacle(t); taken {
		return nil, fmt.Errorf("want a path of its own, have %q, which %s", c.Path, h.by.verb())
	}
	c.Last, c.Light, c.Spare = true, true, true
	return s.Report(c)
}

// dropSpare lets go of spare files that have not been written, or have no place any more.
func (s *Set) dropSpare() {
	for _, f := range s.files {
		if f.claim.Spare && (!f.whole || f.target.writable() != nil) {
			_ = f.discard(&s.disk) // the next run sweeps it
		}
	}
}

// removeSpare removes what spare files replace, as it is about another run, also when they could not be written.
func (s *Set) removeSpare() {
	for _, c := range s.claims {
		if c.Spare {
			_ = s.disk.remove(c.target.real)
		}
	}
}

// Staged are the hidden paths of files that have no names yet, by the paths that they were claimed for; empty for what is written as
// it stands.
func (s *Set) Staged() map[string]string {
	all := map[string]string{}
	for _, f := range s.files {
		all[f.target.path] = f.temp
	}
	return all
}

package output

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// stdout is the path of standard output.
const stdout = "-"

// IsStdout reports whether a path is standard output, as "-" or by a name that the system has for it.
func IsStdout(path string) bool {
	if path == stdout {
		return true
	}
	if !slices.Contains([]string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, filepath.Clean(path)) {
		return false
	}
	_, err := os.Lstat(path)
	return err == nil
}

// streamFolders are where systems keep the names of devices, and of what a program has open.
var streamFolders = []string{"/dev", "/dev/fd", "/proc/self/fd"}

// IsStream reports whether a path is standard output, a device, or the name of a file that the program has open. No files lie beside it.
func IsStream(path string) bool {
	if IsStdout(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && (info.Mode()&fs.ModeDevice != 0 || !info.IsDir() && slices.Contains(streamFolders, filepath.Dir(filepath.Clean(path))))
}

// locateStdout finds the target of standard output. It is a file where a shell has led it to one: then no other claim may have that.
func (s *Set) locateStdout() *target {
	t := &target{path: stdout, key: stdout}
	if f, ok := s.opts.Stdout.(interface{ Stat() (fs.FileInfo, error) }); ok {
		t.info, _ = f.Stat() // a closed one shows when it is written
	}
	return t
}

// Messages claims the file that the messages of the program go to, when it is a regular one. Only standard output may lead to the
// same file: there both may be wanted. It comes before the other claims.
func (s *Set) Messages(c Claim, file *os.File) {
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		s.messages = &ownership{&claim{Claim: c, writes: true}, &target{path: c.Path, info: info}}
	}
}

// inMessages reports whether a target is the file of the messages, and returns its claim.
func (s *Set) inMessages(t *target) (h ownership, taken bool) {
	if s.messages == nil || t.info == nil || t.inPlace() || !os.SameFile(s.messages.target.info, t.info) {
		return h, false
	}
	return ownership{s.messages.by, t}, true
}

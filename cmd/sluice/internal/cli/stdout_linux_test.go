package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRowsTo holds that rows are refused only where the Go runtime may have opened /dev/null in place of a closed stdout.
func TestRowsTo(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket, other := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "socket")
	defer other.Close()
	open := func(path string, flag int) *os.File {
		f, err := os.OpenFile(path, flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		what    string
		to      *os.File
		refused bool
	}{
		{"/dev/null for reading and writing", open(os.DevNull, os.O_RDWR), true},
		{"/dev/null for writing", open(os.DevNull, os.O_WRONLY), false},
		{"a terminal", open("/dev/ptmx", os.O_RDWR), false},
		{"a pipe for reading and writing", open(pipe, os.O_RDWR), false},
		{"a socket", socket, false},
		{"a file for reading and writing", open(filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE), false},
		{"another device", open("/dev/full", os.O_RDWR), false},
	} {
		if have := rowsTo(c.to); (have != c.to) != c.refused {
			t.Errorf("%s: want it refused %v, have %T", c.what, c.refused, have)
		}
		c.to.Close()
	}
}

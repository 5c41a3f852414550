package oserr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAtPath holds the words for what is wrong with a path, and that an error stays of its kind.
func TestAtPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, absent := os.Stat("nope")
	_, below := os.Open(filepath.Join(file, "x"))
	other := errors.New("odd")
	for _, c := range []struct {
		reason string
		err    error
		want   string
		is     error
	}{
		{"nothing is there", absent, `want a file, have nothing at "nope"`, fs.ErrNotExist},
		{"a file is no folder", below, fmt.Sprintf("want a file, have nothing at %q", filepath.Join(file, "x")), syscall.ENOTDIR},
		{"it may not be read", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}, "a: permission denied", fs.ErrPermission},
		{"not of package os", other, "odd", other},
	} {
		if have := AtPath(c.err); have.Error() != c.want || !errors.Is(have, c.is) {
			t.Errorf("%s: want %s, have %v", c.reason, c.want, have)
		}
	}
	if err := AtPath(nil); err != nil {
		t.Errorf("want no error of none, have %v", err)
	}
}

//go:build unix

package privatefolder

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestIs protects what is believed: only a folder itself counts that its owner alone may write to, and the owner is the user.
func TestIs(t *testing.T) {
	dir := t.TempDir()
	folder := func(mode os.FileMode) func(path string) error {
		return func(path string) error {
			if err := os.Mkdir(path, mode); err != nil {
				return err
			}
			return os.Chmod(path, mode) // whatever the umask is
		}
	}
	for _, c := range []struct {
		reason string
		make   func(path string) error
		want   bool
	}{
		{"the user's own", folder(0o700), true},
		{"others may read it", folder(0o755), true},
		{"the group may write to it", folder(0o770), false},
		{"all may write to it", folder(0o777), false},
		{"all may write to it, and remove what is theirs", folder(0o777 | os.ModeSticky), false},
		{"a link to one's own", func(path string) error { return os.Symlink(filepath.Join(dir, "the user's own"), path) }, false},
		{"a file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, false},
		{"nothing", func(string) error { return nil }, false},
		{"somebody else's", func(path string) error {
			if os.Getuid() != 0 { // nobody else can change the owner of a folder
				return nil
			}
			return errors.Join(os.Mkdir(path, 0o700), os.Chown(path, 1, 1))
		}, false},
	} {
		path := filepath.Join(dir, c.reason)
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		if have := Is(path); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

// TestCache holds that the folder is made where there is a home for it, and not used where others may write to it.
func TestCache(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	want := filepath.Join(home, ".cache", "sluice")
	if runtime.GOOS == "darwin" {
		if err := os.Mkdir(filepath.Join(home, "Library"), 0o700); err != nil {
			t.Fatal(err)
		}
		want = filepath.Join(home, "Library", "Caches", "sluice")
	}
	for range 2 { // it is made, and found
		if have := Cache(); have != want {
			t.Errorf("want %s, have %q", want, have)
		}
	}
	if err := os.Chmod(want, 0o777); err != nil {
		t.Fatal(err)
	}
	if have := Cache(); have != "" {
		t.Errorf("want none where others may write, have %s", have)
	}
	absent := filepath.Join(home, "absent")
	t.Setenv("HOME", absent)
	if have := Cache(); have != "" {
		t.Errorf("want none without a home, have %s", have)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("want no home made, have one")
	}
}

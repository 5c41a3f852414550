//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package registry

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/filelock"
)

// TestUpdateAtOnce has many write one lock at the same time, and looks for what each has locked.
func TestUpdateAtOnce(t *testing.T) {
	dir := t.TempDir()
	const plugins = "abcdefghijklmnop"
	var all sync.WaitGroup
	for _, c := range plugins {
		all.Go(func() {
			if _, err := update(dir, []program{{string(c), "v1", strings.Repeat("0", 64)}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(filepath.Join(dir, config.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plugins {
		if want := "plugin \"" + string(c) + "\""; !strings.Contains(string(text), want) {
			t.Fatalf("want %s in the lock, have\n%s", want, text)
		}
	}
	wantOnly(t, dir, config.LockFile)
}

// TestAlone holds that nobody else has the file while one works on it, and that nothing is left behind.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	busy := path + ".busy"
	for _, test := range []struct {
		reason string
		before func() error
	}{
		{"nobody was there before", func() error { return nil }},
		{"one who was killed has left the file", func() error { return os.WriteFile(busy, nil, 0o600) }},
	} {
		if err := test.before(); err != nil {
			t.Fatal(err)
		}
		failed := errors.New("failed")
		err := alone(path, func() error {
			f, err := os.Open(busy)
			if err != nil {
				return err
			}
			defer f.Close()
			if locked, _ := filelock.Try(f); locked {
				t.Errorf("%s: want the file locked, have it free", test.reason)
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("%s: want the error of what was done, have %v", test.reason, err)
		}
		wantOnly(t, dir)
	}
}

func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if !slices.Equal(have, names) {
		t.Errorf("want %q in the folder, have %q", names, have)
	}
}

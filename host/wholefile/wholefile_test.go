package wholefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		reason string
		before string // what is there; "": nothing
		name   string
		o      Options
		mode   fs.FileMode
	}{
		{"a new file is private", "", "a", Options{}, 0o600},
		{"one in the place of another has the mode that was asked for", "old", "a", Options{Mode: 0o644, Durable: true}, 0o644},
		{"its temporary name may be another's to sweep", "old", "a", Options{Temp: "tmp-*"}, 0o600},
		{"a name that fills a folder's entry has room for a temporary one", "", strings.Repeat("ä", 120), Options{}, 0o600},
		{"a star is part of a name", "", "a*b", Options{}, 0o600},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.name, "*") {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if c.before != "" {
			if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.o.Temp != "" {
			c.o.Temp = filepath.Join(dir, c.o.Temp)
		}
		if err := Write(path, []byte("new"), c.o); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != "new" {
			t.Errorf("%s: want new, have %q, %v", c.reason, text, err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != c.mode {
			t.Errorf("%s: want mode %v, have %v, %v", c.reason, c.mode, info.Mode(), err)
		}
		wantOnly(t, c.reason, dir, c.name)
	}
}

// TestFile holds that a file lies under its temporary name alone until Commit, and that nothing is left of one that got no path.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f, err := Create(path, Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, "closed", dir, filepath.Base(f.Name()))
	if text, err := os.ReadFile(f.Name()); err != nil || string(text) != "new" {
		t.Errorf("want new under the temporary name, have %q, %v", text, err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	f.Discard()
	wantOnly(t, "committed", dir, "a")

	folder := filepath.Join(dir, "folder", "in")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Dir(folder), nil, Options{}); err == nil {
		t.Error("want an error where a folder lies, have no error")
	}
	wantOnly(t, "failed", dir, "a", "folder")
}

func wantOnly(t *testing.T, reason, dir string, names ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, f := range files {
		have = append(have, f.Name())
	}
	if strings.Join(have, " ") != strings.Join(names, " ") {
		t.Errorf("%s: want %q in the folder, have %q", reason, names, have)
	}
}

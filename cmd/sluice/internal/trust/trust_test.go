package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sluicehq/sluice/host"
)

// TestStore protects who may decide what is trusted: entries hold for their folder and hash, or for their folder as a whole, and count
// only where nobody else can write.
func TestStore(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "sluice", "trust")}
	here, there := t.TempDir(), t.TempDir()
	if s.Knows(here, "ab") {
		t.Error("want nothing trusted at first")
	}
	claims := host.Claims{Path: "p.hcl", Folder: here, SHA256: "cd", Programs: []host.Program{{Plugin: "own", Path: "own", SHA256: "AB"}}}
	if err := s.Accept(&claims); err != nil {
		t.Fatal(err)
	}
	if err := s.AcceptFolder(there); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, folder, sum string
		want                bool
	}{
		{"the program", here, "ab", true},
		{"the pipeline, which reads nothing", here, "cd", false},
		{"another program", here, "ef", false},
		{"the program through a link to its folder", link(t, here), "ab", true},
		{"any program of a folder", there, "ef", true},
		{"a folder below it", filepath.Join(there, "below"), "ef", false},
	} {
		if have := s.Knows(c.folder, c.sum); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, ".cut"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := s.All(); err != nil || len(all) != 2 {
		t.Errorf("want 2 entries beside what a killed writer has left, have %v, %v", all, err)
	}
	if err := os.Remove(filepath.Join(s.dir, ".cut")); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(s.dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("want 2 entries, have %d, %v", len(files), err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("want an entry that only the user reads, have %v, %v", info.Mode(), err)
		}
	}
	if err := os.Chmod(s.dir, 0o770); err != nil {
		t.Fatal(err)
	}
	if s.Knows(here, "ab") || s.Accept(&claims) == nil {
		t.Error("want nothing trusted where others can write")
	}
}

// TestTornEntry protects that nothing is trusted which trust does not list, and that it can be trusted again.
func TestTornEntry(t *testing.T) {
	s, here := Store{filepath.Join(t.TempDir(), "trust")}, t.TempDir()
	if err := s.AcceptFolder(here); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.path(Entry{Folder: real(here)}), 0); err != nil {
		t.Fatal(err)
	}
	if s.Knows(here, "ab") {
		t.Error("want an entry without text not trusted")
	}
	if err := s.AcceptFolder(here); err != nil || !s.Knows(here, "ab") {
		t.Errorf("want the folder trusted again, have %v", err)
	}
}

func link(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
	return path
}

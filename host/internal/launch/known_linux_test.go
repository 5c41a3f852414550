package launch

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKnownProgram holds that the hash of this program is read once, that of a changed file anew, and that a cache which others can
// write to is not believed.
func TestKnownProgram(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path, notes := filepath.Join(t.TempDir(), "own"), filepath.Join(cache, "sluice", knownName)
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hash := func(own bool) string {
		t.Helper()
		p, err := openProgram(path)
		if err != nil {
			t.Fatal(err)
		}
		defer p.file.Close()
		p.own = own
		sum, err := p.hash()
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := func(reason, have, want string) {
		t.Helper()
		if have != want {
			t.Errorf("%s: want %s, have %s", reason, want, have)
		}
	}
	sumOf := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	other := strings.Repeat("0", 64)

	write(path, "first")
	want("a program that no run has noted", hash(true), sumOf("first"))
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	write(notes, strings.Replace(string(text), sumOf("first"), other, 1))
	want("a program that a run has noted is not read", hash(true), other)
	want("any other program is", hash(false), sumOf("first"))
	write(path, "secnd")
	want("a program that has changed", hash(true), sumOf("secnd"))

	for i := range 2 * knownMost {
		write(path, fmt.Sprint(i))
		hash(true)
	}
	if text, err = os.ReadFile(notes); err != nil || strings.Count(string(text), "\n") != knownMost {
		t.Errorf("want %d programs noted, have %q (%v)", knownMost, text, err)
	}
	write(notes, string(text)+"half a li")
	want("notes that are cut off", hash(true), sumOf(fmt.Sprint(2*knownMost-1)))
	write(path, "third")
	hash(true)
	if text, err = os.ReadFile(notes); err != nil || strings.Contains(string(text), "half") {
		t.Errorf("want whole lines, have %q (%v)", text, err)
	}

	write(notes, strings.ReplaceAll(string(text), sumOf("third"), other))
	if err := os.Chmod(filepath.Dir(notes), 0o770); err != nil {
		t.Fatal(err)
	}
	want("a folder that others can write to", hash(true), sumOf("third"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(cache, "absent", "cache"))
	want("no folder", hash(true), sumOf("third"))
	if _, err := os.Stat(filepath.Join(cache, "absent")); err == nil {
		t.Error("want no home made")
	}
}

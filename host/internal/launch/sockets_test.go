package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSocketsIn checks where sockets lie by how deep the folder for temporary files is.
func TestSocketsIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("want sockets with paths")
	}
	deep, absent := "/"+strings.Repeat("d", 66), filepath.Join(t.TempDir(), "absent")
	for _, c := range []struct{ reason, temp, system, want, message string }{
		{"there is room", "/" + strings.Repeat("d", 65), absent, "/" + strings.Repeat("d", 65), ""},
		{"too deep by a byte", deep, systemTemp, systemTemp, ""},
		{"too deep, and nowhere else to go", deep, absent, "", "want a TMPDIR of at most 66 bytes, since the sockets of plugins are there or in " + absent + ", have 67: " + deep},
	} {
		have, err := socketsIn(c.temp, c.system)
		if have != c.want || (err == nil) != (c.message == "") || err != nil && !strings.HasPrefix(err.Error(), c.message) {
			t.Errorf("%s: want %q and %q, have %q and %v", c.reason, c.want, c.message, have, err)
		}
	}
}

// TestDeepTemporaryFolder checks that a plugin starts, and that its own temporary files lie where the user wants them.
func TestDeepTemporaryFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	f, problems, err := tryStart(Options{}, Request{Plugin: "echo"})
	if err != nil || len(problems) > 0 {
		t.Fatalf("want it started, have %v (%v)", problems, err)
	}
	f.Abort()
	if !slices.Contains(Environment(nil), "TMPDIR="+dir) {
		t.Errorf("want TMPDIR=%s, have %v", dir, Environment(nil))
	}
}

// TestSweepSockets checks which folders of sockets are taken for left behind.
func TestSweepSockets(t *testing.T) {
	for _, c := range []struct {
		reason string
		files  []string
		old    bool
		stays  bool
	}{
		{"marked, and its host is gone", []string{socketMark, "plugin1"}, false, false},
		{"of another program", []string{"plugin1"}, true, true},
		{"empty, and just made", nil, false, true},
		{"empty for a long time, since its host was killed before it marked it", nil, true, false},
	} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		t.Setenv("TMP", temp)
		folder := filepath.Join(temp, socketFolders+"1")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.files {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.old {
			long := time.Now().Add(-2 * longUnmarked)
			if err := os.Chtimes(folder, long, long); err != nil {
				t.Fatal(err)
			}
		}
		sweepSockets()
		if _, err := os.Stat(folder); (err == nil) != c.stays {
			t.Errorf("%s: want it to stay: %v, have %v", c.reason, c.stays, err)
		}
	}
}

package launch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

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

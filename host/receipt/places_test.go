package receipt

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlace holds where files of a run are looked for once its folder was moved: at their own places there, so that none is taken for
// another or for its original.
func TestPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"moved/run/a.jsonl", "moved/run/sub/b.jsonl", "moved/other/c.jsonl", "out/run/gone.jsonl", "out/other/d.jsonl", "flat/b.jsonl"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		reason    string
		dir, path string
		old       bool // the receipt names no timeline
		want      string
		inside    bool
		located   string
	}{
		{"next to the receipt", "moved/run", "out/run/a.jsonl", false, "moved/run/a.jsonl", true, "moved/run/a.jsonl"},
		{"below the receipt", "moved/run", "out/run/sub/b.jsonl", false, "moved/run/sub/b.jsonl", true, "moved/run/sub/b.jsonl"},
		{"in a folder that was moved too", "moved/run", "out/other/c.jsonl", false, "moved/other/c.jsonl", false, "moved/other/c.jsonl"},
		{"in a folder that was left", "moved/run", "out/other/d.jsonl", false, "out/other/d.jsonl", false, "out/other/d.jsonl"},
		{"lost in the copy, not the original", "moved/run", "out/run/gone.jsonl", false, "moved/run/gone.jsonl", true, "out/run/gone.jsonl"},
		{"lost, not its namesake", "moved/run", "out/run/x/a.jsonl", false, "moved/run/x/a.jsonl", true, "moved/run/a.jsonl"},
		{"copied without its folder", "flat", "out/run/sub/b.jsonl", false, "flat/sub/b.jsonl", true, "flat/b.jsonl"},
		{"a path of its own", "moved/run", "/etc/nothing", false, "/etc/nothing", false, ""},
		{"an old receipt, by the end of the path", "moved/run", "elsewhere/sub/b.jsonl", true, "moved/run/sub/b.jsonl", true, "moved/run/sub/b.jsonl"},
		{"an old receipt cannot lead out of its folder", "moved/run", "../other/c.jsonl", true, "../other/c.jsonl", false, ""},
	}
	for _, tt := range tests {
		r := &Receipt{Timeline: &Sidecar{Path: "out/run/.sluice/receipt.json.timeline.jsonl"}}
		if tt.old {
			r.Timeline = nil
		}
		at, inside := r.Place(tt.dir, tt.path)
		if filepath.ToSlash(at) != tt.want || inside != tt.inside {
			t.Errorf("%s: want %s, inside %t, have %s, inside %t", tt.reason, tt.want, tt.inside, at, inside)
		}
		if located, _ := r.Locate(tt.dir, tt.path); filepath.ToSlash(located) != tt.located {
			t.Errorf("%s: want it located at %q, have %q", tt.reason, tt.located, located)
		}
	}
}

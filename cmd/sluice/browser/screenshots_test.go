package browser

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// screenshots are the pictures of cmd/sluice/README.md, below .github.
var screenshots = []string{"compare.png", "report-dark.png", "report.png", "row.png"}

// TestScreenshots holds that the README of the commands shows all pictures, that they are pictures, and that they are small. With -update it
// takes them anew.
func TestScreenshots(t *testing.T) {
	if *update {
		needs(t)
		corpus := fixture{"screenshots", "", "prepare.hcl", func() map[string][]byte { return ordinary(40_000) }, nil}
		before := named(t, corpus.run(t), "before")
		now := named(t, corpus.run(t, "--var", "near=0", "--var", "target=qwen3"), "now")
		report := "file://" + filepath.Join(now, "report.html")
		at := view(t, now, "--against", before)
		node(t, "screenshots.mjs", object{"allowed": []string{report, at}, "report": report, "view": at, "to": "../../../.github"})
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob("../../../.github/*.png")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range have {
		have[i] = filepath.Base(path)
		text, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		if _, err := png.DecodeConfig(text); err != nil {
			t.Errorf("%s: %v", have[i], err)
		}
		if info, err := text.Stat(); err != nil || info.Size() > 300_000 {
			t.Errorf("%s: want at most 300 kB, have %d bytes (%v)", have[i], info.Size(), err)
		}
		if !strings.Contains(string(readme), ".github/"+have[i]) {
			t.Errorf("cmd/sluice/README.md does not show .github/%s", have[i])
		}
	}
	if !slices.Equal(have, screenshots) {
		t.Errorf("want .github to have %v, have %v", screenshots, have)
	}
}

// named moves the folder of a run under a name that people read, and gives the run.
func named(t *testing.T, run, name string) string {
	t.Helper()
	dir := filepath.Join(work, name)
	if err := os.Rename(filepath.Dir(run), dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, filepath.Base(run))
}

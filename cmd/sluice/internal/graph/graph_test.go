package graph

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host"
)

// TestDrawingFits protects that a drawing of each shipped pipeline fits a terminal of 80 columns.
func TestDrawingFits(t *testing.T) {
	files, err := filepath.Glob("../../../../pipelines/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("want pipelines, have none (%v)", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".test.hcl") || strings.HasSuffix(file, ".steps.hcl") {
			continue
		}
		g, err := host.LoadGraph(file, nil, host.Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for line := range strings.Lines(Text(g)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%s: want lines of at most %d characters, have %d: %s", file, width, n, line)
			}
		}
	}
}

package plugindocs

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

var update = flag.Bool("update", false, "write pipelines/plugins.md")

// TestReference holds the reference of what is built in to what sources, sinks and plugins say of themselves. With -update it
// is written anew.
func TestReference(t *testing.T) {
	const path = "../../../../pipelines/plugins.md"
	pages, err := All(t.Context(), "", "", host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Markdown(pages, true)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("want %s as sluice docs --markdown writes it, which go test ./cmd/sluice/internal/plugindocs -update does (-want +have):\n%s", path, diff)
	}
}

// TestDocsFit protects that documentation fits a terminal of 80 columns, but for words that are longer.
func TestDocsFit(t *testing.T) {
	pages, err := All(t.Context(), "", "", host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(List(pages) + Text(pages) + CodesText(Codes())) {
		line = strings.TrimSuffix(line, "\n")
		if len([]rune(line)) > width && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("want lines of at most %d characters, have %q", width, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("want no blank at the end of a line, have %q", line)
		}
	}
}

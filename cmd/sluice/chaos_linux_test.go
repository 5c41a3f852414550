package main

import (
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chaos"
)

var programs = flag.String("programs", "", "folder of the programs sluice and sluice-plugin-chaos for TestChaos; by default those of the tests, of which the first starts slower")

// TestChaos runs drawn pipelines on drawn corpora, and makes the program, its plugins and the disk fail while they run. Whatever breaks,
// every record ends in exactly one place, in order, and what was there before is not touched by a run that fails.
func TestChaos(t *testing.T) {
	t.Parallel()
	var p chaos.Programs
	for name, path := range map[string]*string{"sluice": &p.Sluice, "sluice-plugin-chaos": &p.Plugin} {
		found, err := exec.LookPath(filepath.Join(*programs, name))
		if err != nil {
			t.Fatal(err)
		}
		*path = found
	}
	h, err := chaos.New(p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { t.Log(told(h.Tally())) })
	for s := range drawn(4, 30) {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			if err := h.Run(s); err != nil {
				t.Errorf("repeat it by: go test ./cmd/sluice -run TestChaos -scenarios 1 -seed %d\n%v", s, err)
			}
		})
	}
}

func told(t chaos.Tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios of %d runs (%d resumed) that read %d records; %d failed: lost %d, doubled %d, out of order %d, hangs %d\n",
		t.Scenarios, t.Runs, t.Resumed, t.Records, t.Failed, t.Lost, t.Doubled, t.OutOfOrder, t.Hangs)
	for _, kind := range slices.Sorted(maps.Keys(t.Faults)) {
		fmt.Fprintf(&b, "%7d %s\n", t.Faults[kind], kind)
	}
	return b.String()
}

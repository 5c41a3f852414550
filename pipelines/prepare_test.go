package pipelines_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

// TestPrepareLeaksNothing holds, for rows of which some say their split and some do not, in any order, that no trajectory and
// no conversation stands in two splits.
func TestPrepareLeaksNothing(t *testing.T) {
	words := []string{"", "", "", "train", "validation", "dev", "test", "Test"}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 0))
		var rows strings.Builder
		for range 400 {
			fmt.Fprintf(&rows, `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"prompt":"question %d"},"response":{"text":"yes"},"trajectoryId":"t%d","metadata":{"split":"%s"}}`+"\n",
				r.IntN(200), r.IntN(60), words[r.IntN(len(words))])
		}
		in, out := filepath.Join(t.TempDir(), "in.jsonl"), t.TempDir()
		if err := os.WriteFile(in, []byte(rows.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := host.Load("prepare.hcl", host.Options{BuiltIns: plugins.All, InProcess: true, Vars: map[string]string{
			"input": in, "out": out, "val": "0.3", "test": "0.3",
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		stands := map[string]string{} // trajectories and conversations: the split of each
		for _, split := range []string{"train", "val", "test"} {
			text, err := os.ReadFile(filepath.Join(out, "canonical", split+".jsonl"))
			if err != nil || len(text) == 0 {
				t.Fatalf("want rows of %s, have %d bytes, %v", split, len(text), err)
			}
			for row := range strings.Lines(string(text)) {
				for _, path := range []string{"trajectoryId", "request.prompt"} {
					what := gjson.Get(row, path).String()
					if other := stands[what]; other != "" && other != split {
						t.Errorf("seed %d: want %s in one split, have it in %s and %s", seed, what, other, split)
					}
					stands[what] = split
				}
			}
		}
	}
}

package pipelines_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

// corpus is a folder with rows of the runtime itself, which are not part of the repository.
const corpus = "../../shared/corpus"

// TestCorpus holds that every row of the runtime is written, to the corpus and as it is rendered, but for those that are left
// out because they came before. The one for calibration is in the corpus alone.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus, "*.jsonl"))
	if len(files) == 0 {
		t.Skipf("the rows of the runtime are absent: %v", err)
	}
	for file, dropped := range map[string]string{"eliza-sft.hcl": "", "prepare.hcl": "dedup"} {
		out := t.TempDir()
		p, err := host.Load(file, host.Options{BuiltIns: plugins.All, InProcess: true, Vars: map[string]string{"input": filepath.Join(corpus, "*.jsonl"), "out": out}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		totals := r.Receipt.Totals
		rejects := map[string]int64{"eliza-sft.hcl": 1}[file]
		if calibration := totals.Rejected.By["calibration"]; totals.Rejected.Total != calibration || calibration != rejects {
			t.Errorf("%s: want %d rejects, for calibration, have %v", file, rejects, totals.Rejected.By)
		}
		if totals.Dropped.Total > 0 && dropped == "" {
			t.Errorf("%s: want nothing dropped, have %v", file, totals.Dropped.By)
		}
		if gone := totals.Dropped.Total + totals.Rejected.Total; totals.Read+totals.Teed+totals.Extra != totals.Written+gone || gone > totals.Read/4 {
			t.Errorf("%s: want most of %d rows written, have %d left out", file, totals.Read, gone)
		}
		if _, err := os.Stat(filepath.Join(out, "receipt.json")); err != nil {
			t.Error(err)
		}
	}
}

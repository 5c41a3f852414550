package privacy

import (
	"bufio"
	"os"
	"testing"

	"github.com/tidwall/gjson"
)

// TestStructureOfSharedRecords holds that every record keeps its shape: as many nodes, of the same kinds but for
// numbers that became markers, and JSON in every string that held JSON.
func TestStructureOfSharedRecords(t *testing.T) {
	f := &standard{engine: newEngine(options{regions: defaultRegions}), actions: actions{hasher: newHasher(nil)}}
	for file, path := range map[string]string{
		"../../../shared/cases/render-cases.jsonl": "input", "../../../shared/cases/adapter-cases.jsonl": "input",
		"../../../shared/corpus/eliza-smoke.jsonl": "@this", "../../../shared/corpus/eliza-sft.jsonl": "@this",
	} {
		in, err := os.Open(file)
		if err != nil {
			t.Skipf("shared material absent: %s", file)
		}
		defer in.Close()
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 64<<20)
		for n := 1; lines.Scan(); n++ {
			doc := gjson.Get(lines.Text(), path).Raw
			out := string(apply(nil, doc, edits(t, f, doc)))
			if problem := sameShape(doc, out); problem != "" {
				t.Errorf("%s:%d: %s", file, n, problem)
			}
			if again := edits(t, f, out); len(again) > 0 {
				t.Errorf("%s:%d: want nothing left, have %d edits", file, n, len(again))
			}
		}
	}
}

func sameShape(before, after string) string {
	if gjson.Valid(before) && !gjson.Valid(after) {
		return "want JSON, have none"
	}
	old, now := tape(nil).read(before), tape(nil).read(after)
	if len(old) != len(now) {
		return "want as many nodes as before, have others"
	}
	for i := range old {
		if old[i].kind != now[i].kind && !(old[i].kind == '0' && now[i].kind == '"') {
			return "want nodes of the same kinds, have others"
		}
		if old[i].kind != '"' {
			continue
		}
		if text := decode(before, old[i]).s; isEmbedded(text) {
			if problem := sameShape(text, decode(after, now[i]).s); problem != "" {
				return "in a string: " + problem
			}
		}
	}
	return ""
}

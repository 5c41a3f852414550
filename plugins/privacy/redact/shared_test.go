package redact

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
)

// TestStructureOfSharedRecords holds that every record keeps its shape: as many nodes, of the same kinds but for
// numbers that became markers, and JSON in every string that held JSON.
func TestStructureOfSharedRecords(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for file, path := range map[string]string{
		"../../../../shared/cases/render-cases.jsonl": "input", "../../../../shared/cases/adapter-cases.jsonl": "input",
		"../../../../shared/corpus/eliza-smoke.jsonl": "@this", "../../../../shared/corpus/eliza-sft.jsonl": "@this",
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.Open(file)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("shared material absent")
			}
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 64<<20)
			for n := 1; lines.Scan(); n++ {
				doc := gjson.Get(lines.Text(), path).Raw
				out := edited(t, f, doc)
				if problem := sameShape(doc, out); problem != "" {
					t.Errorf("line %d: %s", n, problem)
				}
				if again := edited(t, f, out); again != out {
					t.Errorf("line %d: want nothing left, have something", n)
				}
			}
			if err := lines.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func sameShape(before, after string) string {
	if gjson.Valid(before) && !gjson.Valid(after) {
		return "want JSON, have none"
	}
	for i, j := 0, 0; ; {
		kind, start, end, next := Token(before, i)
		other, from, to, behind := Token(after, j)
		if kind != other && !(kind == NumberKind && other == StringKind) {
			return "want nodes of the same kinds, have others"
		}
		if kind == 0 {
			return ""
		}
		i, j = next, behind
		if kind != StringKind {
			continue
		}
		if text := Decode(before[start:end], start).Decoded; isEmbedded(text) {
			if problem := sameShape(text, Decode(after[from:to], from).Decoded); problem != "" {
				return "in a string: " + problem
			}
		}
	}
}

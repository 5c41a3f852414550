package publish

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestNameSplits protects rows that are held out from being published as training data.
func TestNameSplits(t *testing.T) {
	for _, c := range []struct{ why, files, given, want string }{
		{"the words of plugin split", "o/train.jsonl o/eval.jsonl o/holdout.jsonl", "", "train val test"},
		{"parts and endings", "o/train-00000-of-00002.jsonl.gz o/val-000001.parquet o/test.jsonl.zst", "", "train val test"},
		{"words among others", "o/chat-train.jsonl o/chat_dev_2.jsonl o/val2017.jsonl o/held-out-3.jsonl o/x-repair_eval.jsonl", "", "train val val test repair_eval"},
		{"folders below the one that all are in", "test/o/train/rows.jsonl test/o/val/rows.jsonl", "", "train val"},
		{"folders that share none", "train/rows.jsonl ../test/rows.jsonl rows/val.jsonl", "", "train test val"},
		{"a folder that all are in says nothing", "test/rows.jsonl test/more.jsonl", "", "train train"},
		{"one file", "/a/test/rows.jsonl", "", "train"},
		{"names without a word", "o/wiki.jsonl o/books.jsonl o/invalid.jsonl", "", "train train train"},
		{"rows of another shape", "o/train.jsonl o/val.jsonl o/canonical.rows", "", "train val train"},
		{"a name without a word beside one with", "o/extra.jsonl o/eval.jsonl", "", "o/extra.jsonl: want a name with the word for its split, as eval.jsonl has, have \"extra\"; --split extra=SPLIT says which"},
		{"what --split says", "o/extra-00000-of-00002.jsonl o/eval.jsonl", "extra.jsonl=train", "train val"},
		{"against the name", "o/train.jsonl o/eval.jsonl", "eval=test", "train test"},
		{"a name with two words", "o/train_test.jsonl", "", "o/train_test.jsonl: want a name with the word for one split, have train and test; --split train_test=SPLIT says which"},
		{"a name of no file", "o/train.jsonl", "eval=test", "--split: want the name of an output that is published, such as train, have \"eval\""},
	} {
		var all []source
		for path := range strings.FieldsSeq(c.files) {
			s := source{Output: receipt.Output{Path: path}, config: "chatml"}
			if strings.HasSuffix(path, ".rows") {
				s.config = "canonical"
			}
			all = append(all, s)
		}
		p := publication{Options: Options{Splits: map[string]string{}}}
		if name, split, ok := strings.Cut(c.given, "="); ok {
			p.Splits[name] = split
		}
		have := ""
		if err := p.nameSplits(all); err != nil {
			have = err.Error()
		} else {
			for _, s := range all {
				have += " " + s.split
			}
		}
		if strings.TrimSpace(have) != c.want {
			t.Errorf("%s: want %q, have %q", c.why, c.want, have)
		}
	}
}

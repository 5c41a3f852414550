package canonical

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestSplitOf protects rows that are held out from being trained on because a corpus has another word for it.
func TestSplitOf(t *testing.T) {
	for word, want := range map[string]string{
		"train": "train", "Training": "train", "VAL": "val", "valid": "val", "validation": "val", "dev": "val", "eval": "val",
		"test": "test", "testing": "test", "holdout": "test", "held-out": "test", "held out": "test", "HELD_OUT": "test",
		"repair": "repair_eval", "repair-eval": "repair_eval", "calibration": "calibration",
		"": "", "train_sft": "", "invalid": "", "other": "",
	} {
		if have := SplitOf(word); have != want {
			t.Errorf("SplitOf(%q): want %q, have %q", word, want, have)
		}
	}
}

// TestRepair protects from training on rows that say in another spelling that they are not good.
func TestRepair(t *testing.T) {
	for _, c := range []struct{ split, quality, metadata, want string }{
		{"", `{"success":false}`, "", "unsuccessful"},
		{"", `{"success":"False"}`, "", "unsuccessful"},
		{"", `{"success":0.0}`, "", "unsuccessful"},
		{"", "", `{"quality":{"success":"0"}}`, "unsuccessful"},
		{"", `{"requiresRepair":"TRUE"}`, "", "requires_repair"},
		{"", `{"requiresRepair":1}`, "", "requires_repair"},
		{"", `{"rating":" Repair "}`, "", "requires_repair"},
		{`"repair-eval"`, "", "", "repair_split"},
		{"", "", `{"split":"Repair"}`, "repair_split"},
		{`"train"`, `{"success":"true","requiresRepair":"false","rating":"gold"}`, `{"quality":{"success":false}}`, ""},
		{"", `{"success":null,"requiresRepair":null}`, "", ""},
	} {
		var codes []string
		for _, mark := range Repair(jsontext.JSON(c.split), jsontext.JSON(c.quality), jsontext.JSON(c.metadata)) {
			codes = append(codes, mark.Code)
		}
		if have := strings.Join(codes, " "); have != c.want {
			t.Errorf("Repair(%s, %s, %s): want %q, have %q", c.split, c.quality, c.metadata, c.want, have)
		}
	}
}

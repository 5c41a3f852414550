package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func keep(object string) *Builder {
	b := &Builder{}
	c := jsontext.Cursor{JSON: jsontext.JSON(object)}
	for key := range c.Members() {
		b.Keep(key, c.Value())
	}
	return b
}

func TestRepair(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"a split for training", `{"split": "train", "quality": {"success": true, "rating": "gold"}}`, ""},
		{"the split of the repair loop, in any case", `{"split": " Repair_Eval "}`, `repair_split at split: want a split for training, have "repair_eval"`},
		{"the split in metadata where the top says nothing", `{"split": "", "metadata": {"split": "repair"}}`, `repair_split at metadata.split: want a split for training, have "repair"`},
		{"a split at the top hides the one in metadata", `{"split": "train", "metadata": {"split": "repair"}}`, ""},
		{"0 is false", `{"quality": {"success": 0}}`, `unsuccessful at quality.success: want a successful row, have 0`},
		{"an empty quality hides the one in metadata", `{"quality": {}, "metadata": {"quality": {"success": false}}}`, ""},
		{"a text says it too", `{"metadata": {"quality": {"requiresRepair": "true"}}}`, `requires_repair at metadata.quality.requiresRepair: want a row that needs no repair, have "true"`},
		{"the rating in any case", `{"quality": {"rating": "Repair"}}`, `requires_repair at quality.rating: want a row that needs no repair, have "Repair"`},
	} {
		b := keep(c.in)
		have := ""
		if err := b.CheckRepair(); err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

func TestSettle(t *testing.T) {
	results, _ := sdktest.Run(t, asking, "", `{"q": "q", "a": "a", "id": 7, "uuid": "u", "dataset": "d", "licence": "mit", "agentId": "a", "note": null, "tags": [], "metadata": {"split": "test", "license": "other"}, "meta": "text"}`)
	row := jsontext.JSON(results[0].Emitted[0]).Get("metadata")
	for _, name := range []string{"original_id", "uuid", "source_dataset", "license", "split", "meta"} {
		if row.Get(name) == "" {
			t.Errorf("want %s in the metadata", name)
		}
	}
	for _, name := range []string{"id", "dataset", "licence", "agentId", "note", "tags"} {
		if row.Get(name) != "" {
			t.Errorf("want no %s in the metadata", name)
		}
	}
}

func TestRenamed(t *testing.T) {
	have := Renamed(`{"a": 1.0, "b": null, "c": 2, "d": 3}`, map[string]string{"a": "x", "b": "y", "d": "z"})
	if diff := cmp.Diff(jsontext.JSON(`{"x":1.0,"c":2,"z":3}`), have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if have := Renamed(`{"c": null}`, nil); have != "" {
		t.Errorf("want nothing of an object that says nothing, have %s", have)
	}
}

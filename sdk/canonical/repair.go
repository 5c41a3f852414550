package canonical

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// SplitOf returns the word for a row's split in lower case, and its path: the member split, or else metadata.split. Arguments are
// JSON, or "" for none.
func SplitOf(split, metadata jsontext.JSON) (word, path string) {
	if word = split.Word(); word != "" {
		return word, "split"
	}
	return metadata.Get("split").Word(), "metadata.split"
}

// Repair returns the marks of a row of the repair loop, in any shape: in its split, see SplitOf, and its quality, or else in the
// quality in metadata. It reads them in every spelling: 0 and "false" are false too. Arguments are JSON, or "" for none.
func Repair(split, quality, metadata jsontext.JSON) (marks []Fault) {
	if split == "" && quality == "" && metadata == "" {
		return nil
	}
	mark := func(code, path, format string, args ...any) {
		marks = append(marks, Fault{code, path, fmt.Sprintf(format, args...)})
	}
	if s, path := SplitOf(split, metadata); s == "repair" || s == "repair_eval" {
		mark("repair_split", path, "want a split for training, have %q", s)
	}
	qualityPath := "quality"
	if quality.Kind() != '{' {
		quality, qualityPath = metadata.Get("quality"), "metadata.quality"
	}
	q := quality.Cursor()
	for key := range q.Members() {
		v := q.Value()
		switch w := v.Word(); {
		case key == "success" && (v == "false" || v == "0" || w == "false"):
			mark("unsuccessful", qualityPath+".success", "want a successful row")
		case key == "requiresRepair" && (v == "true" || v == "1" || w == "true"), key == "rating" && w == "repair":
			mark("requires_repair", qualityPath+"."+key, "want a row that needs no repair")
		}
	}
	return marks
}

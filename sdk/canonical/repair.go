package canonical

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Repair gives the marks of a row of the repair loop, whatever its shape: from its members split and quality, and where
// these are silent from those in metadata. It reads them in every spelling: 0
// and "false" are false too. Arguments are JSON, or "" for none.
func Repair(split, quality, metadata jsontext.JSON) (marks []Fault) {
	if split == "" && quality == "" && metadata == "" {
		return nil
	}
	mark := func(code, path, format string, args ...any) {
		marks = append(marks, Fault{code, path, fmt.Sprintf(format, args...)})
	}
	splitPath, qualityPath := "split", "quality"
	noSplit, noQuality := split.Word() == "", quality.Kind() != '{'
	m := metadata.Cursor()
	for key := range m.Members() {
		switch {
		case key == "split" && noSplit:
			split, splitPath = m.Value(), "metadata.split"
		case key == "quality" && noQuality:
			quality, qualityPath = m.Value(), "metadata.quality"
		}
	}
	if s := split.Word(); s == "repair" || s == "repair_eval" {
		mark("repair_split", splitPath, "want a split for training, have %q", s)
	}
	q := jsontext.Cursor{JSON: quality}
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

package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// Auxiliary rejects a row of the repair loop, whatever its shape: by its members split and quality, and where these
// are silent by those in metadata (canonical-record, Accepted input shapes). It reads them in every spelling: 0 and
// "false" are false too (render-and-adapters, R16). Arguments are JSON, or "" for none.
func Auxiliary(split, quality, metadata string) error {
	splitPath, qualityPath := "split", "quality"
	if Word(split) == "" {
		split, splitPath = Lookup(metadata, "split"), "metadata.split"
	}
	if !strings.HasPrefix(quality, "{") {
		quality, qualityPath = Lookup(metadata, "quality"), "metadata.quality"
	}
	if s := Word(split); s == "repair" || s == "repair_eval" {
		return sdk.Reject("repair_split", splitPath, "want a split for training, have %q", s)
	}
	q := jsontext.Cursor{Text: quality}
	for key := range q.Members() {
		v := q.Value()
		switch w := Word(v); {
		case key == "success" && (v == "false" || v == "0" || w == "false"):
			return sdk.Reject("unsuccessful", qualityPath+".success", "want a successful row")
		case key == "requiresRepair" && (v == "true" || v == "1" || w == "true"), key == "rating" && w == "repair":
			return sdk.Reject("requires_repair", qualityPath+"."+key, "want a row that needs no repair")
		}
	}
	return nil
}

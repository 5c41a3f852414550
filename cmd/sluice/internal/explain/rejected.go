package explain

import (
	"fmt"
	"os"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/trace"
)

// Rejected returns the record of a dead letter: from its file, or from the dead letter when that file cannot be read.
func Rejected(row gjson.Result) (trace.Input, error) {
	w := trace.Input{File: row.Get("file").Str, Line: row.Get("line").Int()}
	if info, err := os.Stat(w.File); err == nil && info.Mode().IsRegular() && w.Line > 0 {
		return w, nil
	}
	switch record := row.Get("record"); record.Type {
	case gjson.Null:
		return w, fmt.Errorf("want the record of the reject at %s:%d, have a file that cannot be read, and no record in the row", w.File, w.Line)
	case gjson.String: // it was no JSON
		w.JSON = []byte(record.Str)
	default:
		w.JSON = []byte(record.Raw)
	}
	return w, nil
}

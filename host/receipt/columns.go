package receipt

import (
	"fmt"

	"github.com/sluicehq/sluice/host/internal/output"
)

// Codes of the warnings about columns of Parquet.
const (
	JSONColumn  = "json_column"  // one is written as JSON
	UnmetColumn = "unmet_column" // one has a type that is given, and no row has it
)

// WarnColumns warns of the columns of a file that a sink of Parquet wrote, which are those of all its files. What one part lacks another may have,
// so only of a whole run it says what no row has. show returns the form in which a path is shown.
func WarnColumns(sink string, f output.File, whole bool, show func(string) string) (all []Warning) {
	say := func(code, format string, args ...any) {
		all = append(all, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	for _, c := range f.AsJSON {
		say(JSONColumn, "sink %s: column %s is written as JSON: %s", sink, show(c.Path), c.Why)
	}
	for _, path := range f.Unmet {
		if whole {
			say(UnmetColumn, "sink %s: no row has column %s, which columns gives a type: it is null in all of them", sink, show(path))
		}
	}
	return all
}

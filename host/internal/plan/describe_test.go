package plan

import (
	"slices"
	"testing"
)

// TestDescribed protects that every kind of source and sink says what it is and what its attributes are for, since
// documentation and editors show that.
func TestDescribed(t *testing.T) {
	for _, info := range slices.Concat(SourceKinds(), SinkKinds()) {
		if info.Doc == "" || len(info.Args) == 0 {
			t.Errorf("%s: want a doc and attributes, have %+v", info.Name, info)
		}
		for _, a := range info.Args {
			if a.Doc == "" || a.Example == "" && (a.Required || a.Default == "") {
				t.Errorf("%s: want a doc of %s, and an example or a default, have %+v", info.Name, a.Name, a)
			}
		}
	}
}

package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestOthers holds that the values of records that no case took are counted, that they outlive the memory which they were views
// of, and that free text does not fill the memory.
func TestOthers(t *testing.T) {
	var o Others
	mem := []byte("val")
	for range 3 {
		o.add(jsontext.View(mem))
	}
	copy(mem, "xxx")
	o.add("")
	o.add(strings.Repeat("a", maxOtherValue+1))
	for i := range maxOthers {
		o.add(fmt.Sprint("free ", i))
	}
	o.add("val")
	have := map[string]int64{}
	for value, n := range o.By {
		have[value] = *n
	}
	if have["val"] != 4 || have[""] != 1 || len(have) != maxOthers || o.More != 3 {
		t.Errorf("want val 4 times, no value once, %d values and 3 records more, have %v and %d more", maxOthers, have, o.More)
	}
}

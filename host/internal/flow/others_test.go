package flow

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// TestOthers holds that the values of records that no case took are counted, that they outlive the memory which they were views
// of, and that free text does not fill the memory.
func TestOthers(t *testing.T) {
	var o Others
	mem := []byte("val")
	for range 3 {
		o.add(unsafe.String(&mem[0], len(mem)))
	}
	copy(mem, "xxx")
	o.add("")
	o.add(strings.Repeat("a", maxOtherValue+1))
	for i := range maxOthers {
		o.add(fmt.Sprint("free ", i))
	}
	o.add("val")
	if o.By["val"] != 4 || o.By[""] != 1 || len(o.By) != maxOthers || o.More != 3 {
		t.Errorf("want val 4 times, no value once, %d values and 3 records more, have %v and %d more", maxOthers, o.By, o.More)
	}
}

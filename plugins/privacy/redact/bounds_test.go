package redact

import (
	"runtime"
	"strings"
	"testing"
)

// TestMaxFindings holds that a record with more findings than memory is meant for is rejected, wherever they are, and costs a small
// multiple of its size, and that one with as many as may be is not.
func TestMaxFindings(t *testing.T) {
	text := strings.Repeat("bob.smith@example.com ", 10*MaxFindings)
	list := "[" + strings.Repeat(`"bob.smith@example.com",`, 10*MaxFindings) + "1]"
	for _, c := range []struct {
		reason, doc string
		over        bool
	}{
		{"in one string", `{"a":"` + text + `"}`, true},
		{"in many strings", list, true},
		{"in JSON in a string", `{"a":"` + strings.ReplaceAll(list, `"`, `\"`) + `"}`, true},
		{"as many as may be", `{"a":"` + text[:len(text)/10] + `"}`, false},
	} {
		f := &Filter{Engine: testEngine}
		f.Find(`{"a":"a@example.com"}`, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := f.Find(c.doc, nil)
		runtime.ReadMemStats(&after)
		if found.TooMany != c.over || (err != nil) != c.over || (len(found.Findings) == MaxFindings) == c.over {
			t.Errorf("%s: want over the limit: %t, have %t with %d findings (%v)", c.reason, c.over, found.TooMany, len(found.Findings), err)
		}
		if size, most := after.TotalAlloc-before.TotalAlloc, uint64(8*len(c.doc)); c.over && size > most {
			t.Errorf("%s: want at most %d bytes allocated for %d, have %d", c.reason, most, len(c.doc), size)
		}
	}
}

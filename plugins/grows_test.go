package plugins_test

import (
	"bytes"
	"flag"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// long is set by .ci/run. The plain suite runs representatives of whole products.
var long = flag.Bool("long", false, "run every combination and every record, and not representatives of them")

// A growth is a step with records of any number of parts, as patterns of repeated by what the parts are.
type growth struct {
	plugin sdk.Plugin
	args   string
	rows   map[string]string
	most   int // parts; 0 for any number
}

// TestGrows protects a run from one record that takes hours, or all memory: many of whatever a row can hold many of.
func TestGrows(t *testing.T) {
	for i, c := range slices.Concat(ofCanonical, ofAdapters, ofModelSpec) {
		for j, what := range slices.Sorted(maps.Keys(c.rows)) {
			if shared := i < len(ofCanonical); shared && !*long && j%len(ofCanonical) != i {
				continue // another step runs it
			}
			t.Run(c.plugin.Name+c.args+"/"+what, func(t *testing.T) {
				sdktest.Grows(t, c.plugin, c.args, func(n int) []byte {
					if c.most > 0 {
						n = min(n, c.most)
					}
					return repeated(c.rows[what], n)
				})
			})
		}
	}
}

// repeated returns a pattern with each part in «» written n times with commas, and each part in ‹› n times without. Each %d in a
// part is the number of the repetition.
func repeated(pattern string, n int) []byte {
	var b bytes.Buffer
	for pattern != "" {
		i := strings.IndexAny(pattern, "«‹")
		if i < 0 {
			b.WriteString(pattern)
			break
		}
		b.WriteString(pattern[:i])
		end, comma := "»", ","
		if strings.HasPrefix(pattern[i:], "‹") {
			end, comma = "›", ""
		}
		part, rest, _ := strings.Cut(pattern[i:], end)
		pieces := strings.Split(strings.TrimLeft(part, "«‹"), "%d")
		for k := range n {
			if k > 0 {
				b.WriteString(comma)
			}
			for l, piece := range pieces {
				if l > 0 {
					b.WriteString(strconv.Itoa(k))
				}
				b.WriteString(piece)
			}
		}
		pattern = rest
	}
	return b.Bytes()
}

// TestRepeated holds what the patterns of growing records mean.
func TestRepeated(t *testing.T) {
	if have, want := string(repeated(`[«"a%d"»] ‹%d;› z`, 3)), `["a0","a1","a2"] 0;1;2; z`; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}

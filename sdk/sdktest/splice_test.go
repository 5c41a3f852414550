package sdktest

import (
	"bytes"
	"testing"

	"github.com/sluicehq/sluice/sdk"
)

// TestSpliceGrows holds that splices cost no more each when there are many, in whatever order they come.
func TestSpliceGrows(t *testing.T) {
	for _, tt := range []struct {
		reason string
		place  func(i, n int) int // a permutation of 0 to n-1
	}{
		{"ascending", func(i, n int) int { return i }},
		{"descending", func(i, n int) int { return n - 1 - i }},
		{"from both ends", func(i, n int) int {
			if i%2 == 0 {
				return i / 2
			}
			return n - 1 - i/2
		}},
		{"scattered", func(i, n int) int { return int(uint64(i) * 1_000_003 % uint64(n)) }}, // n is no multiple of that prime
	} {
		p := sdk.Plugin{
			Name: "splice", Doc: "replaces every number", New: func(sdk.Args) (sdk.Processor, error) {
				return sdk.Map(func(r *sdk.Record) error {
					n := len(r.JSON()) / 2
					for i := range n {
						at := 1 + 2*tt.place(i, n)
						if err := r.Splice(at, at+1, []byte("22")); err != nil {
							return err
						}
					}
					return nil
				}), nil
			},
		}
		t.Run(tt.reason, func(t *testing.T) {
			Grows(t, p, "", func(n int) []byte {
				return append(append([]byte("[1"), bytes.Repeat([]byte(",1"), n-1)...), ']')
			})
		})
	}
}

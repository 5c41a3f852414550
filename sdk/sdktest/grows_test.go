package sdktest

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestOutgrows holds which work is too much, with a clock of its own.
func TestOutgrows(t *testing.T) {
	linear := func(n float64) float64 { return n }
	square := func(n float64) float64 { return n * n }
	tests := []struct {
		reason      string
		time, bytes func(n float64) float64 // nanoseconds and bytes for a record of n bytes
		disturbed   int                     // how many measurements of the largest record take ten times as long
		fault       string
	}{
		{reason: "linear work", time: linear, bytes: linear},
		{reason: "linear work that sorts", time: func(n float64) float64 { return 50 * n * math.Log2(n) }, bytes: linear},
		{reason: "linear work of a slow plugin", time: func(n float64) float64 { return 5000 * n }, bytes: linear},
		{reason: "linear work beside a fixed cost", time: func(n float64) float64 { return 1e6 + n }, bytes: func(n float64) float64 { return 1e6 + n }},
		{reason: "work too short for the clock", time: func(float64) float64 { return 0 }, bytes: linear},
		{reason: "a machine that others use for a while", time: func(n float64) float64 { return 100 * n }, bytes: linear, disturbed: 4},
		{reason: "quadratic work", time: square, bytes: linear, fault: "have 144.0 and"},
		{reason: "a quadratic part that shows late", time: func(n float64) float64 { return 100*n + n*n/100 }, bytes: linear, fault: "want at most 60 times the time"},
		{reason: "quadratic work that others slow down", time: square, bytes: linear, disturbed: 4, fault: "have 144.0 and"},
		{reason: "quadratic memory", time: linear, bytes: square, fault: "and 144.0"},
	}
	for _, tt := range tests {
		measured, largest := map[int]int{}, 0
		have := outgrows(func(n int) []byte { return make([]byte, n) }, func(record []byte) spending {
			n, slow := len(record), 1.0
			largest = max(largest, n)
			if measured[n]++; n == largest && measured[n] <= tt.disturbed {
				slow = 10
			}
			return spending{time.Duration(slow * tt.time(float64(n))), uint64(tt.bytes(float64(n)))}
		})
		if tt.fault == "" && have != "" || !strings.Contains(have, tt.fault) {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.fault, have)
		}
	}
}

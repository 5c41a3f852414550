package sdk

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// ring is memory that is used again for every batch, as an arena's is.
type ring struct {
	memory []byte
	used   int
}

func (s *ring) Take(n int) (uint64, []byte) {
	if s.used+n > len(s.memory) {
		return 0, nil
	}
	s.used += n
	return uint64(s.used - n), s.memory[s.used-n : s.used : s.used]
}

func (s *ring) Untake(n int) { s.used -= n }

func (s *ring) Grow(_ context.Context, n int) error {
	s.memory, s.used = make([]byte, 2*(len(s.memory)+n)), 0
	return nil
}

func (s *ring) Limit() int { return math.MaxInt }

func (s *ring) Note(wire.Spot) {}

// BenchmarkWorker measures a batch of records that nobody edits, and of records with one edit each.
func BenchmarkWorker(b *testing.B) {
	row := benchRow(b)
	in := input(slices.Repeat([]string{row}, 100)...)
	for name, proc := range map[string]Processor{
		"unedited": Map(func(*Record) error { return nil }),
		"edited":   Map(func(r *Record) error { return r.Set("stepId", "step-1") }),
		"counted":  Map(func(r *Record) error { r.Count("a", 1); r.Count("b", 1); r.Count("c", 1); return nil }),
	} {
		b.Run(name, func(b *testing.B) {
			w, s := open(b, tester(proc), false), &ring{}
			b.SetBytes(int64(100 * len(row)))
			b.ReportAllocs()
			for b.Loop() {
				s.used = 0
				if err := w.Process(b.Context(), in, s, func(*wire.Reply) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

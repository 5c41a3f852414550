// Package rowbench measures a plugin on rows, without a process.
package rowbench

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/batch"
)

// Run gives the plugin a hundred copies of row, again and again; where rows are taken, the JSON Lines of the file that
// SLUICE_BENCH_CORPUS names instead. Each row must end as taken says: emitted, or not.
func Run(b *testing.B, p sdk.Plugin, args, row string, taken bool) {
	b.Helper()
	records, size := corpus(b, row, taken)
	w, err := p.Open([]byte(args), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	out := space{}
	for b.Loop() {
		out.buf = out.buf[:0]
		err := w.Process(context.Background(), records, &out, func(a batch.Answer) error {
			for _, o := range a.Outcomes {
				if taken != (o.Fault == nil) {
					b.Fatalf("want rows taken to be %v, have %+v", taken, o.Fault)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func corpus(b *testing.B, row string, named bool) (records []batch.Record, size int64) {
	data := []byte(strings.Repeat(row+"\n", 100))
	if file := os.Getenv("SLUICE_BENCH_CORPUS"); named && file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			b.Fatal(err)
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for n := int64(1); lines.Scan() && size < 4<<20; n++ {
		records = append(records, batch.Record{Data: bytes.Clone(lines.Bytes()), File: "bench.jsonl", Line: n})
		size += int64(len(lines.Bytes()))
	}
	return records, size
}

// space is memory without a limit.
type space struct{ buf []byte }

// Take implements batch.Space.
func (s *space) Take(n int) []byte {
	if cap(s.buf)-len(s.buf) < n {
		s.buf = make([]byte, 0, max(64<<20, n))
	}
	s.buf = s.buf[:len(s.buf)+n]
	return s.buf[len(s.buf)-n:]
}

// Grow implements batch.Space.
func (s *space) Grow(context.Context, int) error { return nil }

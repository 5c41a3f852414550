package flow

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sluicehq/sluice/sdk/wire"
)

// An unreadableReader returns chunks of one record of a MiB that could not be read; the first one has a good record in front of it.
type unreadableReader struct{ chunks, read int }

func (u *unreadableReader) Close() error { return nil }

func (u *unreadableReader) Next(context.Context, int) (wire.Chunk, error) {
	var c wire.Chunk
	if u.read == u.chunks {
		return c, io.EOF
	}
	if u.read == 0 {
		c.Add(wire.Record{Data: []byte("1"), File: "in", Line: 1}, nil)
	}
	u.read++
	c.Add(wire.Record{Data: []byte(strings.Repeat("x", 1<<20)), File: "in", Line: int64(u.read + 1)}, &wire.Fault{Code: "invalid_json", Message: "want JSON"})
	return c, nil
}

// A stuckWriter writes nothing until it is told to.
type stuckWriter struct {
	lineWriter
	free chan struct{}
}

func (s *stuckWriter) Write(records []wire.Record) error {
	<-s.free
	return s.lineWriter.Write(records)
}

// While a sink writes nothing, the rejects that wait behind its record take bounded memory, and all of them are written in the end.
func TestPendingRejectsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &unreadableReader{chunks: 3 * mostPending >> 20}
		out, dead := &stuckWriter{free: make(chan struct{})}, &lineWriter{}
		done := make(chan error)
		go func() {
			done <- Run(t.Context(), Plan{
				Sources: []*Source{{Name: "in.x", Reader: in}}, Body: []Node{&Sink{Name: "main", Writer: out}},
				DeadLetter: &Sink{Name: "dead", Writer: dead}, Account: &Totals{},
			})
		}()
		synctest.Wait()
		if most := mostPending>>20 + 1; in.read > most {
			t.Errorf("want at most %d chunks read while the first one is stuck, have %d", most, in.read)
		}
		close(out.free)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(dead.String(), "\n"); n != in.chunks || out.String() != "1\n" {
			t.Errorf("want 1 record written and %d rejected, have %q and %d", in.chunks, out.String(), n)
		}
	})
}

// Records that dozens of steps decline for the same reasons cost no reading of the reasons each.
func TestReasonsAreReadOnce(t *testing.T) {
	allocations := func(steps int) float64 {
		d := &declineReasons{}
		why := func() (r *declineReason) {
			for i := range steps {
				r = d.add(fmt.Sprint("shape.s", i), fmt.Sprintf("want a list of words%d, or the word thing%d", i, i), r)
			}
			return r
		}()
		record := []byte(`{"a":1}`)
		d.outcome("shape", why, record)
		return testing.AllocsPerRun(100, func() { d.outcome("shape", why, record) })
	}
	if few, many := allocations(10), allocations(80); many > few {
		t.Errorf("want as many allocations a record with 80 steps as with 10, have %v and %v", many, few)
	}
}

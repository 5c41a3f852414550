package rpc

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A grower is a plugin process whose records become so many times as long. It asks for no more than its next record takes.
type grower struct {
	pb.UnimplementedPluginServer
	times float64
}

func (g *grower) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	if _, err := stream.Recv(); err != nil { // the start
		return err
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil
		}
		b := m.GetBatch()
		at, left, reply := b.Grant.Offset, b.Grant.Length, &pb.FromWorker{}
		for _, n := range b.Lengths {
			n = uint64(float64(n) * g.times)
			if n > left {
				reply.Need = n
				if err := stream.Send(reply); err != nil {
					return err
				}
				if m, err = stream.Recv(); err != nil {
					return err
				}
				at, left, reply = m.GetGrant().Offset, m.GetGrant().Length, &pb.FromWorker{}
			}
			reply.Verdicts, reply.Emitted = append(reply.Verdicts, byte(wire.Emitted)), append(reply.Emitted, 1)
			reply.Offsets, reply.Lengths = append(reply.Offsets, at), append(reply.Lengths, n)
			at, left = at+n, left-n
		}
		reply.Done = true
		if err := stream.Send(reply); err != nil {
			return err
		}
	}
}

// granted counts grants.
type granted struct {
	receiver
	n int
}

func (g *granted) Waiting(begins bool) {
	if begins {
		g.n++
	}
}

// TestFewGrants holds that records which grow are not granted one by one, however little a plugin asks for: once the host
// has seen a batch, one grant is enough for each quarter of an arena's budget.
func TestFewGrants(t *testing.T) {
	const batches, size, budget = 4, 1 << 18, 1 << 20
	for _, length := range []int{227, 8600, size} {
		for _, times := range []float64{0.3, 1, 1.4, 5, 12} {
			t.Run(fmt.Sprintf("%d bytes become %v times as long", length, times), func(t *testing.T) {
				out := wire.NewArena(bytes.Repeat([]byte("1"), 4<<20), budget, nil) // any part of it is a number
				source := wire.NewArena(bytes.Repeat([]byte("1"), size), size, nil)
				region, err := source.Alloc(t.Context(), size)
				if err != nil {
					t.Fatal(err)
				}
				var in []wire.Record
				for at := 0; at+length <= size; at += length {
					in = append(in, wire.Record{Data: region.Bytes()[at : at+length], Mem: region})
				}
				w, err := dial(t, &grower{times: times}).Worker(t.Context(), 0, WorkerOptions{
					Plugin: "grower", Shared: true, Out: out, IDs: map[*wire.Arena]uint32{source: 0, out: 1}, Capacity: 4 << 20, Depth: 100,
				})
				if err != nil {
					t.Fatal(err)
				}
				for batch := range batches {
					g := &granted{receiver: ignore}
					if err := w.Process(t.Context(), in, g); err != nil {
						t.Fatal(err)
					}
					most := 2 + int(times*size)/(budget/4)
					if batch == 0 {
						most += 4 // each larger than the one before
					}
					if g.n > most {
						t.Errorf("batch %d: want at most %d grants, have %d", batch, most, g.n)
					}
				}
			})
		}
	}
}

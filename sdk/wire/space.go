package wire

import (
	"context"
	"fmt"
	"unsafe"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// inlineChunk is about how many bytes one message carries where there is no shared memory.
const inlineChunk = 1 << 20

// A space is what a worker writes to: a granted region of its arena, or a buffer that goes inline.
type space struct {
	server *server
	stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]
	shared bool
	mem    []byte // the whole arena, or the buffer
	next   int    // offset in mem
	end    int
	held   *pb.FromWorker // the last answer, which can say too that the batch is done or that memory is needed
}

var _ batch.Space = (*space)(nil)

func (s *space) use(g *pb.Grant) error {
	if !s.shared {
		s.mem, s.next, s.end = make([]byte, inlineChunk), 0, inlineChunk
		return nil
	}
	if g == nil || int(g.Arena) >= len(s.server.arenas) || !s.server.arenas[g.Arena].GetWritable() {
		return fmt.Errorf("want a grant in a writable arena, have %v", g)
	}
	mem := s.server.arenas[g.Arena].mem
	if g.Offset+g.Length > uint64(len(mem)) {
		return fmt.Errorf("want a grant inside the arena, have offset %d and length %d of %d", g.Offset, g.Length, len(mem))
	}
	s.mem, s.next, s.end = mem, int(g.Offset), int(g.Offset+g.Length)
	return nil
}

func (s *space) Take(n int) []byte {
	if s.next+n > s.end {
		return nil
	}
	at := s.next
	s.next += n
	return s.mem[at : at+n : at+n]
}

func (s *space) Grow(ctx context.Context, n int) error {
	if uint64(n) > s.server.capacity {
		return fmt.Errorf("%w: want at most %d bytes, have %d", batch.ErrTooLarge, s.server.capacity, n)
	}
	if !s.shared {
		if err := s.flush(); err != nil {
			return err
		}
		size := max(n, inlineChunk)
		s.mem, s.next, s.end = make([]byte, size), 0, size
		return nil
	}
	if s.held == nil {
		s.held = &pb.FromWorker{}
	}
	s.held.Need = uint64(n)
	if err := s.flush(); err != nil {
		return err
	}
	msg, err := s.stream.Recv()
	if err != nil {
		return err
	}
	return s.use(msg.GetGrant())
}

// answer sends the answer before a, and holds a.
func (s *space) answer(a batch.Answer) error {
	err := s.flush()
	s.held = s.encode(a)
	return err
}

func (s *space) done() error {
	if s.held == nil {
		s.held = &pb.FromWorker{}
	}
	s.held.Done = true
	return s.flush()
}

func (s *space) flush() error {
	if s.held == nil {
		return nil
	}
	m := s.held
	s.held = nil
	return s.stream.Send(m)
}

// encode writes an answer as a message. New records are told from views of the input by where they lie.
func (s *space) encode(a batch.Answer) *pb.FromWorker {
	m := &pb.FromWorker{Verdicts: make([]byte, len(a.Outcomes))}
	var n uint32
	base := uintptr(unsafe.Pointer(unsafe.SliceData(s.mem)))
	for i, o := range a.Outcomes {
		m.Verdicts[i] = byte(o.Verdict)
		if f := o.Fault; f != nil {
			m.Faults = append(m.Faults, &pb.Fault{Code: f.Code, Path: f.Path, Message: f.Message, Record: f.Record})
		}
		if o.Verdict != batch.Emitted {
			continue
		}
		m.Emitted = append(m.Emitted, uint32(len(o.Emitted)))
		for _, r := range o.Emitted {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(r.Data))) - base
			switch {
			case at >= uintptr(len(s.mem)): // not in the space, so the input record's own bytes
				m.Offsets, m.Lengths = append(m.Offsets, 0), append(m.Lengths, 0)
			case s.shared:
				m.Offsets, m.Lengths = append(m.Offsets, uint64(at)), append(m.Lengths, uint64(len(r.Data)))
			default:
				m.Offsets, m.Lengths = append(m.Offsets, uint64(len(m.Inline))), append(m.Lengths, uint64(len(r.Data)))
				m.Inline = append(m.Inline, r.Data...)
			}
			if len(r.Labels) > 0 {
				m.Labels = append(m.Labels, encodeLabels(n, r.Labels))
			}
			n++
		}
	}
	for _, x := range a.Sides {
		m.Sides = append(m.Sides, &pb.Side{Index: uint32(x.Index), Output: x.Output, Json: x.JSON})
	}
	for _, c := range a.Counts {
		m.Counts = append(m.Counts, &pb.Count{Name: c.Name, N: c.N})
	}
	return m
}

func encodeLabels(index uint32, labels []batch.Label) *pb.Labels {
	m := &pb.Labels{Index: index}
	for _, l := range labels {
		m.Names, m.Values = append(m.Names, l.Name), append(m.Values, l.Value)
	}
	return m
}

func decodeLabels(m *pb.Labels) []batch.Label {
	labels := make([]batch.Label, len(m.Names))
	for i := range m.Names {
		labels[i] = batch.Label{Name: m.Names[i], Value: m.Values[i]}
	}
	return labels
}

package rpc

import (
	"context"
	"encoding/binary"
	"fmt"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// inlineChunk is about how many bytes one message carries where there is no shared memory.
const inlineChunk = 1 << 20

// A space is the memory that a worker writes to: a granted region of its arena, or a buffer that goes inline.
type space struct {
	server *server
	stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]
	mem    []byte         // the granted memory, or the buffer
	base   uint64         // offset of mem in its arena; 0 for a buffer
	next   int            // in mem
	sent   int            // of a buffer, what earlier messages carried
	note   []byte         // 8 bytes at a multiple of 8, which one instruction writes
	held   *pb.FromWorker // the last answer, held back since it can also carry a need for memory
}

var _ wire.Space = (*space)(nil)

func (s *space) shared() bool { return len(s.server.arenas) > 0 }

func (s *space) use(g *pb.Grant) error {
	if !s.shared() {
		s.mem, s.next, s.sent = make([]byte, inlineChunk), 0, 0
		return nil
	}
	if g == nil || int(g.Arena) >= len(s.server.arenas) || !s.server.arenas[g.Arena].GetWritable() {
		return fmt.Errorf("want a grant in a writable arena, have %v", g)
	}
	a := s.server.arenas[g.Arena]
	size := uint64(len(a.mem))
	if g.Offset > size || g.Length > size-g.Offset {
		return fmt.Errorf("want a grant inside the arena, have offset %d and length %d of %d", g.Offset, g.Length, size)
	}
	s.mem, s.base, s.next = a.mem[g.Offset:g.Offset+g.Length], g.Offset, 0
	s.note = a.note()
	return nil
}

func (s *space) Take(n int) (uint64, []byte) {
	if n > len(s.mem)-s.next {
		return 0, nil
	}
	at := s.next
	s.next += n
	return s.base + uint64(at-s.sent), s.mem[at : at+n : at+n]
}

func (s *space) Untake(n int) { s.next -= n }

func (s *space) Note(at wire.Spot) {
	if s.note != nil {
		binary.LittleEndian.PutUint64(s.note, at.Note())
	}
}

func (s *space) Limit() int { return int(s.server.capacity) }

// Grow asks the host for memory. The host may grant more than that.
func (s *space) Grow(ctx context.Context, n int) error {
	if !s.shared() {
		if err := s.flush(); err != nil {
			return err
		}
		s.mem, s.next, s.sent = make([]byte, max(n, inlineChunk)), 0, 0
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

// reply sends the answer held before, and holds r.
func (s *space) reply(r *wire.Reply) error {
	if err := s.flush(); err != nil {
		return err
	}
	if !s.server.runs {
		r = r.Expanded()
	}
	s.held = encodeReply(r)
	if !s.shared() {
		s.held.Inline, s.sent = s.mem[s.sent:s.next], s.next
	}
	return nil
}

func (s *space) flush() error {
	if s.held == nil {
		return nil
	}
	m := s.held
	s.held = nil
	if m.Done && s.note != nil {
		clear(s.note)
	}
	return s.stream.Send(m)
}

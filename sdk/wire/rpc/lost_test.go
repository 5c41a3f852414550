package rpc

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestTooLargeMessage holds that a message which is too large is a breach, as any other is, so that the record which it answers is found
// and rejected.
func TestTooLargeMessage(t *testing.T) {
	w := &Worker{opts: WorkerOptions{Plugin: "wide", Capacity: 1 << 20}}
	err := w.lost(status.Error(codes.ResourceExhausted, "grpc: "+tooLargeMessage+" (2 vs. 1)"))
	if b, ok := errors.AsType[*wire.Breach](err); !ok || b.Plugin != "wide" {
		t.Errorf("want a breach of plugin wide, have %T: %v", err, err)
	}
}

// A brokenStream takes no message. What came before it broke is still received.
type brokenStream struct {
	grpc.BidiStreamingClient[pb.ToWorker, pb.FromWorker]
	came      int // messages
	sent, end error
}

func (s *brokenStream) Send(*pb.ToWorker) error { return s.sent }

func (s *brokenStream) Recv() (*pb.FromWorker, error) {
	if s.came == 0 {
		return nil, s.end
	}
	s.came--
	return &pb.FromWorker{Done: true}, nil
}

func (s *brokenStream) Trailer() metadata.MD { return nil }

type brokenClient struct {
	pb.PluginClient
	*brokenStream
}

func (c brokenClient) Work(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[pb.ToWorker, pb.FromWorker], error) {
	return c.brokenStream, nil
}

// TestBrokenStream holds that whatever is sent over a stream that has ended, the error is that of the stream, which comes behind the
// messages that came before it.
func TestBrokenStream(t *testing.T) {
	ended, refused := status.Error(codes.Unknown, "could not open"), status.Error(codes.Internal, "cannot be sent")
	out := wire.NewArena(make([]byte, 1<<12), 1<<12, nil)
	opts := WorkerOptions{Plugin: "broken", Out: out, Capacity: 1 << 12, Depth: 100}
	sends := map[string]func(s *brokenStream, w *Worker) error{
		"the start of a worker": func(s *brokenStream, _ *Worker) error {
			_, err := (&Client{rpc: brokenClient{brokenStream: s}}).Worker(t.Context(), 0, opts)
			return err
		},
		"a batch": func(_ *brokenStream, w *Worker) error {
			return w.Process(t.Context(), []wire.Record{{Data: []byte("1")}}, receiver(ignore))
		},
		"the wish for a state": func(_ *brokenStream, w *Worker) error { return w.Save(t.Context(), io.Discard) },
		"a state":              func(_ *brokenStream, w *Worker) error { return w.Restore(t.Context(), strings.NewReader("state")) },
	}
	for _, c := range []struct {
		reason          string
		came            int
		sent, end, want error
	}{
		{"it has ended", 0, io.EOF, ended, ended},
		{"it has ended behind a message", 1, io.EOF, ended, ended},
		{"it has ended behind several", 3, io.EOF, ended, ended},
		{"it has ended without an error", 1, io.EOF, io.EOF, ErrEnded},
		{"it is this end that cannot send", 1, refused, io.EOF, refused},
	} {
		for what, send := range sends {
			s := &brokenStream{came: c.came, sent: c.sent, end: c.end}
			if err := send(s, &Worker{stream: s, cancel: func() {}, opts: opts}); err != c.want {
				t.Errorf("%s, %s: want %v, have %v", what, c.reason, c.want, err)
			}
		}
	}
}

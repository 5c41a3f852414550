package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// maxPiece is how many bytes of a state one message carries.
const maxPiece = 1 << 20

// Save asks the worker for the state of its step and writes it to out. Only when out fails can the worker be used afterwards: then
// the rest of the state has been passed over. The call ends with ctx.
func (w *Worker) Save(ctx context.Context, out io.Writer) error {
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	if err := w.send(&pb.ToWorker{Message: &pb.ToWorker_Save{Save: &pb.Save{}}}); err != nil {
		return w.stateError(ctx, err)
	}
	var failed error
	for {
		m, err := w.stream.Recv()
		if err != nil {
			return w.stateError(ctx, w.lost(err))
		}
		if n := len(m.State); n > maxPiece || n == 0 && !m.Done {
			return w.breach("want from 1 to %d bytes of state in a message, have %d", maxPiece, n)
		}
		if failed == nil {
			_, failed = out.Write(m.State)
		}
		if m.Done {
			return failed
		}
	}
}

// Restore has the worker go on from a state that Save wrote, before its first batch. After an error it cannot be used. The call ends
// with ctx.
func (w *Worker) Restore(ctx context.Context, in io.Reader) error {
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	buf := make([]byte, maxPiece)
	for last := false; !last; {
		n, err := io.ReadFull(in, buf)
		if last = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !last {
			return err
		}
		if err := w.send(&pb.ToWorker{Message: &pb.ToWorker_State{State: &pb.State{Data: buf[:n:n], Last: last}}}); err != nil {
			return w.stateError(ctx, err)
		}
		buf = make([]byte, maxPiece) // the message may still be on its way
	}
	m, err := w.stream.Recv()
	if err != nil {
		return w.stateError(ctx, w.lost(err))
	}
	if !m.Done {
		return w.breach("want it to have taken over its state, have a message without done")
	}
	return nil
}

func (w *Worker) stateError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// saves reports whether the step of the workers can save its state, which is the same for all.
func (s *server) saves() bool {
	if len(s.workers) == 0 {
		return false
	}
	_, err := s.workers[0].saver()
	return err == nil
}

func (w *servedWorker) saver() (wire.Saver, error) {
	if s, ok := w.Worker.(wire.Saver); ok && s.Saves() {
		return s, nil
	}
	return nil, errors.New("want a step that can save its state")
}

// save answers with the state of the step.
func (w *servedWorker) save(stream grpc.ServerStream) error {
	s, err := w.saver()
	if err != nil {
		return err
	}
	if err := s.Save(pieceWriter{stream}); err != nil {
		return err
	}
	return stream.SendMsg(&pb.FromWorker{Done: true})
}

// A pieceWriter sends a state in messages.
type pieceWriter struct{ stream grpc.ServerStream }

func (p pieceWriter) Write(data []byte) (n int, err error) {
	for n < len(data) {
		piece := append([]byte(nil), data[n:min(len(data), n+maxPiece)]...) // the caller may reuse data
		if err := p.stream.SendMsg(&pb.FromWorker{State: piece}); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// restore takes over a state, of which first is the first piece.
func (w *servedWorker) restore(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker], first *pb.State) error {
	s, err := w.saver()
	if err != nil {
		return err
	}
	if w.began {
		return errors.New("want a state once, before the first batch")
	}
	w.began = true
	if err := s.Restore(&pieceReader{stream, first}); err != nil {
		return err
	}
	return stream.Send(&pb.FromWorker{Done: true})
}

// A pieceReader reads a state from messages.
type pieceReader struct {
	stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]
	*pb.State
}

func (p *pieceReader) Read(into []byte) (int, error) {
	for len(p.Data) == 0 && !p.Last {
		m, err := p.stream.Recv()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && m.GetState() == nil {
			err = fmt.Errorf("want a piece of a state, have %T", m.Message)
		}
		if err != nil {
			return 0, err
		}
		p.State = m.GetState()
	}
	if len(p.Data) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.Data)
	p.Data = p.Data[n:]
	return n, nil
}

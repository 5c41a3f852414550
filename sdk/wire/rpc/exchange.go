package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Worker is the host's end of one worker of a plugin process. One goroutine at a time uses it.
type Worker struct {
	stream grpc.BidiStreamingClient[pb.ToWorker, pb.FromWorker]
	cancel context.CancelFunc
	opts   WorkerOptions

	came, made int  // bytes of the last batches, and of the records made of them
	check      bool // the validator returned ErrUnfit, so that trust is over
}

// WorkerOptions describe a worker's chain and where its records lie.
type WorkerOptions struct {
	Plugin    string
	Behind    []wire.Step            // of a chain
	Shared    bool                   // the process maps the arenas; otherwise bytes go inline
	Out       *wire.Arena            // for new records: the plugin's process writes it when it is shared, this one otherwise
	Copy      *wire.Arena            // for copies of them, which the plugin's process cannot write; nil: it is trusted with what it has answered
	IDs       map[*wire.Arena]uint32 // arenas that records may lie in, as the process knows them
	Capacity  int                    // most bytes that one record may become
	Depth     int                    // deepest nesting of new records and rows
	Trust     bool                   // the process was opened with Trust
	Hide      func(string) string    // of wire.Validator
	HideNames func(string) string    // of wire.Validator
	Runs      bool                   // the process has the feature Runs
}

// A Receiver takes a worker's answers.
type Receiver interface {
	Answer(wire.Answer) error // Process returns its error as it is
	Waiting(bool)             // the worker begins or ends waiting for the host's memory
}

// Worker opens the stream to worker n. ctx ends with the process.
func (c *Client) Worker(ctx context.Context, n int, opts WorkerOptions) (*Worker, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.rpc.Work(ctx, grpc.MaxCallRecvMsgSize(opts.mostReceived()), grpc.MaxCallSendMsgSize(maxMessage))
	w := &Worker{stream: stream, cancel: cancel, opts: opts}
	if err == nil {
		err = w.send(&pb.ToWorker{Message: &pb.ToWorker_Start{Start: uint32(n)}})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return w, nil
}

// Close ends the worker and returns the error with which its processor closed. ctx bounds the wait.
func (w *Worker) Close(ctx context.Context) error {
	defer w.cancel()
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	if err := w.stream.CloseSend(); err != nil {
		return err
	}
	switch m, err := w.stream.Recv(); {
	case err == nil:
		return w.breach("want the end of its stream, have a message of %d verdicts", len(m.Verdicts))
	case errors.Is(err, io.EOF):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return w.caused(err)
	}
}

// Process sends one batch and hands its answers to the receiver as they come. Emitted records hold references on their memory.
// After an error the worker cannot be used, except after wire.ErrUnfit: then send the unanswered records again. The call
// ends with ctx.
func (w *Worker) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	x := &exchange{Worker: w, out: out, validator: wire.Validator{
		In: in, Depth: w.opts.Depth, Capacity: w.opts.Capacity, Name: w.opts.Plugin, Behind: w.opts.Behind, Trust: w.opts.Trust && !w.check,
		Hide: w.opts.Hide, HideNames: w.opts.HideNames,
	}}
	if w.opts.Copy != nil && w.opts.Shared {
		x.validator.Copy = func(n int) (*wire.Region, error) { return x.wait(ctx, w.opts.Copy, n) }
	}
	defer x.validator.End()
	err := x.run(ctx)
	x.learn()
	if err != nil && !x.refused && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// breach returns the error of a plugin that breaks the protocol.
func (w *Worker) breach(format string, args ...any) error {
	return &wire.Breach{Plugin: w.opts.Plugin, Err: fmt.Errorf(format, args...)}
}

// An exchange sends one batch to a worker and receives its answers.
type exchange struct {
	*Worker
	out       Receiver
	validator wire.Validator
	refused   bool // the receiver returned an error
	granted   int  // bytes of the last grant
}

func (x *exchange) run(ctx context.Context) error {
	msg, err := x.batch(ctx)
	if err != nil {
		return err
	}
	if err := x.send(&pb.ToWorker{Message: &pb.ToWorker_Batch{Batch: msg}}); err != nil {
		return err
	}
	var unfit error // then the rest of the answer is passed over
	for {
		m, err := x.stream.Recv()
		if err != nil {
			return x.lost(err)
		}
		if unfit == nil {
			err = x.answer(ctx, m)
		}
		switch {
		case err == wire.ErrUnfit:
			x.check, unfit = true, err
		case err != nil:
			return err
		}
		if m.Done {
			return unfit
		}
		if err := x.need(ctx, m.Need); err != nil {
			return err
		}
	}
}

// mostReceived is how many bytes a message of the worker may have: one record with all that it became, and what is said about it.
func (o *WorkerOptions) mostReceived() int { return min(o.Capacity+besides, maxMessage) }

// besides is how many bytes a message may have besides the bytes of records: rows, rejected records and what a trace shows.
const besides = 128 << 20

// lost returns the error for a stream that ended in the middle of a batch, which is never io.EOF.
func (w *Worker) lost(err error) error {
	if TooLarge(err) {
		return w.breach("want messages of at most %d bytes, have a larger one", w.opts.mostReceived())
	}
	if errors.Is(err, io.EOF) {
		return ErrEnded
	}
	return w.caused(err)
}

// caused returns the error at the end of the stream as that of the step and the record which the trailer names.
func (w *Worker) caused(err error) error {
	if n := w.said(stepTrailer); n > 0 && n <= len(w.opts.Behind) {
		err = &wire.StepError{Step: n, Err: err}
	}
	if n := w.said(recordTrailer); n >= 0 {
		err = &wire.RecordError{Record: n, Err: err}
	}
	return err
}

// said returns a number of the trailer, -1 when it has none.
func (w *Worker) said(name string) int {
	if said := w.stream.Trailer().Get(name); len(said) > 0 {
		if n, err := strconv.Atoi(said[0]); err == nil {
			return n
		}
	}
	return -1
}

// ErrEnded says that a worker ended its stream in the middle of a batch.
var ErrEnded = errors.New("want an answer to every record, have the end of the stream")

// send sends a message. Where Send returns io.EOF, it returns the stream's own error, which Recv has behind the messages that came before.
func (w *Worker) send(m *pb.ToWorker) error {
	err := w.stream.Send(m)
	if !errors.Is(err, io.EOF) {
		return err
	}
	for {
		if _, err := w.stream.Recv(); err != nil {
			return w.lost(err)
		}
	}
}

// answer admits one message and hands it to the receiver.
func (x *exchange) answer(ctx context.Context, m *pb.FromWorker) error {
	if len(m.Inline) > 0 {
		if err := x.inline(ctx, m.Inline); err != nil {
			return err
		}
	}
	r, err := decodeReply(m)
	if err != nil {
		return &wire.Breach{Plugin: x.opts.Plugin, Err: err}
	}
	if r.Empty() {
		if m.Need == 0 {
			return x.breach("want an answer, a need for memory or the end of the batch, have an empty message")
		}
		return nil
	}
	a, err := x.validator.Admit(r)
	if err != nil {
		return err
	}
	if a.Empty() {
		return nil // the message only ends the batch
	}
	if err := x.out.Answer(a); err != nil {
		x.refused = true
		return err
	}
	return nil
}

// inline copies bytes that came in a message to this process's memory.
func (x *exchange) inline(ctx context.Context, data []byte) error {
	if x.opts.Shared {
		return x.breach("want new records in the granted memory, have %d bytes inline", len(data))
	}
	if len(data) > x.opts.Out.Cap() {
		return x.breach("want at most %d bytes in a message, have %d", x.opts.Out.Cap(), len(data))
	}
	region, err := x.alloc(ctx, len(data))
	if err != nil {
		return err
	}
	copy(region.Bytes(), data)
	x.validator.Grant(region, 0)
	return nil
}

// need sends the worker a grant of at least the n bytes that it needs, or nothing when it needs none.
func (x *exchange) need(ctx context.Context, n uint64) error {
	if n == 0 {
		return nil
	}
	if !x.opts.Shared || n > uint64(x.opts.Capacity) {
		return x.breach("want a need of at most %d bytes of shared memory, have %d", x.opts.Capacity, n)
	}
	grant, err := x.grant(ctx, max(int(n), min(2*x.granted, x.opts.Out.Budget()/4)))
	if err != nil {
		return err
	}
	return x.send(&pb.ToWorker{Message: &pb.ToWorker_Grant{Grant: grant}})
}

// expect returns how many bytes a batch of that size is granted at first: as much as the last batches came to, and a reserve.
func (x *exchange) expect(size int) int {
	n := size
	if x.came > 0 {
		n = int(float64(size) * float64(x.made) / float64(x.came))
	}
	return min(n+n/4+4096, x.opts.Out.Budget())
}

// learn notes the size of the batch's output. Older batches count less and less.
func (x *exchange) learn() {
	for i := range x.validator.In[:x.validator.Answered()] {
		x.came += len(x.validator.In[i].Data)
	}
	x.made += x.validator.Written()
	x.came, x.made = x.came/2, x.made/2
}

// grant waits for memory. It releases what is left of the last grant first, since the wait may be for it.
func (x *exchange) grant(ctx context.Context, n int) (*pb.Grant, error) {
	region, err := x.alloc(ctx, n)
	if err != nil {
		return nil, err
	}
	base := uint64(region.Offset())
	x.validator.Grant(region, base)
	x.granted = n
	return &pb.Grant{Arena: x.opts.IDs[x.opts.Out], Offset: base, Length: uint64(n)}, nil
}

func (x *exchange) alloc(ctx context.Context, n int) (*wire.Region, error) {
	x.validator.End()
	return x.wait(ctx, x.opts.Out, n)
}

func (x *exchange) wait(ctx context.Context, a *wire.Arena, n int) (*wire.Region, error) {
	x.out.Waiting(true)
	defer x.out.Waiting(false)
	return a.Alloc(ctx, n)
}

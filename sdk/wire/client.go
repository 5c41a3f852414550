package wire

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// A Client is the host's end of one plugin process.
type Client struct {
	rpc    pb.PluginClient
	shared bool
}

// Info is what a plugin says of itself.
type Info struct {
	Name, Doc, Version string
	Ordered, Private   bool
}

// Describe asks the plugin what it is.
func (c *Client) Describe(ctx context.Context) (Info, error) {
	d, err := c.rpc.Describe(ctx, &pb.DescribeRequest{})
	if err != nil {
		return Info{}, err
	}
	return Info{Name: d.Name, Doc: d.Doc, Version: d.Version, Ordered: d.Ordered, Private: d.Private}, nil
}

// An Offer is an arena that the plugin process has as a descriptor and may map.
type Offer struct {
	ID       uint32
	FD       int // in the plugin process
	Size     int
	Writable bool
}

// An ArgError is a mistake in one attribute of a step.
type ArgError struct{ Name, Message string }

// Open makes the workers of a step. It tells whether the plugin maps the arenas; otherwise bytes go inline.
// capacity is the most bytes that one record may become.
func (c *Client) Open(ctx context.Context, args []byte, workers, capacity int, offers []Offer) (shared bool, bad []ArgError, err error) {
	req := &pb.OpenRequest{Args: args, Workers: uint32(workers), Capacity: uint64(capacity)}
	for _, o := range offers {
		req.Arenas = append(req.Arenas, &pb.Arena{Id: o.ID, Fd: uint32(o.FD), Size: uint64(o.Size), Writable: o.Writable})
	}
	resp, err := c.rpc.Open(ctx, req)
	if err != nil {
		return false, nil, err
	}
	for _, e := range resp.Errors {
		bad = append(bad, ArgError{Name: e.Name, Message: e.Message})
	}
	c.shared = resp.Shared
	return resp.Shared, bad, nil
}

// A Worker is the host's end of one worker of a plugin process.
type Worker struct {
	stream grpc.BidiStreamingClient[pb.ToWorker, pb.FromWorker]
	cancel context.CancelFunc
	shared bool
	out    *batch.Arena            // new records lie here
	ids    map[*batch.Arena]uint32 // as the process knows them

	// Waiting, when set, is told when the worker begins and ends to wait for memory.
	Waiting func(bool)
}

// Worker begins to use worker n. New records come to lie in out, which the process writes when memory is shared and
// this process otherwise. ids are the arenas that records may lie in.
func (c *Client) Worker(n int, out *batch.Arena, ids map[*batch.Arena]uint32) (*Worker, error) {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := c.rpc.Work(ctx)
	if err == nil {
		err = stream.Send(&pb.ToWorker{Message: &pb.ToWorker_Start{Start: uint32(n)}})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &Worker{stream: stream, cancel: cancel, shared: c.shared, out: out, ids: ids}, nil
}

// closeTimeout is how long a processor may take to close.
const closeTimeout = 10 * time.Second

// Close ends the worker: its processor is closed once it has answered what it was sent.
func (w *Worker) Close() error {
	defer w.cancel()
	patience := time.AfterFunc(closeTimeout, w.cancel)
	defer patience.Stop()
	if err := w.stream.CloseSend(); err != nil {
		return err
	}
	for {
		if _, err := w.stream.Recv(); err != nil {
			return nil
		}
	}
}

// Process sends one batch and hands over its answers as they come. Emitted records hold references on their memory.
// An error means that the worker is of no more use.
func (w *Worker) Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) error {
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	x := &exchange{Worker: w, in: in}
	defer x.endGrant()
	msg, err := x.batch(ctx)
	if err != nil {
		return err
	}
	if err := w.send(&pb.ToWorker{Message: &pb.ToWorker_Batch{Batch: msg}}); err != nil {
		return x.fail(ctx, err)
	}
	for {
		m, err := w.stream.Recv()
		if err != nil {
			return x.fail(ctx, err)
		}
		if len(m.Verdicts) > 0 || len(m.Sides) > 0 || len(m.Counts) > 0 {
			a, err := x.answer(ctx, m)
			if a.Last = m.Done && x.answered == len(in); err == nil {
				err = emit(a)
			}
			if err != nil {
				return err
			}
		}
		switch {
		case m.Done && x.answered != len(in):
			return fmt.Errorf("want %d records answered, have %d", len(in), x.answered)
		case m.Done:
			return nil
		case m.Need > 0:
			grant, err := x.newGrant(ctx, int(m.Need))
			if err != nil {
				return err
			}
			if err := w.send(&pb.ToWorker{Message: &pb.ToWorker_Grant{Grant: grant}}); err != nil {
				return x.fail(ctx, err)
			}
		}
	}
}

// send reports the stream's own error, which Recv has when Send only says EOF.
func (w *Worker) send(m *pb.ToWorker) error {
	err := w.stream.Send(m)
	if err != nil {
		if _, cause := w.stream.Recv(); cause != nil {
			return cause
		}
	}
	return err
}

// An exchange is one batch on its way through a worker.
type exchange struct {
	*Worker
	in       []batch.Record
	answered int
	region   *batch.Region // granted
	used     int           // bytes of it that answers lie in
}

func (x *exchange) fail(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// batch is the message that carries x.in.
func (x *exchange) batch(ctx context.Context) (*pb.Batch, error) {
	n, size := len(x.in), 0
	for i := range x.in {
		size += len(x.in[i].Data)
	}
	m := &pb.Batch{Lengths: make([]uint64, n), File: make([]uint32, n), Lines: make([]uint64, n)}
	if x.shared {
		m.Arenas, m.Offsets = make([]uint32, n), make([]uint64, n)
	} else {
		m.Inline = make([]byte, 0, size)
	}
	for i := range x.in {
		r := &x.in[i]
		if len(m.Files) == 0 || m.Files[len(m.Files)-1] != r.File {
			m.Files = append(m.Files, r.File)
		}
		m.Lengths[i], m.File[i], m.Lines[i] = uint64(len(r.Data)), uint32(len(m.Files)-1), uint64(r.Line)
		if len(r.Labels) > 0 {
			m.Labels = append(m.Labels, encodeLabels(uint32(i), r.Labels))
		}
		if !x.shared {
			m.Inline = append(m.Inline, r.Data...)
			continue
		}
		id, ok := x.ids[r.Mem.Arena()]
		if !ok {
			return nil, fmt.Errorf("want a record in an arena that the plugin maps, have another at %s:%d", r.File, r.Line)
		}
		m.Arenas[i], m.Offsets[i] = id, uint64(r.Mem.OffsetOf(r.Data))
	}
	if x.shared {
		grant, err := x.newGrant(ctx, min(size+size/4+4096, x.out.Budget()))
		if err != nil {
			return nil, err
		}
		m.Grant = grant
	}
	return m, nil
}

// newGrant gives back what is left of the last one first, since the wait may be for it.
func (x *exchange) newGrant(ctx context.Context, n int) (*pb.Grant, error) {
	x.endGrant()
	if x.Waiting != nil {
		x.Waiting(true)
		defer x.Waiting(false)
	}
	region, err := x.out.Alloc(ctx, n)
	if err != nil {
		return nil, err
	}
	x.region, x.used = region, 0
	return &pb.Grant{Arena: x.ids[x.out], Offset: uint64(region.Offset()), Length: uint64(n)}, nil
}

func (x *exchange) endGrant() {
	if x.region != nil {
		x.region.Shrink(x.used)
		x.region.Release()
		x.region = nil
	}
}

// answer makes a message into outcomes of the next records of x.in.
func (x *exchange) answer(ctx context.Context, m *pb.FromWorker) (batch.Answer, error) {
	a := batch.Answer{Outcomes: make([]batch.Outcome, len(m.Verdicts))}
	if x.answered+len(m.Verdicts) > len(x.in) {
		return a, fmt.Errorf("want at most %d records answered, have %d", len(x.in), x.answered+len(m.Verdicts))
	}
	if len(m.Inline) > 0 {
		if _, err := x.newGrant(ctx, len(m.Inline)); err != nil {
			return a, err
		}
		copy(x.region.Bytes(), m.Inline)
	}
	emitted, err := x.records(m)
	if err != nil {
		return a, err
	}
	faults, counts := m.Faults, m.Emitted
	for i, v := range m.Verdicts {
		o := &a.Outcomes[i]
		o.Verdict = batch.Verdict(v)
		switch o.Verdict {
		case batch.Unchanged:
		case batch.Emitted:
			n := int(counts[0])
			o.Emitted, emitted, counts = emitted[:n:n], emitted[n:], counts[1:]
		case batch.Dropped, batch.Rejected, batch.Declined:
			if len(faults) == 0 {
				return a, fmt.Errorf("want a fault for each record that does not go on, have none for %d", i)
			}
			f := faults[0]
			o.Fault = &batch.Fault{Code: f.Code, Path: f.Path, Message: f.Message, Record: f.Record}
			faults = faults[1:]
		default:
			return a, fmt.Errorf("want a verdict from 0 to 4, have %d", v)
		}
	}
	for _, s := range m.Sides {
		if int(s.Index) >= len(x.in) {
			return a, fmt.Errorf("want a side row of one of %d records, have %d", len(x.in), s.Index)
		}
		a.Sides = append(a.Sides, batch.Side{Index: int(s.Index), Output: s.Output, JSON: s.Json})
	}
	for _, c := range m.Counts {
		a.Counts = append(a.Counts, batch.Count{Name: c.Name, N: c.N})
	}
	x.answered += len(m.Verdicts)
	return a, nil
}

// records are the emitted records of a message, each with its own reference on its memory.
func (x *exchange) records(m *pb.FromWorker) ([]batch.Record, error) {
	total := 0
	for _, n := range m.Emitted {
		total += int(n)
	}
	if total != len(m.Lengths) || total != len(m.Offsets) {
		return nil, fmt.Errorf("want %d emitted records, have %d lengths and %d offsets", total, len(m.Lengths), len(m.Offsets))
	}
	records := make([]batch.Record, total)
	next, counts := 0, m.Emitted
	for i, v := range m.Verdicts {
		if batch.Verdict(v) != batch.Emitted {
			continue
		}
		if len(counts) == 0 {
			return nil, fmt.Errorf("want a number of emitted records for each verdict 1, have too few")
		}
		for range counts[0] {
			r := &records[next]
			*r = x.in[x.answered+i]
			if n := m.Lengths[next]; n > 0 {
				data, err := x.view(m.Offsets[next], n)
				if err != nil {
					return nil, err
				}
				r.Data, r.Mem = data, x.region
			}
			next++
		}
		counts = counts[1:]
	}
	for _, l := range m.Labels {
		if int(l.Index) >= total || len(l.Names) != len(l.Values) {
			return nil, fmt.Errorf("want labels of one of %d records, have %d", total, l.Index)
		}
		records[l.Index].Labels = decodeLabels(l)
	}
	batch.RetainAll(records)
	return records, nil
}

// view checks that bytes lie in what was granted: a plugin can spoil nothing but its own output.
func (x *exchange) view(off, n uint64) ([]byte, error) {
	if x.region == nil {
		return nil, fmt.Errorf("want no new records without a grant, have one of %d bytes", n)
	}
	from := off
	if x.shared {
		from = off - uint64(x.region.Offset())
	}
	mem := x.region.Bytes()
	if from > uint64(len(mem)) || n > uint64(len(mem))-from {
		return nil, fmt.Errorf("want new records inside the grant, have offset %d and length %d", off, n)
	}
	x.used = max(x.used, int(from+n))
	return mem[from : from+n : from+n], nil
}

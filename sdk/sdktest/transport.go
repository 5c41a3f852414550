package sdktest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// noDeadline is the context of cases: the test binary has a time limit of its own.
var noDeadline = context.Background()

// everyTransport runs p over each transport of a host, and once more with interruptions if it saves its state. The outcomes must be the
// same.
func everyTransport(p sdk.Plugin, args string, inputs []string) (outcome, error) {
	direct, err := directly(p, args, inputs)
	if f := flag.Lookup("test.fuzz"); err != nil || f != nil && f.Value.String() != "" {
		return direct, err
	}
	for _, shared := range []bool{true, false} {
		name := "messages"
		if shared {
			name = "shared memory"
		}
		o, err := remotely(p, args, inputs, shared)
		if errors.Is(err, wire.ErrNoSharedMemory) {
			continue
		}
		if err != nil {
			return direct, fmt.Errorf("over %s: %w", name, err)
		}
		if diff := cmp.Diff(direct, o, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(outcome{})); diff != "" {
			return direct, fmt.Errorf("want the same answers in this process and over %s, have (-in process +over %s):\n%s", name, name, diff)
		}
	}
	if len(direct.Bad) > 0 || !saves(p, args) {
		return direct, nil
	}
	o, err := resumed(p, args, inputs)
	if err != nil {
		return direct, fmt.Errorf("interrupted and gone on: %w", err)
	}
	if diff := cmp.Diff(direct, o, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(outcome{})); diff != "" {
		return direct, fmt.Errorf("want the same answers when another processor goes on from a saved state, have (-at once +gone on):\n%s", diff)
	}
	return direct, nil
}

// capacity is how large the output of one record may be over the protocol; smallBudget makes workers ask for memory.
const (
	capacity    = 256 << 20
	smallBudget = 4 << 10
)

// remotely runs p over the protocol of plugin processes.
func remotely(p sdk.Plugin, args string, inputs []string, shared bool) (o outcome, err error) {
	client, end, err := rpc.Pipe(sdk.Host(p))
	if err != nil {
		return o, err
	}
	defer end()
	about, err := client.Describe(noDeadline) // agrees on features
	if err != nil {
		return o, err
	}
	in := records(inputs)
	source, from, err := memory("source", max(1, len(strings.Join(inputs, ""))), shared, true)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	out, to, err := memory("output", capacity, shared, !shared)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := place(in, source); err != nil {
		return o, err
	}
	req := rpc.OpenRequest{Plugin: p.Name, Args: []byte(args), Workers: 1, Capacity: capacity, Poison: true}
	if shared {
		req.Offers = []rpc.Offer{
			{ID: 0, FD: int(from.File.Fd()), Size: len(from.Bytes)},
			{ID: 1, FD: int(to.File.Fd()), Size: len(to.Bytes), Writable: true},
		}
	}
	opened, err := client.Open(noDeadline, req)
	if err != nil || len(opened.Errors) > 0 {
		return outcome{Bad: opened.Errors}, err
	}
	if opened.Mapped != shared {
		return o, errors.New("want the offered memory mapped, have a plugin that did not map it")
	}
	w, err := client.Worker(noDeadline, 0, rpc.WorkerOptions{
		Plugin: p.Name, Shared: shared, Out: out, IDs: map[*wire.Arena]uint32{source: 0, out: 1}, Capacity: capacity, Depth: maxDepth, Runs: about.Has(rpc.Runs),
	})
	if err != nil {
		return o, err
	}
	c := newCollector(in)
	err = batches(p, in, func(in []wire.Record) error { return w.Process(noDeadline, in, c) })
	return c.done(errors.Join(err, w.Close(noDeadline)))
}

// memory returns an arena, in a file that can be mapped when it is shared. ours says that this end writes it.
func memory(name string, n int, shared, ours bool) (*wire.Arena, *wire.Memory, error) {
	var m *wire.Memory
	var err error
	if shared {
		m, err = wire.NewMemory(name, n, ours)
	} else {
		m, err = wire.PrivateMemory(n)
	}
	if err != nil {
		return nil, nil, err
	}
	return wire.NewArena(m.Bytes, smallBudget, nil), m, nil
}

func place(in []wire.Record, a *wire.Arena) error {
	region, err := a.Alloc(noDeadline, a.Cap())
	if err != nil {
		return err
	}
	rest := region.Bytes()
	for i := range in {
		r := &in[i]
		n := copy(rest, r.Data)
		r.Data, r.Mem, rest = rest[:n:n], region, rest[n:]
	}
	return nil
}

// grants is a space of small grants, so that workers have to ask for more.
type grants struct {
	validator wire.Validator
	mem       []byte
	next      int
}

// firstGrant has room for one or two short records.
const firstGrant = 64

func (g *grants) Take(n int) (uint64, []byte) {
	if n > len(g.mem)-g.next {
		return 0, nil
	}
	g.next += n
	return uint64(g.next - n), g.mem[g.next-n : g.next : g.next]
}

func (g *grants) Untake(n int) { g.next -= n }

func (g *grants) Grow(ctx context.Context, n int) error {
	n = max(n, firstGrant)
	region, err := wire.NewArena(make([]byte, n), n, nil).Alloc(ctx, n)
	if err != nil {
		return err
	}
	g.validator.Grant(region, 0)
	g.mem, g.next = region.Bytes(), 0
	return nil
}

func (g *grants) Limit() int { return capacity }

func (g *grants) Note(wire.Spot) {}

// Bench measures a processor of p on batches of all input records.
func Bench(b *testing.B, p sdk.Plugin, args string, inputs ...string) {
	b.Helper()
	Run(b, p, args, inputs...)
	w, _ := worker(p, args, false)
	in, r := records(inputs), &ring{}
	b.SetBytes(int64(len(strings.Join(inputs, ""))))
	b.ReportAllocs()
	for b.Loop() {
		r.next = 0
		if err := w.Process(noDeadline, in, r, func(*wire.Reply) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// A ring is memory that is reused for every batch, as a host's is.
type ring struct{ grants }

func (r *ring) Grow(_ context.Context, n int) error {
	r.mem, r.next = make([]byte, 2*(len(r.mem)+n)), 0
	return nil
}

package rpc

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A faulty is a plugin process that answers every batch with fixed messages, and every grant with the next.
type faulty struct {
	pb.UnimplementedPluginServer
	answers []*pb.FromWorker
	end     error // of its stream, when the host has no more batches
}

func (l *faulty) Open(context.Context, *pb.OpenRequest) (*pb.OpenResponse, error) {
	return &pb.OpenResponse{}, nil
}

func (l *faulty) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	for {
		m, err := stream.Recv()
		if err != nil {
			return l.end
		}
		if m.GetBatch() == nil {
			continue
		}
		for _, a := range l.answers {
			if err := stream.Send(a); err != nil {
				return err
			}
		}
	}
}

// dial serves s and gives a client of it.
func dial(t *testing.T, s pb.PluginServer) *Client {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	pb.RegisterPluginServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///faulty",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return listener.Dial() }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &Client{rpc: pb.NewPluginClient(conn)}
}

type receiver func(wire.Answer) error

func (r receiver) Answer(a wire.Answer) error { return r(a) }
func (r receiver) Waiting(bool)               {}

// send gives two records to a worker of s, with arenas of 64 KiB.
func send(t *testing.T, s pb.PluginServer, shared bool, take receiver) (*Worker, error) {
	t.Helper()
	source := wire.NewArena(make([]byte, 1<<16), 1<<16, nil)
	out := wire.NewArena(make([]byte, 1<<16), 1<<16, nil)
	w, err := dial(t, s).Worker(t.Context(), 0, WorkerOptions{
		Plugin: "faulty", Shared: shared, Out: out, IDs: map[*wire.Arena]uint32{source: 0, out: 1}, Capacity: 1 << 16, Depth: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	region, err := source.Alloc(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	copy(region.Bytes(), "1 2 ")
	in := []wire.Record{{Data: region.Bytes()[:1], Mem: region}, {Data: region.Bytes()[2:3], Mem: region}}
	err = w.Process(t.Context(), in, take)
	if n := out.InUse(); n != 0 {
		t.Errorf("want the worker's arena empty, have %d bytes in use", n)
	}
	return w, err
}

func ignore(a wire.Answer) error {
	for _, o := range a.Outcomes {
		wire.ReleaseAll(o.Emitted)
	}
	return nil
}

// TestFaultyPlugin holds the host's end to what messages may say beyond what the validator checks.
func TestFaultyPlugin(t *testing.T) {
	inline := &pb.FromWorker{Verdicts: []byte{1, 0}, Emitted: []uint32{1}, Offsets: []uint64{0}, Lengths: []uint64{2}, Inline: []byte("{}"), Done: true}
	cases := []struct {
		reason  string
		shared  bool
		answers []*pb.FromWorker
		want    string
	}{
		{"bytes inline while memory is shared would be copied to where the host may not write", true, []*pb.FromWorker{inline}, "want new records in the granted memory, have 2 bytes inline"},
		{"more bytes inline than a step has memory", false, []*pb.FromWorker{{Inline: make([]byte, 1<<17)}}, "want at most 65536 bytes in a message, have 131072"},
		{"a need that is negative as an int", true, []*pb.FromWorker{{Need: 1 << 63}}, "want a need of at most 65536 bytes of shared memory, have 9223372036854775808"},
		{"a need for more than a record may become", true, []*pb.FromWorker{{Need: 1 << 40}}, "want a need of at most 65536 bytes"},
		{"a need where no memory is shared", false, []*pb.FromWorker{{Need: 1}}, "of shared memory, have 1"},
		{"messages that say nothing, for ever", true, []*pb.FromWorker{{}, {}, {}}, "have an empty message"},
		{"an end that comes too early", true, []*pb.FromWorker{{Done: true}}, "want 2 records answered, have 0"},
		{"bytes outside the grant", true, []*pb.FromWorker{{Verdicts: []byte{1, 0}, Emitted: []uint32{1}, Offsets: []uint64{1 << 20}, Lengths: []uint64{4}}}, "inside the grant"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if _, err := send(t, &faulty{answers: c.answers}, c.shared, ignore); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
	if _, err := send(t, &faulty{answers: []*pb.FromWorker{inline}}, false, ignore); err != nil {
		t.Errorf("want bytes inline taken where memory is not shared, have %v", err)
	}
}

// TestRefused holds that what the host says of an answer comes back as it is: it is no fault of the plugin.
func TestRefused(t *testing.T) {
	full := errors.New("disk full")
	_, err := send(t, &faulty{answers: []*pb.FromWorker{{Verdicts: []byte{0, 0}, Done: true}}}, true, func(wire.Answer) error { return full })
	if err != full {
		t.Errorf("want the receiver's error, have %v", err)
	}
}

// TestClose holds that the error with which a processor closes is the host's to know, and that the wait for it has an end.
func TestClose(t *testing.T) {
	done := []*pb.FromWorker{{Verdicts: []byte{0, 0}, Done: true}}
	w, err := send(t, &faulty{answers: done}, true, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("want a quiet end, have %v", err)
	}
	w, err = send(t, &faulty{answers: done, end: errors.New("could not write my totals")}, true, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "could not write my totals") {
		t.Errorf("want the processor's error, have %v", err)
	}
	w, err = send(t, &faulty{answers: append(done, done...)}, true, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "want the end of its stream") {
		t.Errorf("want an answer that nobody asked for told, have %v", err)
	}
}

// stuck is a plugin process that never answers.
type stuck struct{ pb.UnimplementedPluginServer }

func (stuck) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	<-stream.Context().Done()
	return nil
}

// TestCancel holds that a call ends with its context whatever the plugin does.
func TestCancel(t *testing.T) {
	out := wire.NewArena(make([]byte, 1<<12), 1<<12, nil)
	w, err := dial(t, stuck{}).Worker(t.Context(), 0, WorkerOptions{Plugin: "stuck", Out: out, Capacity: 1 << 12, Depth: 100})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no answer in time")
	cancel(why)
	if err := w.Process(ctx, []wire.Record{{Data: []byte("1")}}, receiver(ignore)); !errors.Is(err, why) {
		t.Errorf("want the cause of the context, have %v", err)
	}
}

// TestVersions holds that the two ends agree on the highest version that both know.
func TestVersions(t *testing.T) {
	sets := Versions(nil)
	if len(sets) != MaxVersion-MinVersion+1 || sets[MinVersion] == nil || sets[MaxVersion] == nil {
		t.Errorf("want every version from %d to %d offered, have %v", MinVersion, MaxVersion, sets)
	}
	if have := common([]string{"memory", "of another time"}); len(have) != 1 || have[0] != Memory {
		t.Errorf("want only what both ends have, have %v", have)
	}
}

// TestCopied holds that what a plugin has answered with is copied before it is checked, so that nobody reads what it writes there
// later: neither the record itself nor one that a later step of the chain left as it was.
func TestCopied(t *testing.T) {
	mem := []byte(" {} {}" + strings.Repeat(" ", 1<<12))
	out := wire.NewArena(mem, 1<<12, nil)
	source, copies := wire.NewArena(make([]byte, 8), 8, nil), wire.NewArena(make([]byte, 1<<12), 1<<12, nil)
	inside := &pb.FromWorker{Verdicts: []byte{1, 0}, Emitted: []uint32{2}, Offsets: []uint64{4, 1}, Lengths: []uint64{2, 2}, Done: true, Behind: []*pb.FromWorker{{Verdicts: []byte{0, 0, 0}}}}
	for _, c := range []struct {
		reason string
		answer *pb.FromWorker
		want   string
	}{
		{"two records, in any order", inside, ""},
		{"one past the grant", &pb.FromWorker{Verdicts: []byte{1, 0}, Emitted: []uint32{1}, Offsets: []uint64{1 << 13}, Lengths: []uint64{2}, Done: true, Behind: []*pb.FromWorker{{Verdicts: []byte{0, 0}}}}, "want new records inside the grant"},
		{"no place for one", &pb.FromWorker{Verdicts: []byte{1, 0}, Emitted: []uint32{1}, Lengths: []uint64{2}, Done: true, Behind: []*pb.FromWorker{{Verdicts: []byte{0, 0}}}}, "have 1 lengths, 0 offsets"},
	} {
		w, err := dial(t, &faulty{answers: []*pb.FromWorker{c.answer}}).Worker(t.Context(), 0, WorkerOptions{
			Plugin: "late", Shared: true, Out: out, Copy: copies, IDs: map[*wire.Arena]uint32{source: 0, out: 1}, Capacity: 1 << 12, Depth: 100, Behind: []wire.Step{{Plugin: "behind"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		region, err := source.Alloc(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		copy(region.Bytes(), "1 2 ")
		err = w.Process(t.Context(), []wire.Record{{Data: region.Bytes()[:1], Mem: region}, {Data: region.Bytes()[2:3], Mem: region}}, receiver(func(a wire.Answer) error {
			copy(mem, "}}}}}}") // as the plugin's process may
			for _, r := range a.Out[:2] {
				if string(r.Data) != "{}" || r.Mem.Arena() != copies {
					t.Errorf("%s: want the record as it was checked, have %q", c.reason, r.Data)
				}
			}
			wire.ReleaseAll(a.Outcomes[0].Emitted)
			return nil
		}))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		if a, b := out.InUse(), copies.InUse(); a+b > 0 {
			t.Errorf("%s: want both arenas empty, have %d and %d bytes in use", c.reason, a, b)
		}
		region.Release()
	}
}

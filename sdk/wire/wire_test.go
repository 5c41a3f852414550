package wire

import (
	"context"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// liar is a plugin process that answers every batch with fixed messages.
type liar struct {
	pb.UnimplementedPluginServer
	shared  bool
	answers []*pb.FromWorker
}

func (l *liar) Open(context.Context, *pb.OpenRequest) (*pb.OpenResponse, error) {
	return &pb.OpenResponse{Shared: l.shared}, nil
}

func (l *liar) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil
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
	conn, err := grpc.NewClient("passthrough:///liar",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return listener.Dial() }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &Client{rpc: pb.NewPluginClient(conn)}
}

// TestFaultyPlugin holds the host's end to trusting nothing that a plugin says about memory and records.
func TestFaultyPlugin(t *testing.T) {
	emits := func(off, n uint64) *pb.FromWorker {
		return &pb.FromWorker{Verdicts: []byte{1, 0}, Emitted: []uint32{1}, Offsets: []uint64{off}, Lengths: []uint64{n}}
	}
	done := &pb.FromWorker{Done: true}
	cases := []struct {
		reason  string
		answers []*pb.FromWorker
		want    string
	}{
		{"bytes behind the grant", []*pb.FromWorker{emits(1<<20, 4)}, "want new records inside the grant"},
		{"bytes before the grant", []*pb.FromWorker{emits(^uint64(0)-8, 4)}, "want new records inside the grant"},
		{"a length that wraps around", []*pb.FromWorker{emits(0, ^uint64(0))}, "want new records inside the grant"},
		{"more answers than records", []*pb.FromWorker{{Verdicts: []byte{0, 0, 0}}}, "want at most 2 records answered, have 3"},
		{"fewer answers than records", []*pb.FromWorker{{Verdicts: []byte{0}}, done}, "want 2 records answered, have 1"},
		{"a verdict that does not exist", []*pb.FromWorker{{Verdicts: []byte{9}}}, "want a verdict from 0 to 4, have 9"},
		{"a drop without a reason", []*pb.FromWorker{{Verdicts: []byte{2}}}, "want a fault for each record"},
		{"emitted records without a number", []*pb.FromWorker{{Verdicts: []byte{1}}}, "want a number of emitted records"},
		{"numbers without records", []*pb.FromWorker{{Verdicts: []byte{1}, Emitted: []uint32{3}}}, "want 3 emitted records, have 0 lengths"},
		{"labels of no record", []*pb.FromWorker{{Verdicts: []byte{0}, Labels: []*pb.Labels{{Index: 5}}}}, "want labels of one of 0 records, have 5"},
		{"a side row of no record", []*pb.FromWorker{{Verdicts: []byte{0}, Sides: []*pb.Side{{Index: 7}}}}, "want a side row of one of 2 records, have 7"},
		{"a wish for more than there can be", []*pb.FromWorker{{Need: 1 << 40}}, "larger than the memory of a step"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			client := dial(t, &liar{shared: true, answers: c.answers})
			source := batch.NewArena(make([]byte, 1<<16), 1<<16, nil)
			out := batch.NewArena(make([]byte, 1<<16), 1<<16, nil)
			if _, _, err := client.Open(t.Context(), []byte("{}"), 1, 1<<16, nil); err != nil {
				t.Fatal(err)
			}
			w, err := client.Worker(0, out, map[*batch.Arena]uint32{source: 0, out: 1})
			if err != nil {
				t.Fatal(err)
			}
			region, err := source.Alloc(t.Context(), 4)
			if err != nil {
				t.Fatal(err)
			}
			copy(region.Bytes(), "1 2 ")
			in := []batch.Record{{Data: region.Bytes()[:1], Mem: region}, {Data: region.Bytes()[2:3], Mem: region}}
			err = w.Process(t.Context(), in, func(batch.Answer) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	m, err := NewMemory("test", 1<<20, true)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	file, err := m.ReadOnly()
	if err != nil {
		t.Fatal(err)
	}
	view, err := mapFile(int(file.Fd()), 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Bytes[100:], "seen")
	if have := string(view[100:104]); have != "seen" {
		t.Errorf("want what the writer wrote in the reader's view, have %q", have)
	}
	if _, err := mapFile(int(file.Fd()), 1<<20, true); err == nil {
		t.Error("want a read-only descriptor, have one that can be mapped for writing")
	}
	if err := m.File.Truncate(0); err == nil {
		t.Error("want a sealed size, have a memory that its writer can cut off under a reader")
	}
	m.Trim(0, 1<<20)
	if view[100] != 0 {
		t.Error("want trimmed pages to read as zeros")
	}
}

package wire

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/hashicorp/go-hclog"
	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// Serve answers a host over the protocol until the host goes. It returns when the host ended the session.
func Serve(p Provider) {
	if os.Getenv(Handshake.MagicCookieKey) != "" {
		go exitWithHost()
	}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: Handshake,
		Plugins:         Plugins(&p),
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts,
				grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32),
				grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window))...)
		},
	})
}

// AliveEnv names the descriptor of a pipe that the host holds open as long as it lives.
const AliveEnv = "SLUICE_ALIVE_FD"

// exitWithHost ends the process when the host is gone, however it went.
func exitWithHost() {
	var fd uintptr
	if _, err := fmt.Sscan(os.Getenv(AliveEnv), &fd); err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, os.NewFile(fd, "alive"))
	os.Exit(1)
}

type server struct {
	pb.UnimplementedPluginServer
	provider *Provider
	stderr   *os.File

	mu       sync.Mutex
	workers  []batch.Worker
	arenas   []arena // by id
	capacity uint64
}

// An arena as a plugin process sees it.
type arena struct {
	*pb.Arena
	mem []byte
}

func (s *server) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	p := s.provider
	return &pb.DescribeResponse{Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Version: p.Version, Private: p.Private}, nil
}

func (s *server) Open(_ context.Context, req *pb.OpenRequest) (*pb.OpenResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// go-plugin sends what is written to these over gRPC, and loses the last of it when the process ends.
	os.Stdout, os.Stderr = s.stderr, s.stderr
	s.capacity = req.Capacity
	for i := range req.Workers {
		w, err := s.provider.Open(req.Args, int(i))
		if err != nil {
			resp := &pb.OpenResponse{}
			for _, e := range s.provider.ArgErrors(err) {
				resp.Errors = append(resp.Errors, &pb.ArgError{Name: e[0], Message: e[1]})
			}
			return resp, nil
		}
		s.workers = append(s.workers, w)
	}
	shared := len(req.Arenas) > 0
	for _, a := range req.Arenas {
		mem, err := mapFile(int(a.Fd), int(a.Size), a.Writable)
		if err != nil {
			shared = false
			break
		}
		for int(a.Id) >= len(s.arenas) {
			s.arenas = append(s.arenas, arena{})
		}
		s.arenas[a.Id] = arena{Arena: a, mem: mem}
	}
	if !shared {
		s.arenas = nil
	}
	return &pb.OpenResponse{Shared: shared}, nil
}

// Work serves one worker: a stream of batches in, of answers out.
func (s *server) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	s.mu.Lock()
	n := int(first.GetStart())
	if n >= len(s.workers) {
		s.mu.Unlock()
		return fmt.Errorf("want a worker below %d, have %d", len(s.workers), n)
	}
	worker := s.workers[n]
	s.mu.Unlock()

	for {
		msg, err := stream.Recv()
		if err == io.EOF {
			return worker.Close()
		}
		if err != nil {
			return err
		}
		b := msg.GetBatch()
		if b == nil {
			return fmt.Errorf("want a batch, have %T", msg.Message)
		}
		in, err := s.records(b)
		if err != nil {
			return err
		}
		sp := &space{server: s, stream: stream, shared: s.arenas != nil}
		if err := sp.use(b.Grant); err != nil {
			return err
		}
		if err := worker.Process(stream.Context(), in, sp, sp.answer); err != nil {
			return err
		}
		if err := sp.done(); err != nil {
			return err
		}
	}
}

// records gives views of a batch's records.
func (s *server) records(b *pb.Batch) ([]batch.Record, error) {
	records, inline := make([]batch.Record, len(b.Lengths)), b.Inline
	for i, n := range b.Lengths {
		r := &records[i]
		r.File, r.Line = b.Files[b.File[i]], int64(b.Lines[i])
		if s.arenas == nil {
			r.Data, inline = inline[:n:n], inline[n:]
			continue
		}
		a, off := b.Arenas[i], b.Offsets[i]
		if int(a) >= len(s.arenas) || off+n > uint64(len(s.arenas[a].mem)) {
			return nil, fmt.Errorf("want a record in a known arena, have arena %d, offset %d, length %d", a, off, n)
		}
		r.Data = s.arenas[a].mem[off : off+n : off+n]
	}
	for _, l := range b.Labels {
		records[l.Index].Labels = decodeLabels(l)
	}
	return records, nil
}

package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Serve answers a host over the protocol until the host ends the session.
func Serve(p wire.Provider) { ServeRaw(&server{provider: &p, stderr: os.Stderr}) }

// ServeRaw is Serve for a server that answers the messages of the protocol itself, for tests of the host.
func ServeRaw(s pb.PluginServer) {
	if os.Getenv(Handshake.MagicCookieKey) != "" {
		go exitWithHost()
	}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  Handshake,
		VersionedPlugins: Versions(s),
		Logger:           hclog.NewNullLogger(),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, serverOptions()...)...)
		},
	})
}

// AliveEnv names the descriptor of a pipe that the host holds open as long as it lives.
const AliveEnv = "SLUICE_ALIVE_FD"

// exitWithHost ends the process when the host has ended, even if it was killed.
func exitWithHost() {
	var fd uintptr
	if _, err := fmt.Sscan(os.Getenv(AliveEnv), &fd); err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, os.NewFile(fd, "alive"))
	// A killed host leaves the folder of the socket, which it made for this process.
	if dir := os.Getenv(goplugin.EnvUnixSocketDir); strings.HasPrefix(filepath.Base(dir), "plugin-dir") {
		os.RemoveAll(dir)
	}
	os.Exit(1)
}

// A server is the plugin's end of one process.
type server struct {
	pb.UnimplementedPluginServer
	provider *wire.Provider
	stderr   *os.File // as it was before go-plugin put a pipe in its place; nil: stdout and stderr stay as they are

	mu       sync.Mutex
	workers  []*servedWorker
	arenas   []mappedArena // by id; empty: bytes go inline
	capacity uint64
	flushes  bool // the host has the feature Flush
	runs     bool // the host has the feature Runs
}

// A servedWorker is a worker that one stream uses, once it is taken.
type servedWorker struct {
	wire.Worker
	taken bool
	began bool // it has had a batch or a state
}

// A mappedArena is an arena as a plugin process sees it.
type mappedArena struct {
	*pb.Arena
	mem []byte
}

func (s *server) Describe(_ context.Context, req *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	resp := &pb.DescribeResponse{Version: s.provider.Version, Features: common(req.Features)}
	s.mu.Lock()
	s.flushes, s.runs = slices.Contains(resp.Features, Flush), slices.Contains(resp.Features, Runs)
	s.mu.Unlock()
	for _, p := range s.provider.Plugins {
		info := &pb.PluginInfo{
			Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Private: p.Private, Concurrent: p.Concurrent, TakesAll: p.TakesAll, Outputs: p.Outputs, Labels: p.Labels, Codes: p.Codes, Drops: p.Drops,
		}
		if len(p.LabelValues) > 0 {
			info.LabelValues = map[string]*pb.Values{}
		}
		for label, values := range p.LabelValues {
			info.LabelValues[label] = &pb.Values{Values: values}
		}
		for _, a := range p.Args {
			info.Args = append(info.Args, &pb.ArgInfo{
				Name: a.Name, Type: a.Type, Doc: a.Doc, Default: a.Default, Example: a.Example, Words: a.Words,
				Required: a.Required,
			})
		}
		resp.Plugins = append(resp.Plugins, info)
	}
	return resp, nil
}

func (s *server) Open(_ context.Context, req *pb.OpenRequest) (*pb.OpenResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stderr != nil {
		// go-plugin sends what is written to these over gRPC, and loses the end of it when the process ends.
		os.Stdout, os.Stderr = s.stderr, s.stderr
	}
	s.capacity = req.Capacity
	chain := wire.OpenRequest{Plugin: req.Plugin, Args: req.Args, Depth: int(req.Depth), Poison: req.Poison, Trust: req.Trust, Trace: req.Trace, Timeout: time.Duration(min(req.Timeout, math.MaxInt64)), Flush: s.flushes}
	for _, b := range req.Behind {
		chain.Behind = append(chain.Behind, wire.Step{Plugin: b.Plugin, Args: b.Args, Or: b.Or})
	}
	for i := range req.Workers {
		chain.Worker = int(i)
		w, bad := s.provider.Open(chain)
		if len(bad) > 0 {
			resp := &pb.OpenResponse{}
			for _, e := range bad {
				resp.Errors = append(resp.Errors, &pb.ArgError{Name: e.Name, Message: e.Message, Step: uint32(e.Step)})
			}
			return resp, nil
		}
		s.workers = append(s.workers, &servedWorker{Worker: w})
	}
	resp := &pb.OpenResponse{LabelValues: s.labelValues(), Saves: s.saves()}
	for _, a := range req.Arenas {
		mem, err := wire.MapFile(int(a.Fd), int(a.Size), a.Writable)
		if err != nil {
			s.arenas = nil
			resp.Inline = true
			return resp, nil
		}
		for int(a.Id) >= len(s.arenas) {
			s.arenas = append(s.arenas, mappedArena{})
		}
		s.arenas[a.Id] = mappedArena{Arena: a, mem: mem}
		if note := s.arenas[a.Id].note(); note != nil {
			clear(note) // of an earlier process
		}
	}
	return resp, nil
}

// labelValues returns what a worker knows of the values of labels, which is the same for all.
func (s *server) labelValues() (all []*pb.LabelValues) {
	if len(s.workers) == 0 {
		return nil
	}
	w, ok := s.workers[0].Worker.(wire.Labeller)
	if !ok {
		return nil
	}
	for _, v := range w.LabelValues() {
		all = append(all, &pb.LabelValues{Step: uint32(v.Step), Label: v.Label, Values: v.Values})
	}
	return all
}

// worker returns worker n to its only stream.
func (s *server) worker(n int) (*servedWorker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= len(s.workers) {
		return nil, fmt.Errorf("want a worker below %d, have %d", len(s.workers), n)
	}
	w := s.workers[n]
	if w.taken {
		return nil, fmt.Errorf("want one stream for worker %d, have a second", n)
	}
	w.taken = true
	return w, nil
}

// Work serves one worker: batches come in by the stream, answers go out.
func (s *server) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	w, err := s.worker(int(first.GetStart()))
	if err != nil {
		return err
	}
	for {
		msg, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nameCause(stream, w.Close())
		}
		if err != nil {
			return err
		}
		switch m := msg.Message.(type) {
		case *pb.ToWorker_Batch:
			err = s.process(stream, w, m.Batch)
		case *pb.ToWorker_Save:
			err = w.save(stream)
		case *pb.ToWorker_State:
			err = w.restore(stream, m.State)
		default:
			err = fmt.Errorf("want a batch, have %T", msg.Message)
		}
		if err != nil {
			return err
		}
	}
}

// process answers a batch.
func (s *server) process(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker], w *servedWorker, b *pb.Batch) error {
	w.began = true
	in, err := s.records(b)
	if err != nil {
		return err
	}
	if b.Check {
		w.Check()
	}
	sp := &space{server: s, stream: stream}
	if err := sp.use(b.Grant); err != nil {
		return err
	}
	if err := w.Process(stream.Context(), in, sp, sp.reply); err != nil {
		return nameCause(stream, err)
	}
	return sp.flush()
}

// stepTrailer names the step of a chain whose error ends the stream, and recordTrailer the record of the batch.
const (
	stepTrailer   = "sluice-step"
	recordTrailer = "sluice-record"
)

// nameCause sends the step and the record of an error in the trailer of the stream that ends with it.
func nameCause(stream grpc.ServerStream, err error) error {
	if bad, ok := errors.AsType[*wire.StepError](err); ok && bad.Step > 0 {
		stream.SetTrailer(metadata.Pairs(stepTrailer, strconv.Itoa(bad.Step)))
	}
	if bad, ok := errors.AsType[*wire.RecordError](err); ok {
		stream.SetTrailer(metadata.Pairs(recordTrailer, strconv.Itoa(bad.Record)))
	}
	return err
}

// note returns the memory in which a worker notes what it processes, nil if it cannot.
func (a *mappedArena) note() []byte {
	at := a.GetNote()
	if !a.GetWritable() || at == 0 || at%8 != 0 || at+8 > uint64(len(a.mem)) {
		return nil
	}
	return a.mem[at : at+8]
}

func (s *server) records(b *pb.Batch) ([]wire.Record, error) {
	n := len(b.Lengths)
	if len(b.File) != n || len(b.Lines) != n || len(s.arenas) > 0 && (len(b.Arenas) != n || len(b.Offsets) != n) {
		return nil, fmt.Errorf("want the place of each of %d records, have a batch that lacks some", n)
	}
	records, inline := make([]wire.Record, n), b.Inline
	for i, size := range b.Lengths {
		r := &records[i]
		if int(b.File[i]) >= len(b.Files) {
			return nil, fmt.Errorf("want a file below %d, have %d", len(b.Files), b.File[i])
		}
		r.File, r.Line = b.Files[b.File[i]], int64(b.Lines[i])
		if len(s.arenas) == 0 {
			if size > uint64(len(inline)) {
				return nil, fmt.Errorf("want a record of %d bytes, have %d", size, len(inline))
			}
			r.Data, inline = inline[:size:size], inline[size:]
			continue
		}
		a, off := b.Arenas[i], b.Offsets[i]
		if int(a) >= len(s.arenas) || off > uint64(len(s.arenas[a].mem)) || size > uint64(len(s.arenas[a].mem))-off {
			return nil, fmt.Errorf("want a record in a known arena, have arena %d, offset %d, length %d", a, off, size)
		}
		r.Data = s.arenas[a].mem[off : off+size : off+size]
	}
	for _, l := range b.Labels {
		end := uint64(l.Index) + uint64(max(l.N, 1))
		if end > uint64(n) {
			return nil, fmt.Errorf("want labels of one of %d records, have %d", n, end-1)
		}
		labels := decodeLabels(l)
		for i := uint64(l.Index); i < end; i++ {
			records[i].Labels = labels
		}
	}
	for _, m := range b.Origins {
		origins, err := decodeOrigins(m)
		if err == nil && (int(m.Index) >= n || len(origins.List) == 0) {
			err = fmt.Errorf("want origins of one of %d records, have %d of record %d", n, len(origins.List), m.Index)
		}
		if err != nil {
			return nil, err
		}
		records[m.Index].Origins = origins
	}
	for _, l := range b.Lethal {
		if int(l.Index) >= n {
			return nil, fmt.Errorf("want a lethal one of %d records, have %d", n, l.Index)
		}
		r := &records[l.Index]
		r.Lethal = append(r.Lethal, wire.Lethal{Step: int(l.Step), Nth: int(l.Nth), Message: l.Message})
	}
	return records, nil
}

//go:build unix

// Package rpctest serves a plugin that breaks the protocol, so that tests can hold the host against it.
package rpctest

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/tidwall/gjson"
	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// ServeFaulty serves the plugin "faulty", whose attribute "mode" says how it breaks the protocol, until the host is gone. With a
// word that is no mode it keeps to the protocol, and so it does with all batches without the record of "line", unless that is 0. With
// "inline" it maps no memory.
func ServeFaulty() {
	rpc.ServeRaw(&faulty{stderr: os.Stderr})
}

// A faulty is the plugin's end of one process.
type faulty struct {
	pb.UnimplementedPluginServer
	stderr *os.File // as it was before go-plugin put a pipe in its place

	mu     sync.Mutex
	mode   string
	line   uint64
	inline bool // bytes come and go in messages
	arenas map[uint32]arena
}

type arena struct {
	*pb.Arena
	mem []byte
}

func (l *faulty) Describe(_ context.Context, req *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return &pb.DescribeResponse{
		Version:  "forged\x1b[31m",
		Features: req.Features,
		Plugins: []*pb.PluginInfo{{
			Name: "faulty", Doc: "breaks the protocol", Outputs: []string{"side"},
			Labels: []string{"*", "tier"}, LabelValues: map[string]*pb.Values{"tier": {Values: []string{"gold"}}},
		}},
	}, nil
}

func (l *faulty) Open(_ context.Context, req *pb.OpenRequest) (*pb.OpenResponse, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	args := gjson.ParseBytes(req.Args)
	l.mode, l.line, l.inline = args.Get("mode").Str, args.Get("line").Uint(), args.Get("inline").Bool()
	switch l.mode {
	case "open-hang":
		select {}
	case "open-error":
		return &pb.OpenResponse{Errors: []*pb.ArgError{{Name: "mode", Message: "bad \x1b[31mred\x07"}}}, nil
	case "open-failure":
		return nil, errors.New("no licence \x1b[31m")
	}
	l.arenas = map[uint32]arena{}
	if l.inline {
		return &pb.OpenResponse{Inline: true}, nil
	}
	for _, a := range req.Arenas {
		mem, err := wire.MapFile(int(a.Fd), int(a.Size), a.Writable)
		if err != nil {
			return nil, err
		}
		l.arenas[a.Id] = arena{a, mem}
	}
	return &pb.OpenResponse{}, nil
}

func (l *faulty) Work(stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]) error {
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return l.close()
		}
		if err != nil {
			return err
		}
		b := m.GetBatch()
		if b == nil {
			continue
		}
		x := &answer{faulty: l, stream: stream, Batch: b, out: &pb.FromWorker{Verdicts: make([]byte, len(b.Lengths)), Done: true}}
		if answerAs, ok := modes[l.mode]; ok && (l.line == 0 || slices.Contains(b.Lines, l.line)) {
			err = answerAs(x)
		}
		if err == nil && x.out != nil {
			err = stream.Send(x.out)
		}
		if err == nil && x.after != nil {
			err = x.after()
		}
		if err != nil {
			return err
		}
	}
}

func (l *faulty) close() error {
	switch l.mode {
	case "close-error":
		return errors.New("could not write my totals")
	case "close-hang":
		select {}
	}
	return nil
}

// Package rpc is both ends of the protocol between the host and a plugin process, over go-plugin and gRPC.
//
// gRPC carries small messages about batches; the records' bytes lie in arenas, each written by one process and mapped by
// the others for reading. PROTOCOL.md beside package wire describes both well enough to write another end.
package rpc

import (
	"context"
	"errors"
	"os"
	"slices"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// The protocol's versions that this end speaks. A host offers all of its own and the plugin takes the highest that it
// knows too. What can be added without breaking an older end is a feature instead.
const (
	MinVersion = 2
	MaxVersion = 2
)

// Features of the protocol. The host tells what it has in Describe, and the plugin answers what of it it uses.
const (
	Memory = "memory" // records lie in arenas that the plugin maps; without it bytes go inline
	Note   = "note"   // a worker notes in its arena what is at hand
	Chain  = "chain"  // the program runs several of its plugins behind each other
	Trust  = "trust"  // a chain leaves to the host what the host checks, until it is asked again
	Finish = "finish" // an ordered plugin is asked for a last word, by a batch without records
	Trace  = "trace"  // a chain tells the bytes of records that stay inside it, when it is asked to
)

// features are those that this end has.
var features = []string{Memory, Note, Chain, Trust, Finish, Trace}

// Handshake is what a plugin process checks before it serves: that a host, not a person, started it.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  MaxVersion,
	MagicCookieKey:   "SLUICE_PLUGIN",
	MagicCookieValue: "5f1c4b8e-sluice",
}

// window is how many bytes either end may send ahead. Fixed, it spares gRPC the pings and updates that measure one.
const window = 16 << 20

// DialOptions are for the host's connection to a plugin process.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window)}
}

// serverOptions are for the plugin's end.
func serverOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
	}
}

// maxMessage is the largest message in bytes that either end takes: without shared memory a record travels in one.
const maxMessage = 768 << 20

// pluginName is what go-plugin calls the one service of a process.
const pluginName = "sluice"

// Versions are the go-plugin sets of one process, by version of the protocol: p at the plugin's end, nil at the host's.
func Versions(p *wire.Provider) map[int]goplugin.PluginSet {
	sets := map[int]goplugin.PluginSet{}
	for v := MinVersion; v <= MaxVersion; v++ {
		sets[v] = goplugin.PluginSet{pluginName: &grpcPlugin{provider: p, stderr: os.Stderr}}
	}
	return sets
}

// Dispense gives the host's end of a started plugin process.
func Dispense(c goplugin.ClientProtocol) (*Client, error) {
	raw, err := c.Dispense(pluginName)
	if err != nil {
		return nil, err
	}
	return raw.(*Client), nil
}

type grpcPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	provider *wire.Provider
	stderr   *os.File // as it was before go-plugin put a pipe in its place
}

var _ goplugin.GRPCPlugin = (*grpcPlugin)(nil)

func (p *grpcPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if p.provider == nil {
		return errors.New("want a plugin to serve, have the host's end")
	}
	pb.RegisterPluginServer(s, &server{provider: p.provider, stderr: p.stderr})
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return &Client{rpc: pb.NewPluginClient(conn)}, nil
}

// common are the features that both ends have.
func common(theirs []string) []string {
	return slices.DeleteFunc(slices.Clone(features), func(f string) bool { return !slices.Contains(theirs, f) })
}

// Package rpc implements both ends of the protocol between the host and a plugin process, over go-plugin and gRPC.
//
// gRPC carries small messages about batches; the records' bytes lie in arenas, each written by one process and mapped by
// the others for reading. PROTOCOL.md in package wire specifies both for whoever writes another end.
package rpc

import (
	"context"
	"errors"
	"slices"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// The versions of the protocol that this end speaks. A host offers all of its own and the plugin takes the highest that it
// speaks too. Whatever can be added without breaking an older end is a feature instead.
const (
	MinVersion = 2
	MaxVersion = 2
)

// Features of the protocol. The host lists its own in Describe, and the plugin answers with those that it uses.
const (
	Memory = "memory" // records lie in arenas that the plugin maps; without it bytes go inline
	Note   = "note"   // a worker notes in its arena which record it processes
	Chain  = "chain"  // the program runs several of its plugins one after the other
	Trust  = "trust"  // a chain leaves checks to the host until it is asked again
	Finish = "finish" // an ordered plugin is asked to finish, by a batch without records
	Flush  = "flush"  // an ordered plugin that is asked to finish may emit records, and any plugin may say which records one was made of
	Trace  = "trace"  // a chain reports the bytes of records that stay inside it, when it is asked to
	Runs   = "runs"   // equal faults, and equal labels of records in a row, cross once
	Save   = "save"   // an ordered plugin may write down its state, and go on from one
)

var features = []string{Memory, Note, Chain, Trust, Finish, Flush, Trace, Runs, Save}

// Handshake lets a plugin process check that a host, not a person, started it.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  MaxVersion,
	MagicCookieKey:   "SLUICE_PLUGIN",
	MagicCookieValue: "5f1c4b8e-sluice",
}

// window is how many bytes either end may send ahead. A fixed window spares gRPC the pings that measure one.
const window = 16 << 20

// DialOptions are for the host's connection to a plugin process.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window)}
}

func serverOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
	}
}

// maxMessage is the largest message in bytes that either end accepts: without shared memory a record travels in one.
const maxMessage = 768 << 20

// pluginName is the name of a process's one service in go-plugin.
const pluginName = "sluice"

// Versions returns the go-plugin sets of one process, by version of the protocol: s at the plugin's end, nil at the host's.
func Versions(s pb.PluginServer) map[int]goplugin.PluginSet {
	sets := map[int]goplugin.PluginSet{}
	for v := MinVersion; v <= MaxVersion; v++ {
		sets[v] = goplugin.PluginSet{pluginName: &grpcPlugin{server: s}}
	}
	return sets
}

// Dispense returns the host's end of a started plugin process.
func Dispense(c goplugin.ClientProtocol) (*Client, error) {
	raw, err := c.Dispense(pluginName)
	if err != nil {
		return nil, err
	}
	return raw.(*Client), nil
}

type grpcPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	server pb.PluginServer
}

var _ goplugin.GRPCPlugin = (*grpcPlugin)(nil)

func (p *grpcPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if p.server == nil {
		return errors.New("want the plugin's end to serve, have the host's")
	}
	pb.RegisterPluginServer(s, p.server)
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return &Client{rpc: pb.NewPluginClient(conn)}, nil
}

func common(theirs []string) []string {
	return slices.DeleteFunc(slices.Clone(features), func(f string) bool { return !slices.Contains(theirs, f) })
}

// Package wire is both ends of the protocol between the host and a plugin process, and the memory they share.
//
// gRPC carries small messages about batches; the records' bytes lie in arenas, each written by one process and
// mapped by the others for reading. PROTOCOL.md describes both well enough to write another end.
package wire

import (
	"context"
	"errors"
	"os"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/internal/pb"
)

// Version is the protocol's version. A host and a plugin work together when theirs are equal.
const Version = 1

// Handshake is what a plugin process checks before it serves: that a host, not a person, started it.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  Version,
	MagicCookieKey:   "SLUICE_PLUGIN",
	MagicCookieValue: "5f1c4b8e-sluice",
}

// A Provider is a plugin as the protocol sees it.
type Provider struct {
	Name, Doc, Version string
	Ordered, Private   bool
	// Open makes one worker with the attributes args, a JSON object.
	Open func(args []byte, worker int) (batch.Worker, error)
	// ArgErrors tells the mistakes in attributes that an error of Open holds, as name and message.
	ArgErrors func(error) [][2]string
}

// window is how many bytes either end may send ahead. Fixed, it spares gRPC the pings and updates that measure one.
const window = 16 << 20

// DialOptions are for the host's connection to a plugin process.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window)}
}

// pluginName is what go-plugin calls the one service of a process.
const pluginName = "sluice"

// Plugins is the go-plugin set of one process: p at the plugin's end, nil at the host's.
func Plugins(p *Provider) goplugin.PluginSet {
	return goplugin.PluginSet{pluginName: &grpcPlugin{provider: p, stderr: os.Stderr}}
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
	provider *Provider
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

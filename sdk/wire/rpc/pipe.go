package rpc

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Pipe serves p within this process and returns the host's end, so that a test can send records over the protocol without
// a process. The caller must call end.
func Pipe(p wire.Provider) (c *Client, end func(), err error) {
	listener := bufconn.Listen(64 << 10)
	s := grpc.NewServer(serverOptions()...)
	pb.RegisterPluginServer(s, &server{provider: &p})
	go func() { _ = s.Serve(listener) }() // ends with Stop, without an error
	dial := func(context.Context, string) (net.Conn, error) { return listener.Dial() }
	conn, err := grpc.NewClient("passthrough:pipe", append(DialOptions(),
		grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		s.Stop()
		return nil, nil, err
	}
	return &Client{rpc: pb.NewPluginClient(conn)}, func() { conn.Close(); s.Stop() }, nil
}

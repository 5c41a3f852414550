package rpc

import (
	"context"
	"os"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// ServePlain is Serve without any feature of the protocol, as a program in another language may be, for tests of the host.
func ServePlain(p wire.Provider) { ServeRaw(plainServer{&server{provider: &p, stderr: os.Stderr}}) }

type plainServer struct{ *server }

func (s plainServer) Describe(ctx context.Context, _ *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return s.server.Describe(ctx, &pb.DescribeRequest{})
}

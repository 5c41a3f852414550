package launch

import (
	"context"
	"io"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// A sentStatus is the error of a call that the plugin itself has ended, with a status of its choice. Without it the same codes also
// say that the connection is lost: gRPC makes that a status too.
type sentStatus struct{ error }

func (s *sentStatus) Unwrap() error { return s.error }

// GRPCStatus returns the status as it came, whose message is the plugin's own.
func (s *sentStatus) GRPCStatus() *status.Status { return status.Convert(s.error) }

// statusOptions make the errors of calls that a plugin has ended a sentStatus.
func statusOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithStatsHandler(trailers{}),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			ctx, came := watchTrailer(ctx)
			return ownStatus(came, invoke(ctx, method, req, reply, conn, opts...))
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			ctx, came := watchTrailer(ctx)
			stream, err := open(ctx, desc, conn, method, opts...)
			if err != nil {
				return nil, err
			}
			return &watchedStream{stream, came}, nil
		}),
	}
}

type watchedStream struct {
	grpc.ClientStream
	came *atomic.Bool
}

// RecvMsg implements grpc.ClientStream. Only it returns the status of the stream.
func (s *watchedStream) RecvMsg(m any) error { return ownStatus(s.came, s.ClientStream.RecvMsg(m)) }

func ownStatus(came *atomic.Bool, err error) error {
	if err == nil || err == io.EOF || !came.Load() {
		return err
	}
	return &sentStatus{err}
}

type trailerKey struct{}

// watchTrailer returns the context of a call, with what is set when its trailer comes.
func watchTrailer(ctx context.Context) (context.Context, *atomic.Bool) {
	came := new(atomic.Bool)
	return context.WithValue(ctx, trailerKey{}, came), came
}

// trailers notes which calls have had their trailer, with which the other end sends its status. gRPC does so before it ends the call.
type trailers struct{}

func (trailers) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if _, ok := s.(*stats.InTrailer); !ok {
		return
	}
	if came, ok := ctx.Value(trailerKey{}).(*atomic.Bool); ok {
		came.Store(true)
	}
}

func (trailers) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (trailers) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (trailers) HandleConn(context.Context, stats.ConnStats)                       {}

package rpc

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Client is the host's end of one plugin process.
type Client struct {
	rpc pb.PluginClient
}

// A Description is a program's declaration of itself and of its plugins.
type Description struct {
	Version  string
	Features []string // that both ends have
	Plugins  []wire.Info
}

// Has reports whether both ends have a feature.
func (d *Description) Has(feature string) bool { return slices.Contains(d.Features, feature) }

// Plugin returns the plugin with a name.
func (d *Description) Plugin(name string) (wire.Info, bool) {
	p := wire.Provider{Plugins: d.Plugins}
	return p.Plugin(name)
}

// Describe asks the program for its description.
func (c *Client) Describe(ctx context.Context) (*Description, error) {
	r, err := c.rpc.Describe(ctx, &pb.DescribeRequest{Features: features}, grpc.MaxCallRecvMsgSize(maxDescription))
	if TooLarge(err) {
		err = fmt.Errorf("it broke the protocol: want a description of at most %d bytes, have a larger one", maxDescription)
	}
	if err == nil {
		err = checkDescription(r)
	}
	if err != nil {
		return nil, err
	}
	d := &Description{Version: r.Version, Features: common(r.Features)}
	for _, p := range r.Plugins {
		info := wire.Info{
			Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Private: p.Private, Concurrent: p.Concurrent, TakesAll: p.TakesAll, Outputs: p.Outputs, Labels: p.Labels, Codes: p.Codes, Drops: p.Drops,
		}
		if len(p.LabelValues) > 0 {
			info.LabelValues = map[string][]string{}
		}
		for label, values := range p.LabelValues {
			info.LabelValues[label] = values.GetValues()
		}
		for _, a := range p.Args {
			info.Args = append(info.Args, wire.Arg{
				Name: a.Name, Type: a.Type, Doc: a.Doc, Default: a.Default, Example: a.Example, Words: a.Words,
				Required: a.Required,
			})
		}
		d.Plugins = append(d.Plugins, info)
	}
	return d, nil
}

const (
	// maxDescription is how many bytes a description may have: receipts, docs and messages show parts of it.
	maxDescription = 4 << 20
	maxPlugins     = 1000
	maxVersion     = 256 // bytes of a version

	// tooLargeMessage is in the error of gRPC for a message that it has not read.
	tooLargeMessage = "received message larger than max"
)

// TooLarge reports whether a call failed because an answer was larger than it may be. A plugin may give the same code a meaning of its own.
func TooLarge(err error) bool {
	return status.Code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), tooLargeMessage)
}

// checkDescription returns what keeps a description from being one.
func checkDescription(r *pb.DescribeResponse) error {
	if n := len(r.Version); n > maxVersion {
		return fmt.Errorf("it broke the protocol: want a version of at most %d bytes, have %d", maxVersion, n)
	}
	if n := len(r.Plugins); n > maxPlugins {
		return fmt.Errorf("it broke the protocol: want at most %d plugins, have %d", maxPlugins, n)
	}
	known := map[string]bool{}
	for _, p := range r.Plugins {
		if known[p.Name] {
			return fmt.Errorf("it broke the protocol: want each plugin once, have %.80q twice", p.Name)
		}
		known[p.Name] = true
	}
	return nil
}

// An Offer is an arena that the plugin process may map: it has the descriptor.
type Offer struct {
	ID       uint32
	FD       int // in the plugin process
	Size     int // bytes, the note included
	Writable bool
	Note     int // where in a writable arena the worker notes which record it processes
}

// An OpenRequest asks for the workers of a chain.
type OpenRequest struct {
	Plugin   string
	Args     []byte      // a JSON object
	Behind   []wire.Step // needs the feature Chain
	Workers  int
	Depth    int           // deepest nesting of new records and rows
	Capacity int           // most bytes that one record may become
	Offers   []Offer       // none: bytes go inline
	Poison   bool          // overwrite the bytes of a record once its call has returned
	Trust    bool          // leave checks to the validator until a worker is asked again; needs the feature Trust
	Timeout  time.Duration // after which the host ends a program without an answer; 0: never
	Trace    bool          // report the bytes of records that stay inside the chain; needs the feature Trace
}

// Opened is the answer of a program that was asked to make the workers of a chain.
type Opened struct {
	Errors      []wire.ArgError // there are no workers then
	Mapped      bool            // it maps the arenas; otherwise bytes go inline
	LabelValues []wire.LabelValues
	Saves       bool // its step can save its state
}

// Open makes the workers of a chain.
func (c *Client) Open(ctx context.Context, req OpenRequest) (o Opened, err error) {
	m := &pb.OpenRequest{
		Plugin: req.Plugin, Args: req.Args, Workers: uint32(req.Workers), Capacity: uint64(req.Capacity), Poison: req.Poison,
		Depth: uint32(req.Depth), Trust: req.Trust, Trace: req.Trace, Timeout: uint64(max(req.Timeout, 0)),
	}
	for _, s := range req.Behind {
		m.Behind = append(m.Behind, &pb.Step{Plugin: s.Plugin, Args: s.Args, Or: s.Or})
	}
	for _, o := range req.Offers {
		m.Arenas = append(m.Arenas, &pb.Arena{Id: o.ID, Fd: uint32(o.FD), Size: uint64(o.Size), Writable: o.Writable, Note: uint64(o.Note)})
	}
	resp, err := c.rpc.Open(ctx, m)
	if err != nil {
		return o, err
	}
	for _, e := range resp.Errors {
		o.Errors = append(o.Errors, wire.ArgError{Name: e.Name, Message: e.Message, Step: int(e.Step)})
	}
	for _, v := range resp.LabelValues {
		o.LabelValues = append(o.LabelValues, wire.LabelValues{Step: int(v.Step), Label: v.Label, Values: v.Values})
	}
	o.Mapped, o.Saves = len(req.Offers) > 0 && !resp.Inline, resp.Saves
	return o, nil
}

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

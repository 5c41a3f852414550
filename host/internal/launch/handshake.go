package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// OfferedVersions are the versions of the protocol that this host offers, separated by commas.
var OfferedVersions = offered()

func offered() string {
	var all []string
	for v := rpc.MinVersion; v <= rpc.MaxVersion; v++ {
		all = append(all, strconv.Itoa(v))
	}
	return strings.Join(all, ",")
}

// HandshakeEnv returns the variables by which a process knows a host that offers versions of the protocol. The first
// extra descriptor of the process is closed when the host is gone.
func HandshakeEnv(versions, sockets string) []string {
	return []string{
		rpc.Handshake.MagicCookieKey + "=" + rpc.Handshake.MagicCookieValue, "PLUGIN_PROTOCOL_VERSIONS=" + versions,
		goplugin.EnvUnixSocketDir + "=" + sockets, "PLUGIN_MIN_PORT=0", "PLUGIN_MAX_PORT=0", rpc.AliveEnv + "=3",
	}
}

// connect starts the process and asks the program to describe itself.
func (p *process) connect(ctx context.Context, cmd *exec.Cmd) (*rpc.Client, *rpc.Description, error) {
	protocol, err := p.handshake(ctx, cmd)
	if err != nil {
		return nil, nil, err
	}
	client, err := rpc.Dispense(protocol)
	if err != nil {
		return nil, nil, err
	}
	limit := p.chain.startTimeout()
	describing, stop := withTimeout(p.ctx, limit, fmt.Errorf("want it to describe itself within %v, have silence", limit))
	defer stop()
	about, err := client.Describe(describing)
	if err != nil && !isShortage(err) { // of the connection
		err = p.callError(describing, err, wire.Spot{Record: -1})
	}
	if err != nil {
		return nil, nil, err
	}
	return client, about, nil
}

// handshake starts the process and waits until it serves.
func (p *process) handshake(ctx context.Context, cmd *exec.Cmd) (goplugin.ClientProtocol, error) {
	defer p.closeFiles(cmd.ExtraFiles)
	defer p.log.release()
	sockets, err := socketsIn(os.TempDir(), systemTemp)
	if err != nil {
		return nil, err
	}
	p.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  rpc.Handshake,
		VersionedPlugins: rpc.Versions(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         runtime.GOOS == "windows", // elsewhere the socket is in a folder that only this user may enter
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: sockets},
		GRPCDialOptions:  append(rpc.DialOptions(), statusOptions()...),
		StartTimeout:     p.chain.startTimeout(),
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       &lineWriter{tail: p.log, stdout: true}, SyncStderr: &lineWriter{tail: p.log},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, sockets string) (runner.Runner, error) {
			p.sockets = sockets
			cmd.Env = append(cmd.Env, spec.Env...)
			p.runner = newRunner(p.ctx, p.chain.fleet, cmd, p.log)
			var err error
			p.held, err = holdSockets(sockets)
			return p.runner, err
		},
	})
	protocol, err := p.client.Client()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, p.startError(err)
	}
	return protocol, nil
}

// startError explains go-plugin's error about a process that did not become a plugin.
func (p *process) startError(err error) error {
	text := err.Error()
	ended := strings.Contains(text, "Unrecognized remote plugin message") && strings.Contains(text, "Failed to read any lines") || strings.Contains(text, "exited before")
	p.refused = !ended
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return errors.New("want a program for this system, or a script whose first line begins with #! and names its program")
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("want a file that may be executed: %w", err)
	case strings.Contains(text, "incompatible API version"):
		var have int
		_, after, _ := strings.Cut(text, "Plugin version: ")
		_, _ = fmt.Sscan(after, &have)
		if have > rpc.MaxVersion {
			return fmt.Errorf("want %s, have %d: the plugin is newer than this sluice, so run it with the sluice whose SDK it was built with, or a later one", versions(), have)
		}
		return fmt.Errorf("want %s, have %d: build the plugin anew with the SDK of this sluice: go get github.com/sluicehq/sluice, then go build", versions(), have)
	case ended:
		ending, ok := p.runner.exitReason(false)
		if !ok {
			ending = "its stdout is closed"
		}
		return fmt.Errorf("want a plugin that keeps running, have one that ended (%s)%s", ending, p.lastWord())
	case strings.Contains(text, "Unrecognized remote plugin message"):
		_, line, _ := strings.Cut(text, "message: ")
		line, _, _ = strings.Cut(line, "\n")
		return fmt.Errorf("want the handshake on stdout, have %q: a plugin must print nothing there before sdk.Main", p.log.named(line))
	case strings.Contains(text, "timeout"):
		return fmt.Errorf("want a handshake within %v, have silence", p.chain.startTimeout())
	}
	return err
}

// lastWord says what a process that ended has printed last, which is then not shown with what it printed before. The end of a stack says
// nothing: then how the process ended has the panic.
func (p *process) lastWord() string {
	last, panicked := p.log.takeLast()
	switch {
	case panicked:
		return ""
	case last == "":
		return " without printing anything"
	case strings.Contains(last, `"`) && strconv.CanBackquote(last):
		return " after printing `" + last + "`"
	}
	return " after printing " + strconv.Quote(last)
}

func versions() string {
	if rpc.MinVersion == rpc.MaxVersion {
		return fmt.Sprintf("protocol version %d", rpc.MaxVersion)
	}
	return fmt.Sprintf("a protocol version from %d to %d", rpc.MinVersion, rpc.MaxVersion)
}

// A Description is a plugin's own description, with its location.
type Description struct {
	wire.Info
	Location Location
	Version  string // of the program
}

// Describe finds a plugin and returns its description. For that it starts and stops a program that is not built in.
func Describe(ctx context.Context, opts Options, name string) (*Description, error) {
	found, err := opts.Finder.Find(name, &opts.BuiltIns)
	if err != nil {
		return nil, err
	}
	d := &Description{Location: found, Version: opts.BuiltIns.Version}
	if found.BuiltIn {
		d.Info, _ = opts.BuiltIns.Plugin(found.Name)
		return d, nil
	}
	defer found.program.file.Close()
	c := &Chain{Step: &Step{Request: Request{Name: name, Plugin: name, Timeout: describeTimeout, Env: strings.Fields(opts.Finder.Pins[name].Env)}, Location: found, opts: &opts}}
	about, err := c.describeProgram(ctx)
	if err != nil {
		return nil, fmt.Errorf("plugin %s (%s): %w", name, found.Path, err)
	}
	if d.Info, err = served(found, about); err != nil {
		return nil, err
	}
	d.Version = about.Version
	return d, nil
}

// describeProgram starts the chain's program, without memory and workers, for its description.
func (c *Chain) describeProgram(ctx context.Context) (*rpc.Description, error) {
	p := c.newProcess()
	if err := c.Location.verify(); err != nil {
		return nil, err
	}
	defer p.stop(context.Canceled)
	cmd, _, err := p.command()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
	defer stop()
	_, about, err := p.connect(ctx, cmd)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return about, err
}

// served returns the description of the plugin at a location.
func served(found Location, about *rpc.Description) (wire.Info, error) {
	if info, ok := about.Plugin(found.Name); ok {
		return info, nil
	}
	var names []string
	for _, p := range about.Plugins {
		names = append(names, strconv.Quote(p.Name))
	}
	return wire.Info{}, fmt.Errorf("want plugin %q at %s, have one that calls itself %s", found.Name, found.Path, strings.Join(names, " and "))
}

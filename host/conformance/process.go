package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
)

// patience is how long a program may take to do what takes no work.
const patience = 10 * time.Second

// A raw process is the program started without the machinery of a host.
type raw struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	host   *os.File // closing it is the end of the host
	said   bytes.Buffer
	ended  chan error
	stop   context.CancelFunc
	dir    string
}

// start starts the program as a host that offers versions does. Without any it is started as a person does.
func (t *trial) start(ctx context.Context, versions string) (*raw, error) {
	dir, err := os.MkdirTemp("", "sluice-verify")
	if err != nil {
		return nil, err
	}
	p := &raw{ended: make(chan error, 1), dir: dir}
	ctx, p.stop = context.WithCancel(ctx)
	p.cmd = exec.CommandContext(ctx, t.Path)
	p.cmd.Env = launch.Environment(t.Env)
	alive, host, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer alive.Close()
	p.host = host
	if versions != "" {
		p.cmd.Env = append(p.cmd.Env, launch.HandshakeEnv(versions, dir)...)
		p.cmd.ExtraFiles = []*os.File{alive}
	}
	p.cmd.Stderr = &p.said
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdout = bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// wait gives how the process ended, or an error when it has not.
func (p *raw) wait(d time.Duration) (string, error) {
	go func() { p.ended <- p.cmd.Wait() }()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.String(), nil
	case <-time.After(d):
		return "", fmt.Errorf("want it to exit within %v, have it still running", d)
	}
}

// line reads the first line that the process prints.
func (p *raw) line() (string, error) {
	type read struct {
		line string
		err  error
	}
	came := make(chan read, 1)
	go func() {
		line, err := p.stdout.ReadString('\n')
		came <- read{strings.TrimRight(line, "\r\n"), err}
	}()
	select {
	case r := <-came:
		if r.err != nil && r.line == "" {
			return "", errors.New("want a line on stdout, have its end")
		}
		return r.line, nil
	case <-time.After(patience):
		return "", fmt.Errorf("want a line on stdout within %v, have none", patience)
	}
}

// end leaves nothing of the process.
func (p *raw) end() {
	p.stop()
	p.host.Close()
	os.RemoveAll(p.dir)
}

func byHand(ctx context.Context, t *trial) error {
	p, err := t.start(ctx, "")
	if err != nil {
		return err
	}
	defer p.end()
	line, _ := p.line()
	if strings.Count(line, "|") >= 4 {
		return fmt.Errorf("want no handshake for a person, have %q", line)
	}
	how, err := p.wait(patience)
	if err == nil && p.cmd.ProcessState.ExitCode() == 0 {
		err = fmt.Errorf("want an exit code that is not 0, have %s", how)
	}
	return err
}

// fields are those of a handshake line.
type fields struct{ core, version, network, address, protocol string }

// shake starts the program and reads its handshake.
func (t *trial) shake(ctx context.Context, versions string) (*raw, fields, error) {
	p, err := t.start(ctx, versions)
	if err != nil {
		return nil, fields{}, err
	}
	line, err := p.line()
	if err != nil {
		p.end()
		return nil, fields{}, err
	}
	parts := strings.Split(line, "|")
	if len(parts) < 5 {
		p.end()
		return nil, fields{}, fmt.Errorf("want a handshake of five fields or more between bars, have %q", line)
	}
	return p, fields{parts[0], parts[1], parts[2], parts[3], parts[4]}, nil
}

func handshake(ctx context.Context, t *trial) error {
	p, f, err := t.shake(ctx, launch.OfferedVersions)
	if err != nil {
		return err
	}
	defer p.end()
	switch {
	case f.core != "1":
		return fmt.Errorf("want core protocol 1 in the first field, have %q", f.core)
	case f.network != "unix" && f.network != "tcp":
		return fmt.Errorf("want unix or tcp in the third field, have %q", f.network)
	case f.address == "":
		return errors.New("want an address in the fourth field, have none")
	case f.protocol != "grpc":
		return fmt.Errorf("want grpc in the fifth field, have %q", f.protocol)
	}
	if f.network == "unix" {
		if _, err := os.Stat(f.address); err != nil {
			return fmt.Errorf("want a socket at the address, have none: %w", err)
		}
	}
	return nil
}

// future is a version that no plugin knows.
const future = 4000

func versionRange(ctx context.Context, t *trial) error {
	p, f, err := t.shake(ctx, launch.OfferedVersions+","+strconv.Itoa(future))
	if err != nil {
		return err
	}
	defer p.end()
	if !strings.Contains(","+launch.OfferedVersions+",", ","+f.version+",") {
		return fmt.Errorf("want one of the versions %s, have %q", launch.OfferedVersions, f.version)
	}
	return nil
}

func unknownVersion(ctx context.Context, t *trial) error {
	p, f, err := t.shake(ctx, strconv.Itoa(future))
	if err != nil {
		return err
	}
	defer p.end()
	if n, err := strconv.Atoi(f.version); err != nil || n == future {
		return fmt.Errorf("want a version that it has, have %q", f.version)
	}
	return nil
}

func hostDeath(ctx context.Context, t *trial) error {
	p, _, err := t.shake(ctx, launch.OfferedVersions)
	if err != nil {
		return err
	}
	defer p.end()
	p.host.Close()
	_, err = p.wait(patience)
	return err
}

package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
)

// startTimeout is how long a program may take for its handshake, and to exit.
const startTimeout = 10 * time.Second

// A rawProcess is the program, started without a launch.Fleet.
type rawProcess struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	host   *os.File // the plugin sees the host end when it is closed
	stop   context.CancelFunc
	dir    string
}

// start starts the program like a host that offers versions, or, without any, like a person at a shell.
func (s *subject) start(ctx context.Context, versions string) (*rawProcess, error) {
	dir, err := launch.SocketFolder()
	if err != nil {
		return nil, err
	}
	p := &rawProcess{dir: dir}
	ctx, p.stop = context.WithCancel(ctx)
	p.cmd = exec.CommandContext(ctx, s.Path)
	p.cmd.Env = launch.Environment(slices.Concat(s.Env, launch.NeededEnv(s.Path)))
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
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdout = bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// inTime returns what f returns, or the message that it is late.
func inTime(late string, f func() (string, error)) (string, error) {
	var text string
	var err error
	done := make(chan struct{})
	go func() { defer close(done); text, err = f() }()
	select {
	case <-done:
		return text, err
	case <-time.After(startTimeout):
		return "", fmt.Errorf(late, startTimeout)
	}
}

// wait returns how the process ended, or an error when it still runs after startTimeout.
func (p *rawProcess) wait() (string, error) {
	return inTime("want it to exit within %v, have a process that still runs", func() (string, error) {
		_ = p.cmd.Wait() // the result is in ProcessState
		return p.cmd.ProcessState.String(), nil
	})
}

// line reads the first line that the process prints.
func (p *rawProcess) line() (string, error) {
	return inTime("want a line on stdout within %v, have silence", func() (string, error) {
		line, err := p.stdout.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); err != nil && line == "" {
			return "", errors.New("want a line on stdout, have the end of the output")
		}
		return line, nil
	})
}

// close ends the process and removes its folder.
func (p *rawProcess) close() {
	p.stop()
	p.host.Close()
	os.RemoveAll(p.dir)
}

func startedByHand(ctx context.Context, s *subject) error {
	p, err := s.start(ctx, "")
	if err != nil {
		return err
	}
	defer p.close()
	line, _ := p.line()
	if strings.Count(line, "|") >= 4 {
		return fmt.Errorf("want no handshake for a person, have %q", line)
	}
	how, err := p.wait()
	if err == nil && p.cmd.ProcessState.ExitCode() == 0 {
		err = fmt.Errorf("want an exit code that is not 0, have %s", how)
	}
	return err
}

// A handshakeLine holds the fields of a handshake.
type handshakeLine struct{ core, version, network, address, protocol string }

// afterHandshake returns a check of a program that a host which offers these versions has started.
func afterHandshake(versions string, check func(*rawProcess, handshakeLine) error) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		p, err := s.start(ctx, versions)
		if err != nil {
			return err
		}
		defer p.close()
		line, err := p.line()
		if err != nil {
			return err
		}
		parts := strings.Split(line, "|")
		if len(parts) < 5 {
			return fmt.Errorf("want a handshake of five fields or more between bars, have %q", line)
		}
		return check(p, handshakeLine{parts[0], parts[1], parts[2], parts[3], parts[4]})
	}
}

func checkHandshake(_ *rawProcess, f handshakeLine) error {
	switch {
	case f.core != "1":
		return fmt.Errorf("want core protocol 1 in the first field, have %q", f.core)
	case f.network != "unix" && f.network != "tcp":
		return fmt.Errorf("want unix or tcp in the third field, have %q", f.network)
	case f.address == "":
		return errors.New("want an address in the fourth field, have an empty one")
	case f.protocol != "grpc":
		return fmt.Errorf("want grpc in the fifth field, have %q", f.protocol)
	}
	if f.network == "unix" {
		if _, err := os.Stat(f.address); err != nil {
			return fmt.Errorf("want a socket at the address: %w", err)
		}
	}
	return nil
}

const futureVersion = "4000"

func versionRange(_ *rawProcess, f handshakeLine) error {
	if !strings.Contains(","+launch.OfferedVersions+",", ","+f.version+",") {
		return fmt.Errorf("want one of the versions %s, have %q", launch.OfferedVersions, f.version)
	}
	return nil
}

func unknownVersion(_ *rawProcess, f handshakeLine) error {
	if _, err := strconv.Atoi(f.version); err != nil || f.version == futureVersion {
		return fmt.Errorf("want a version that the plugin offers, have %q", f.version)
	}
	return nil
}

func hostDeath(p *rawProcess, _ handshakeLine) error {
	p.host.Close()
	_, err := p.wait()
	return err
}

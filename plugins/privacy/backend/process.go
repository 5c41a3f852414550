package backend

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// A process is one run of the program.
type process struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   io.ReadCloser
	requests chan []byte // lines to write, with room for all that are sent ahead
	failed   chan error  // why writing failed
	answers  chan answer // closed after the last one
	exited   chan error  // how the program ended, after the last answer
}

// start starts a program. It does not read standard error, which may hold the texts.
func start(command []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the backend: %w", err)
	}
	p := &process{cmd, stdin, stdout, make(chan []byte, ahead), make(chan error, 1), make(chan answer), make(chan error, 1)}
	go p.write()
	go p.read()
	return p, nil
}

func (p *process) write() {
	for line := range p.requests {
		if _, err := p.stdin.Write(line); err != nil {
			p.failed <- err
			return
		}
	}
}

// maxAnswer is the longest line that is read, so that a program that never ends its line does not use up all memory.
const maxAnswer = 64 << 20

func (p *process) read() {
	from := bufio.NewReaderSize(p.stdout, 1<<16)
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxAnswer {
			p.answers <- answer{err: fmt.Errorf("want an answer of at most %d bytes, have a longer one", maxAnswer)}
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			break // a program that crashes may leave half a line
		}
		p.answers <- readAnswer(line)
		line = line[:0]
	}
	close(p.answers)
	p.exited <- p.cmd.Wait()
}

// answer waits for the next answer.
func (p *process) answer(ctx context.Context, patience time.Duration) (answer, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	failed := p.failed
	for {
		select {
		case <-failed:
			failed = nil // it has ended, or will not answer a request that it has not read
		case a, ok := <-p.answers:
			if !ok {
				return a, p.ended()
			}
			return a, nil
		case <-timer.C:
			return answer{}, fmt.Errorf("want an answer within %s", patience)
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
}

// ended returns how a program ended that closed its output.
func (p *process) ended() error {
	select {
	case err := <-p.exited:
		p.exited <- err // for end
		if err == nil {
			err = errors.New("exit status 0")
		}
		return fmt.Errorf("the backend ended: %w", err)
	case <-time.After(time.Second):
		return errors.New("the backend closed its output")
	}
}

// end ends the program, and does not wait for the processes that it started: these end when they find their input closed.
func (p *process) end() {
	close(p.requests)
	p.stdin.Close()
	_ = p.cmd.Process.Kill()
	p.stdout.Close()
	for range p.answers { // so that read ends
	}
	<-p.exited
}

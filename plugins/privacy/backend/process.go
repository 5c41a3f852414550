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

// A process is one life of the program.
type process struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   io.ReadCloser
	requests chan []byte // lines to write; as many fit in as are ever on the way
	deaf     chan error  // why they can no longer be written
	answers  chan answer // closed when nothing more comes
	exited   chan error  // how the program ended, when it has and nothing more comes
}

// start runs a program. Its standard error is not read, as it may hold what it was asked.
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
			p.deaf <- err
			return
		}
	}
}

// maxAnswer is the longest line that is read: a program that never ends its line is not to take all memory.
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
			break // a line without an end is what is left of a program that crashed
		}
		p.answers <- readAnswer(line)
		line = line[:0]
	}
	close(p.answers)
	p.exited <- p.cmd.Wait()
}

// answer waits for the next one.
func (p *process) answer(ctx context.Context, patience time.Duration) (answer, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	deaf := p.deaf
	for {
		select {
		case <-deaf:
			deaf = nil // it has ended, or will not answer what it has not read
		case a, ok := <-p.answers:
			if !ok {
				return a, p.ended()
			}
			return a, nil
		case <-timer.C:
			return answer{}, fmt.Errorf("want an answer within %s, have none", patience)
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
}

// ended tells how a program has ended that has closed its output.
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

// end ends the program. What it has started itself ends when it finds its input closed; nothing waits for that.
func (p *process) end() {
	close(p.requests)
	p.stdin.Close()
	_ = p.cmd.Process.Kill()
	p.stdout.Close()
	for range p.answers { // so that its reader ends
	}
	<-p.exited
}

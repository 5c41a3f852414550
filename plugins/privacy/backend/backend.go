// Package backend asks a program of the user's what it finds in texts.
package backend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Config says how to start a recogniser that is a program of its own, such as one around a model.
type Config struct {
	Command   []string `hcl:"command" doc:"the program and its arguments"`
	OnFailure string   `hcl:"on_failure,optional" doc:"reject, the default, or stop"`
	Timeout   string   `hcl:"timeout,optional" doc:"for one batch, such as 30s"`
	Batch     int      `hcl:"batch,optional" doc:"texts in one request"`
	MinScore  float64  `hcl:"min_score,optional" doc:"what is below is left out"`
}

// A Backend is a program that is started once by each worker and then asked, batch by batch, over its standard input
// and output. README.md of the step describes the protocol.
type Backend struct {
	command []string
	timeout time.Duration
	batch   int
	floor   float64

	cmd     *exec.Cmd
	stdin   io.WriteCloser
	answers chan answer
	id      int
}

// An answer is what the backend says to the request of that id: for each of its texts, what it found there.
type answer struct {
	id      int
	results [][]Span
	err     error
}

// A Span is text[Start:End], in bytes, that the program calls an entity.
type Span struct {
	Start, End int
	Entity     string
	score      float64
}

// Ask gives what the program finds in each of the texts, but for what it is not sure of.
func (b *Backend) Ask(ctx context.Context, texts []string) (all [][]Span, err error) {
	for part := range slices.Chunk(texts, b.batch) {
		results, err := b.exchange(ctx, part)
		if err != nil {
			b.Close() // what it says next would answer an older question
			return nil, err
		}
		for i, found := range results {
			inBytes(part[i], found)
			all = append(all, slices.DeleteFunc(found, func(s Span) bool { return s.score < b.floor }))
		}
	}
	return all, nil
}

func (b *Backend) exchange(ctx context.Context, texts []string) ([][]Span, error) {
	if err := b.start(); err != nil {
		return nil, err
	}
	b.id++
	line := appendRequest(nil, b.id, texts)
	written := make(chan error, 1)
	go func() {
		_, err := b.stdin.Write(line)
		written <- err
	}()
	timer := time.NewTimer(b.timeout)
	defer timer.Stop()
	for {
		select {
		case err := <-written:
			if err != nil {
				return nil, errors.New("the backend does not read its input")
			}
			written = nil
		case a, ok := <-b.answers:
			if !ok {
				return nil, errors.New("the backend ended")
			}
			if a.err == nil {
				a.err = a.check(b.id, texts)
			}
			return a.results, a.err
		case <-timer.C:
			return nil, fmt.Errorf("want an answer within %s, have none", b.timeout)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// check holds an answer to its request. What is out of range is a failure, since something personal is where it
// cannot be taken out.
func (a *answer) check(id int, texts []string) error {
	if a.id != id || len(a.results) != len(texts) {
		return fmt.Errorf("want an answer to request %d with %d results, have one to %d with %d", id, len(texts), a.id, len(a.results))
	}
	for i, found := range a.results {
		length := utf8.RuneCountInString(texts[i])
		for _, f := range found {
			if f.Start < 0 || f.End <= f.Start || f.End > length || !rules.IsEntityName(f.Entity) {
				return fmt.Errorf("want a span within %d code points with an entity such as PERSON, have %d to %d", length, f.Start, f.End)
			}
		}
	}
	return nil
}

// inBytes makes offsets in code points, which were checked, ones in bytes.
func inBytes(text string, found []Span) {
	var offsets []*int
	for i := range found {
		offsets = append(offsets, &found[i].Start, &found[i].End)
	}
	slices.SortFunc(offsets, func(a, b *int) int { return *a - *b })
	at, runes := 0, 0
	for _, o := range offsets {
		for ; runes < *o; runes++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		*o = at
	}
}

// start runs the program unless it runs already. Its standard error is not read, as it may hold what it was asked.
func (b *Backend) start() error {
	if b.cmd != nil {
		return nil
	}
	cmd := exec.Command(b.command[0], b.command[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the backend: %w", err)
	}
	b.cmd, b.stdin, b.answers = cmd, stdin, make(chan answer)
	go read(stdout, b.answers)
	return nil
}

func read(from io.Reader, answers chan<- answer) {
	defer close(answers)
	lines := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		answers <- readAnswer(line)
	}
}

// appendRequest appends a line of the protocol: {"id": 1, "texts": ["..."]}.
func appendRequest(dst []byte, id int, texts []string) []byte {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendInt(dst, int64(id), 10)
	dst = append(dst, `,"texts":[`...)
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, text)
	}
	return append(dst, "]}\n"...)
}

const maxDepth = 16 // of an answer

// readAnswer reads {"id": 1, "results": [[{"start": 0, "end": 5, "entity": "PERSON", "score": 0.9}]]}. Offsets that are
// no whole numbers become ones that check refuses.
func readAnswer(line []byte) (a answer) {
	if jsontext.Check(bytes.TrimSpace(line), maxDepth) != nil {
		a.err = fmt.Errorf("want a line of JSON from the backend, have %d bytes that are not", len(line))
		return a
	}
	v := gjson.ParseBytes(line)
	a.id = int(v.Get("id").Int())
	v.Get("results").ForEach(func(_, result gjson.Result) bool {
		var found []Span
		result.ForEach(func(_, f gjson.Result) bool {
			r := Span{Start: -1, Entity: f.Get("entity").Str, score: 1}
			if start, end := f.Get("start"), f.Get("end"); start.Type == gjson.Number && end.Type == gjson.Number && start.Num == math.Trunc(start.Num) && end.Num == math.Trunc(end.Num) {
				r.Start, r.End = int(start.Num), int(end.Num)
			}
			if score := f.Get("score"); score.Exists() {
				r.score = score.Num
			}
			found = append(found, r)
			return true
		})
		a.results = append(a.results, found)
		return true
	})
	return a
}

// Close ends the program.
func (b *Backend) Close() error {
	if b.cmd == nil {
		return nil
	}
	cmd, answers := b.cmd, b.answers
	b.cmd = nil
	b.stdin.Close()
	_ = cmd.Process.Kill()
	for range answers { // so that its reader ends
	}
	_ = cmd.Wait() // it was killed, and says so
	return nil
}

// Stops tells whether a failure ends the run instead of rejecting the record.
func (c *Config) Stops() bool { return c.OnFailure == "stop" }

// Open checks a config and makes the backend that it describes. It starts nothing.
func (c *Config) Open(fail func(attr, format string, args ...any)) *Backend {
	b := &Backend{command: c.Command, batch: c.Batch, floor: c.MinScore, timeout: 20 * time.Second}
	if len(c.Command) == 0 {
		fail("backend.command", "want a program and its arguments, have nothing")
	}
	if c.OnFailure != "" && c.OnFailure != "stop" && c.OnFailure != "reject" {
		fail("backend.on_failure", "want one of reject, stop, have %q", c.OnFailure)
	}
	if c.Batch == 0 {
		b.batch = 64
	} else if c.Batch < 0 {
		fail("backend.batch", "want at least 1, have %d", c.Batch)
	}
	if c.Timeout != "" {
		var err error
		if b.timeout, err = time.ParseDuration(c.Timeout); err != nil || b.timeout <= 0 {
			fail("backend.timeout", "want a time such as 20s, have %q", c.Timeout)
		}
	}
	return b
}

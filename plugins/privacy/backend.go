package privacy

import (
	"bufio"
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
)

// A backendConfig says how to start a recogniser that is a program of its own, such as one around a model.
type backendConfig struct {
	Command   []string `hcl:"command" doc:"the program and its arguments"`
	OnFailure string   `hcl:"on_failure,optional" doc:"reject, the default, or stop"`
	Timeout   string   `hcl:"timeout,optional" doc:"for one batch, such as 30s"`
	Batch     int      `hcl:"batch,optional" doc:"texts in one request"`
	MinScore  float64  `hcl:"min_score,optional" doc:"what is below is left out"`
}

// A backend is a program that is started once by each worker and then asked, batch by batch, over its standard input
// and output. README.md describes the protocol. The texts of a record are asked for together, before the rules run.
type backend struct {
	command []string
	stop    bool // a failure ends the run instead of rejecting the record
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
	results [][]recognised
	err     error
}

// recognised is text[start:end], in code points.
type recognised struct {
	start, end int
	entity     string
	score      float64
}

// ask gives what the backend finds in each of the texts.
func (b *backend) ask(ctx context.Context, texts []string) (all [][]recognised, err error) {
	for part := range slices.Chunk(texts, b.batch) {
		results, err := b.exchange(ctx, part)
		if err != nil {
			b.Close() // what it says next would answer an older question
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

func (b *backend) exchange(ctx context.Context, texts []string) ([][]recognised, error) {
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
			if f.start < 0 || f.end <= f.start || f.end > length || !entityForm().MatchString(f.entity) {
				return fmt.Errorf("want a span within %d code points with an entity such as PERSON, have %d to %d", length, f.start, f.end)
			}
		}
	}
	return nil
}

// start runs the program unless it runs already. Its standard error is not read, as it may hold what it was asked.
func (b *backend) start() error {
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
		dst = append(dst, '"')
		dst = append(appendEscaped(dst, text), '"')
	}
	return append(dst, "]}\n"...)
}

// readAnswer reads {"id": 1, "results": [[{"start": 0, "end": 5, "entity": "PERSON", "score": 0.9}]]}. Offsets that are
// no whole numbers become ones that check refuses.
func readAnswer(line []byte) (a answer) {
	if !gjson.ValidBytes(line) {
		a.err = fmt.Errorf("want a line of JSON from the backend, have %d bytes that are not", len(line))
		return a
	}
	v := gjson.ParseBytes(line)
	a.id = int(v.Get("id").Int())
	v.Get("results").ForEach(func(_, result gjson.Result) bool {
		var found []recognised
		result.ForEach(func(_, f gjson.Result) bool {
			r := recognised{start: -1, entity: f.Get("entity").Str, score: 1}
			if start, end := f.Get("start"), f.Get("end"); start.Type == gjson.Number && end.Type == gjson.Number && start.Num == math.Trunc(start.Num) && end.Num == math.Trunc(end.Num) {
				r.start, r.end = int(start.Num), int(end.Num)
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
func (b *backend) Close() error {
	if b.cmd == nil {
		return nil
	}
	cmd, answers := b.cmd, b.answers
	b.cmd = nil
	b.stdin.Close()
	cmd.Process.Kill()
	for range answers { // so that its reader ends
	}
	cmd.Wait() // it was killed, and says so
	return nil
}

// recognise asks the backend about every string of a record that is a value, JSON in strings taken apart. It gives
// the answers by text.
func (b *backend) recognise(ctx context.Context, doc string) (map[string][]recognised, error) {
	texts := collect(doc, nil)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	results, err := b.ask(ctx, texts)
	if err != nil {
		return nil, err
	}
	byText := make(map[string][]recognised, len(texts))
	for i, text := range texts {
		byText[text] = slices.DeleteFunc(results[i], func(r recognised) bool { return r.score < b.floor })
	}
	return byText, nil
}

func collect(doc string, texts []string) []string {
	for _, n := range tape(nil).read(doc) {
		if n.kind != '"' || n.start == n.end {
			continue
		}
		if text := decode(doc, n).s; isEmbedded(text) {
			texts = collect(text, texts)
		} else {
			texts = append(texts, text)
		}
	}
	return texts
}

// addRecognised adds what the backend found in the text, below everything the rules find.
func (s *scan) addRecognised(found []recognised) {
	for _, r := range found {
		start, end := byteOffset(s.s, r.start), byteOffset(s.s, r.end)
		if s.off[r.entity] || s.inMarker(start, end, true) {
			continue
		}
		s.matches = append(s.matches, match{start, end, &rule{name: "backend", entity: r.entity}, rankBackend})
	}
}

// byteOffset gives where code point n of a text begins.
func byteOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// open checks a config and makes the backend that it describes.
func (c *backendConfig) open(fail func(attr, format string, args ...any)) *backend {
	b := &backend{command: c.Command, batch: c.Batch, floor: c.MinScore, stop: c.OnFailure == "stop", timeout: 20 * time.Second}
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

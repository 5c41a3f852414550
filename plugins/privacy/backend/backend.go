// Package backend runs a recogniser that is a program of the user.
package backend

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Config holds the attributes of a recogniser, such as a program around a model.
type Config struct {
	Command   []string `hcl:"command" doc:"the program and its arguments" example:"[\"python3\",\"recognise.py\"]"`
	OnFailure string   `hcl:"on_failure,optional" oneof:"reject stop" doc:"what a failure of the program does; reject by default"`
	Timeout   string   `hcl:"timeout,optional" doc:"for one batch" example:"\"30s\""`
	Start     string   `hcl:"start_timeout,optional" doc:"for the first batch, before which a model is loaded" example:"\"2m\""`
	Batch     int      `hcl:"batch,optional" doc:"texts in one request"`
	MinScore  float64  `hcl:"min_score,optional" doc:"the least score of a finding that counts"`
}

// Backend is a program that each worker starts once. It gets texts in batches on its standard input and answers on its standard
// output. README.md of the step describes the protocol.
type Backend struct {
	command        []string
	timeout, start time.Duration
	batch          int
	floor          float64

	process *process // nil when it does not run
	id      int      // of the last request
	known   memory
}

// An answer holds, for each text of the request of that id, what the program found.
type answer struct {
	id      int
	results [][]Span
	err     error
}

// Span is a hint of the program, in bytes, with its score.
type Span struct {
	recognise.Hint
	score float64
}

// ahead is the number of requests that the program has at a time, so that the next one is ready when it has answered.
const ahead = 2

// Ask returns what the program finds in each text with a score of min_score or more. It caches the answers of recent texts.
func (b *Backend) Ask(ctx context.Context, texts []string) ([][]Span, error) {
	all := make([][]Span, len(texts))
	var unknown []int // their places
	for i, text := range texts {
		var ok bool
		if all[i], ok = b.known.get(text); !ok {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) == 0 {
		return all, nil
	}
	err := b.exchange(ctx, texts, unknown, func(i int, found []Span) {
		inBytes(texts[i], found)
		all[i] = slices.DeleteFunc(found, func(s Span) bool { return s.score < b.floor })
		b.known.put(texts[i], all[i])
	})
	if err != nil {
		b.Close() // its next answer would be to an older request
		return nil, err
	}
	return all, nil
}

// exchange sends the texts at some places, batch by batch.
func (b *Backend) exchange(ctx context.Context, texts []string, places []int, found func(place int, spans []Span)) error {
	patience := b.timeout
	if b.process == nil {
		p, err := start(b.command)
		if err != nil {
			return err
		}
		b.process, patience = p, b.start
	}
	var waiting [][]int // requests that have no answer yet
	first := b.id + 1
	for len(places) > 0 || len(waiting) > 0 {
		for len(places) > 0 && len(waiting) < ahead {
			n := batchOf(texts, places, b.batch)
			b.id++
			b.process.requests <- appendRequest(nil, b.id, texts, places[:n])
			waiting = append(waiting, places[:n])
			places = places[n:]
		}
		a, err := b.process.answer(ctx, patience)
		if err == nil {
			err = a.check(first, texts, waiting[0])
		}
		if err != nil {
			return err
		}
		for i, place := range waiting[0] {
			found(place, a.results[i])
		}
		waiting, first, patience = waiting[1:], first+1, b.timeout
	}
	return nil
}

// maxRequest limits the bytes of the texts of a request, as the time for an answer is limited. A longer text goes alone.
const maxRequest = 256 << 10

// batchOf returns the number of texts at some places that go into one request.
func batchOf(texts []string, places []int, most int) (n int) {
	size := 0
	for n < min(len(places), most) {
		if size += len(texts[places[n]]); size > maxRequest && n > 0 {
			break
		}
		n++
	}
	return n
}

// check compares an answer with its request. A span out of range is a failure, since it cannot be replaced.
func (a *answer) check(id int, texts []string, places []int) error {
	if a.err != nil {
		return a.err
	}
	if a.id != id || len(a.results) != len(places) {
		return fmt.Errorf("want an answer to request %d with %d results, have one to %d with %d", id, len(places), a.id, len(a.results))
	}
	for i, found := range a.results {
		length := utf8.RuneCountInString(texts[places[i]])
		for _, f := range found {
			if f.End <= f.Start || f.End > length || !rules.IsEntityName(f.Entity) {
				return fmt.Errorf("want a span within %d code points with an entity such as PERSON, have %d to %d", length, f.Start, f.End)
			}
		}
	}
	return nil
}

// inBytes converts checked offsets from code points to bytes.
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

// appendRequest appends a line of the protocol: {"id": 1, "texts": ["..."]}.
func appendRequest(dst []byte, id int, texts []string, places []int) []byte {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendInt(dst, int64(id), 10)
	dst = append(dst, `,"texts":[`...)
	for _, place := range places {
		dst = jsontext.AppendString(jsontext.AppendComma(dst), texts[place])
	}
	return append(dst, "]}\n"...)
}

// Close ends the program.
func (b *Backend) Close() error {
	if b.process != nil {
		b.process.end()
		b.process = nil
	}
	return nil
}

// Open checks a config and returns its backend. It starts nothing.
func (c *Config) Open(fail func(attr, format string, args ...any)) *Backend {
	b := &Backend{command: c.Command, batch: c.Batch, floor: c.MinScore}
	if len(c.Command) == 0 {
		fail("backend.command", "want a program and its arguments, have an empty list")
	} else if _, err := exec.LookPath(c.Command[0]); err != nil {
		fail("backend.command", "want a program that can be started (the step sees PATH only with host { env = [\"PATH\"] }): %v", err)
	}
	if c.Batch == 0 {
		b.batch = 64
	} else if c.Batch < 0 {
		fail("backend.batch", "want at least 1, have %d", c.Batch)
	}
	if !(c.MinScore >= 0 && c.MinScore <= 1) {
		fail("backend.min_score", "want a number from 0 to 1, have %v", c.MinScore)
	}
	duration := func(attr, text string, usual time.Duration) time.Duration {
		if text == "" {
			return usual
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			fail("backend."+attr, "want a time such as 20s, have %q", text)
		}
		return d
	}
	b.timeout = duration("timeout", c.Timeout, 20*time.Second)
	b.start = duration("start_timeout", c.Start, max(2*time.Minute, b.timeout))
	return b
}

// A memory caches what was found in recent texts, since records repeat prompts and descriptions of tools. It holds between one
// and two times maxKnown bytes of text.
type memory struct {
	young, old map[string][]Span
	size       int // of the texts in young
}

const (
	maxKnown = 4 << 20
	overhead = 64 // of an entry, at least
)

func (m *memory) get(text string) ([]Span, bool) {
	found, ok := m.young[text]
	if ok {
		return found, true
	}
	if found, ok = m.old[text]; ok {
		m.put(text, found)
	}
	return found, ok
}

// put adds a copy of a text, which may be a view that ends with the record.
func (m *memory) put(text string, found []Span) {
	size := len(text) + overhead*(1+len(found))
	if size > maxKnown/16 {
		return
	}
	if m.young == nil || m.size+size > maxKnown {
		m.old, m.young, m.size = m.young, map[string][]Span{}, 0
	}
	m.young[strings.Clone(text)] = found
	m.size += size
}

package flow

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A lot is one chunk as it was read, with all that comes from it. It is done when every flight of it is; only then are
// its rejects written, sorted, so that the dead letter is in input order whatever ran in parallel.
type pendingChunk struct {
	mu      sync.Mutex
	batches int
	rejects []reject
	done    chan struct{}
}

func newPendingChunk() *pendingChunk { return &pendingChunk{batches: 1, done: make(chan struct{})} }

func (l *pendingChunk) retain() {
	l.mu.Lock()
	l.batches++
	l.mu.Unlock()
}

func (l *pendingChunk) release() {
	l.mu.Lock()
	l.batches--
	done := l.batches == 0
	l.mu.Unlock()
	if done {
		close(l.done)
	}
}

func (l *pendingChunk) addReject(r reject) {
	l.mu.Lock()
	l.rejects = append(l.rejects, r)
	l.mu.Unlock()
}

// A reject is a row of the dead letter. It is a copy: if it held the record's memory until its lot is done, a step
// could wait for that memory in order to get done.
type reject struct {
	row   wire.Record
	code  string
	text  string // position and message, for people
	place int    // of the node in the tree
	nth   int    // of what reached the node at once
}

// newReject makes the row {"code","message","path","step","plugin","file","line","record"}. The record stands as it
// reached the step, byte for byte. A fault may bring another one to show, since the one at hand must not be written; of
// a private step nothing else is shown.
func newReject(r *wire.Record, f *wire.Fault, by *rejecter, place int, show recordAppender) reject {
	at := ""
	if f.Path != "" {
		at = " at " + f.Path
	}
	data := r.Data
	switch {
	case len(f.Record) > 0:
		data = f.Record
	case by.private:
		data = []byte("null")
	}
	dst := make([]byte, 0, len(data)+256)
	dst = jsontext.AppendMember(append(dst, '{'), "code", f.Code)
	dst = jsontext.AppendMember(append(dst, ','), "message", f.Message)
	dst = jsontext.AppendMember(append(dst, ','), "path", f.Path)
	dst = jsontext.AppendMember(append(dst, ','), "step", by.step)
	dst = jsontext.AppendMember(append(dst, ','), "plugin", by.plugin)
	dst = appendOrigin(append(dst, ','), r)
	row := *r
	row.Mem, row.Data = nil, append(show(append(dst, ','), data), '}')
	return reject{
		row: row, code: f.Code, place: place,
		text: fmt.Sprintf("%s: step %s: %s%s: %s", positionOf(r), by.step, f.Code, at, f.Message),
	}
}

// A shower appends the member "record" of a dead letter row.
type recordAppender func(dst, data []byte) []byte

func appendRecordJSON(dst, data []byte) []byte { return append(append(dst, `"record":`...), data...) }

// showText is for what a source could not read: text stands as a string, and what is not UTF-8 in base64 with
// "encoding":"base64". Of what was too large to read there is nothing to show.
func appendRecordText(dst, data []byte) []byte {
	switch {
	case data == nil:
		return append(dst, `"record":null`...)
	case utf8.Valid(data):
		return jsontext.AppendString(append(dst, `"record":`...), data)
	}
	dst = jsontext.AppendMember(dst, "record", base64.StdEncoding.EncodeToString(data))
	return append(dst, `,"encoding":"base64"`...)
}

// A LimitError says that a run found more than it allows. What it found up to there is written.
type LimitError struct {
	Shadow      string // empty: the dead letter
	Limit, Have int64
	What        string // the record that is too many: its position and, for the dead letter, why it was rejected
}

// Error implements error.
func (e *LimitError) Error() string {
	if e.Shadow == "" {
		return fmt.Sprintf("want at most %d rejects, have %d: %s", e.Limit, e.Have, e.What)
	}
	return fmt.Sprintf("%s: shadow %s: want at most %d differing records, have %d", e.What, e.Shadow, e.Limit, e.Have)
}

// finish writes the rejects of each lot, in the order in which the lots were read.
func (e *engine) writeRejects() error {
	var total int64
	return forEach(e.ctx, e.chunks, func(l *pendingChunk) error {
		if err := forEach(e.ctx, l.done, func(struct{}) error { return nil }); err != nil {
			return err
		}
		if len(l.rejects) == 0 {
			return nil
		}
		slices.SortStableFunc(l.rejects, func(a, b reject) int {
			return cmp.Or(cmp.Compare(a.row.Ord, b.row.Ord), cmp.Compare(a.place, b.place))
		})
		rows := make([]wire.Record, len(l.rejects))
		for i, r := range l.rejects {
			rows[i] = r.row
		}
		e.plan.Account.change(func(t *Totals) {
			for _, r := range l.rejects {
				t.rejected.add(r.code, 1, maxReasons)
			}
		})
		if err := e.plan.DeadLetter.write(rows); err != nil {
			return fmt.Errorf("dead letter: %w", err)
		}
		before := total
		total += int64(len(rows))
		if limit := e.plan.Limit; limit >= 0 && total > limit {
			return &LimitError{Limit: limit, Have: total, What: l.rejects[limit-before].text}
		}
		return nil
	})
}

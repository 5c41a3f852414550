package flow

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/batch"
)

// An origin is one batch as it was read. It is done when every flight that came from it is; only then are its
// rejects written, sorted, so that the dead letter is in input order whatever ran in parallel.
type origin struct {
	mu      sync.Mutex
	flights int
	rejects []reject
	done    chan struct{}
}

func newOrigin() *origin { return &origin{flights: 1, done: make(chan struct{})} }

func (o *origin) hold() {
	o.mu.Lock()
	o.flights++
	o.mu.Unlock()
}

func (o *origin) release() {
	o.mu.Lock()
	o.flights--
	done := o.flights == 0
	o.mu.Unlock()
	if done {
		close(o.done)
	}
}

func (o *origin) reject(r reject) {
	o.mu.Lock()
	o.rejects = append(o.rejects, r)
	o.mu.Unlock()
}

// A reject is a row of the dead letter. It is a copy: if it held the record's memory until its batch is done, a
// step could wait for that memory in order to get done.
type reject struct {
	row   batch.Record
	code  string
	said  string // position and message, for people
	place int    // of the node in the tree
}

func newReject(r *batch.Record, f *batch.Fault, step, plugin string, place int, show shower) reject {
	at := ""
	if f.Path != "" {
		at = " at " + f.Path
	}
	row := *r
	row.Mem, row.Data = nil, deadLetterRow(r, f, step, plugin, show)
	return reject{
		row: row, code: f.Code, place: place,
		said: fmt.Sprintf("%s:%d: step %s: %s%s: %s", r.File, r.Line, step, f.Code, at, f.Message),
	}
}

// deadLetterRow is {"code","message","path","step","plugin","file","line","record"}. The record stands as it
// reached the step, byte for byte. A fault may bring another one to show, since the one at hand must not be written.
func deadLetterRow(r *batch.Record, f *batch.Fault, step, plugin string, show shower) []byte {
	data := r.Data
	if len(f.Record) > 0 {
		data = f.Record
	}
	dst := make([]byte, 0, len(data)+256)
	dst = appendMember(append(dst, '{'), "code", f.Code)
	dst = appendMember(append(dst, ','), "message", f.Message)
	dst = appendMember(append(dst, ','), "path", f.Path)
	dst = appendMember(append(dst, ','), "step", step)
	dst = appendMember(append(dst, ','), "plugin", plugin)
	dst = appendMember(append(dst, ','), "file", r.File)
	dst = fmt.Appendf(dst, `,"line":%d,`, r.Line)
	return append(show(dst, data), '}')
}

// A shower appends the member "record" of a dead letter row.
type shower func(dst, data []byte) []byte

func showJSON(dst, data []byte) []byte { return append(append(dst, `"record":`...), data...) }

// showText is for what a source could not read: text stands as a string, and what is not UTF-8 in base64 with
// "encoding":"base64". Of what was too large to read there is nothing to show.
func showText(dst, data []byte) []byte {
	switch {
	case data == nil:
		return append(dst, `"record":null`...)
	case utf8.Valid(data):
		return appendMember(dst, "record", string(data))
	}
	dst = appendMember(dst, "record", base64.StdEncoding.EncodeToString(data))
	return append(dst, `,"encoding":"base64"`...)
}

func appendMember(dst []byte, key, value string) []byte {
	dst = gjson.AppendJSONString(dst, key)
	return gjson.AppendJSONString(append(dst, ':'), value)
}

// finish writes the rejects of each origin, in the order in which they were read.
func (e *engine) finish() error {
	var total int64
	return each(e.ctx, e.order, func(o *origin) error {
		if err := each(e.ctx, o.done, func(struct{}) error { return nil }); err != nil {
			return err
		}
		if len(o.rejects) == 0 {
			return nil
		}
		slices.SortStableFunc(o.rejects, func(a, b reject) int {
			return cmp.Or(cmp.Compare(a.row.Ord, b.row.Ord), cmp.Compare(a.place, b.place))
		})
		rows := make([]batch.Record, len(o.rejects))
		for i, r := range o.rejects {
			rows[i] = r.row
		}
		e.plan.Account.change(func(s *Sums) {
			for _, r := range o.rejects {
				bump(&s.Rejected, r.code, 1)
			}
		})
		if err := e.plan.DeadLetter.Write(rows); err != nil {
			return fmt.Errorf("dead letter: %w", err)
		}
		total += int64(len(rows))
		if e.plan.Limit >= 0 && total > e.plan.Limit {
			return fmt.Errorf("want at most %d rejects, have %d: %s", e.plan.Limit, total, o.rejects[0].said)
		}
		return nil
	})
}

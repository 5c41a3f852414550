package flow

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A reject is a row of the dead letter. It is a copy: a step may have to wait for the record's memory before it can
// finish the chunk that the reject waits for.
type reject struct {
	row     wire.Record
	kind    rejectKind
	message string
	path    string
	node    int32 // number of the node in the tree
	nth     int32 // of the records that reached the node with one batch
}

// text returns position and message, for people.
func (r *reject) text() string {
	at := ""
	if r.path != "" {
		at = " at " + r.path
	}
	return fmt.Sprintf("%s: step %s: %s%s: %s", positionOf(&r.row), r.kind.step, r.kind.code, at, r.message)
}

// A rejecter is what a dead letter row names as the origin of the reject.
type rejecter struct {
	step, plugin string
	private      bool
}

// firstRejecter is of what all members of a First declined: none of them is to blame. It is private when any of them is.
func firstRejecter(name string, private bool) rejecter {
	return rejecter{step: "first." + name, private: private}
}

// shown returns the bytes of a record that a message may be about, none of a private step.
func (by *rejecter) shown(r *wire.Record, f *wire.Fault) []byte {
	switch {
	case by.private:
		return nil
	case len(f.Record) > 0:
		return f.Record
	}
	return r.Data
}

// newReject returns the row {"code","message","path","step","plugin","file","line","record"}, with "origins" for a record made of several.
// The record is what reached the step, byte for byte, unless the fault brings another to show in its place. A private step shows no other.
func newReject(r *wire.Record, f *wire.Fault, by *rejecter, node int, unreadable bool) reject {
	data := r.Data
	switch {
	case len(f.Record) > 0:
		data = f.Record
	case by.private:
		data = []byte("null")
	}
	head := make([]byte, 0, 512) // on the stack
	head = jsontext.AppendMember(append(head, '{'), "code", f.Code)
	head = jsontext.AppendMember(append(head, ','), "message", f.Message)
	head = jsontext.AppendMember(append(head, ','), "path", f.Path)
	head = jsontext.AppendMember(append(head, ','), "step", by.step)
	head = jsontext.AppendMember(append(head, ','), "plugin", by.plugin)
	head = append(appendOrigins(appendOrigin(append(head, ','), r), r.Origins), ',')
	dst := append(make([]byte, 0, len(head)+len(`"record":}`)+len(data)), head...)
	row := *r
	row.Mem, row.Data = nil, append(appendRecord(dst, data, unreadable), '}')
	return reject{row: row, kind: rejectKind{f.Code, by.step}, message: f.Message, path: f.Path, node: int32(node)}
}

// appendRecord appends the member "record" of a dead letter row. Of input that a source could not read, text becomes a string, other
// bytes become base64 with "encoding":"base64", and what was too large to read becomes null.
func appendRecord(dst, data []byte, unreadable bool) []byte {
	switch {
	case !unreadable:
		return append(append(dst, `"record":`...), data...)
	case data == nil:
		return append(dst, `"record":null`...)
	case utf8.Valid(data):
		return jsontext.AppendString(append(dst, `"record":`...), data)
	}
	dst = base64.StdEncoding.AppendEncode(append(dst, `"record":"`...), data)
	return append(dst, `","encoding":"base64"`...)
}

// A LimitError reports that a run found more rejects or differences than it allows, or may have, since a candidate failed. All of them
// up to the one beyond the limit are written, or all when the limit is a share.
type LimitError struct {
	Shadow   string // empty: the dead letter
	Limit    limit.Limit
	Have, Of int64  // Of is what a share is of: the records read or compared
	Missed   int64  // records that were not compared, if the limit would be kept without them
	Since    string // where the candidate failed, in words; empty unless records were missed
	What     string // position of the record beyond the limit, or of the first for a share, and why the dead letter has it

	Step string           // that rejected the record beyond the limit; empty for a share, and for a shadow
	At   receipt.Position // of this record; without a file for a share
}

// Error implements error.
func (e *LimitError) Error() string {
	switch of := fmt.Sprintf("%d of %d (%s)", e.Have, e.Of, e.Limit.Percent(e.Have, e.Of)); {
	case e.Missed > 0 && e.Limit.IsShare():
		return fmt.Sprintf("shadow %s: want at most %s of the records to differ, have %d of %d, and %d not compared, since the candidate failed %s",
			e.Shadow, e.Limit, e.Have, e.Of, e.Missed, e.Since)
	case e.Missed > 0:
		return fmt.Sprintf("%sshadow %s: want at most %s differing records, have %d, and %d not compared, since the candidate failed %s",
			e.at(), e.Shadow, e.Limit, e.Have, e.Missed, e.Since)
	case e.Limit.IsShare() && e.Shadow == "":
		return fmt.Sprintf("want at most %s of the records rejected, have %s, first %s", e.Limit, of, e.What)
	case e.Limit.IsShare():
		return fmt.Sprintf("shadow %s: want at most %s of the records to differ, have %s, first %s", e.Shadow, e.Limit, of, e.What)
	case e.Shadow == "":
		return fmt.Sprintf("want at most %s rejects, have %d: %s", e.Limit, e.Have, e.What)
	}
	return fmt.Sprintf("%s: shadow %s: want at most %s differing records, have %d", e.What, e.Shadow, e.Limit, e.Have)
}

// at returns the place of the record beyond the limit, "" when there is none.
func (e *LimitError) at() string {
	if e.At.File == "" {
		return ""
	}
	return e.At.String() + ": "
}

// mostPending is about how many bytes of rejects may wait for their chunks before more is read.
const mostPending = 32 << 20

// pendingRejects counts the bytes of the rejects that are not written yet: those of later chunks wait for what holds an earlier one
// up, such as a slow sink, and no arena bounds them.
type pendingRejects struct {
	bytes atomic.Int64
	freed chan struct{}
	found *atomic.Int64 // all rejects of the run
}

func (p *pendingRejects) add(r *reject) {
	p.bytes.Add(r.size())
	p.found.Add(1)
}

func (p *pendingRejects) take(all []reject) {
	for i := range all {
		p.bytes.Add(-all[i].size())
	}
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// wait waits until few enough are pending. The chunks that these belong to get done without any further chunk.
func (p *pendingRejects) wait(ctx context.Context) error {
	for p.bytes.Load() > mostPending {
		if _, err := receive(ctx, p.freed); err != nil {
			return err
		}
	}
	return nil
}

// rejectSize is about how many bytes of memory a reject takes besides its row.
const rejectSize = 256

func (r *reject) size() int64 { return rejectSize + int64(len(r.row.Data)) }

// sortRejects puts the rejects of a chunk in the order of the input, and those of one record in that of the nodes.
func sortRejects(all []reject) {
	slices.SortStableFunc(all, func(a, b reject) int {
		return cmp.Or(cmp.Compare(a.row.Ord, b.row.Ord), cmp.Compare(a.node, b.node))
	})
}

// writeRejects writes the rejects of each chunk, in the order in which the chunks were read.
func (e *engine) writeRejects() error {
	return forEach(e.ctx, e.chunks, func(c *pendingChunk) error {
		if err := waitFor(e.ctx, c.done); err != nil {
			return err
		}
		e.stride.adapt(c.records, time.Since(c.began))
		if c.reached != nil {
			close(c.reached)
		}
		if c.after != nil {
			return c.after()
		}
		if len(c.rejects) == 0 {
			return nil
		}
		sortRejects(c.rejects)
		rows := make([]wire.Record, len(c.rejects))
		for i, r := range c.rejects {
			rows[i] = r.row
		}
		e.count(c, func(t *Totals) {
			for i := range c.rejects {
				r := &c.rejects[i]
				t.rejected.add(r.kind.code, 1, maxReasons)
				t.reasons.add(r.kind, r.message, positionOf(&r.row))
			}
		})
		if err := e.plan.DeadLetter.write(rows); err != nil {
			return fmt.Errorf("dead letter: %w", err)
		}
		c.tally.wrote(e.plan.DeadLetter, rows, false)
		c.tally.reject(&c.rejects[0], len(rows))
		if e.rejected == 0 {
			e.firstReject = c.rejects[0].text()
		}
		e.pending.take(c.rejects)
		before := e.rejected
		e.rejected += int64(len(rows))
		if l := e.plan.Limit; !l.IsShare() && l.Exceeded(e.rejected, 0) {
			r := &c.rejects[l.Number()-before]
			return &LimitError{Limit: l, Have: e.rejected, What: r.text(), Step: r.kind.step, At: positionOf(&r.row)}
		}
		return nil
	})
}

// checkLimits compares the rejects and the differences of the whole run with the limits that only its end decides.
func (e *engine) checkLimits() error {
	for _, s := range e.shadows {
		if err := s.checkLimit(); err != nil {
			return err
		}
	}
	read := e.plan.Account.Snapshot().Read
	if l := e.plan.Limit; l.IsShare() && l.Exceeded(e.rejected, read) {
		return &LimitError{Limit: l, Have: e.rejected, Of: read, What: e.firstReject}
	}
	return nil
}

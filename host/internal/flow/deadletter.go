package flow

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A reject is a row of the dead letter. It is a copy: a step may have to wait for the record's memory before it can
// finish the chunk that the reject waits for.
type reject struct {
	row  wire.Record
	code string
	text string // position and message, for people
	kind rejectKind
	pos  receipt.Position
	node int // number of the node in the tree
	nth  int // of the records that reached the node with one batch
}

// A rejecter is what a dead letter row names as the origin of the reject.
type rejecter struct {
	step, plugin string
	private      bool
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

// newReject returns the row {"code","message","path","step","plugin","file","line","record"}, with "origins" of a record made of
// several. The record is what reached
// the step, byte for byte, unless the fault brings another to show in its place. A private step shows no other.
func newReject(r *wire.Record, f *wire.Fault, by *rejecter, node int, unreadable bool) reject {
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
	dst = appendOrigins(appendOrigin(append(dst, ','), r), r.Origins)
	row := *r
	row.Mem, row.Data = nil, append(appendRecord(append(dst, ','), data, unreadable), '}')
	return reject{
		row: row, code: f.Code, node: node, kind: rejectKind{f.Code, by.step, f.Message}, pos: positionOf(r),
		text: fmt.Sprintf("%s: step %s: %s%s: %s", positionOf(r), by.step, f.Code, at, f.Message),
	}
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
	dst = jsontext.AppendMember(dst, "record", base64.StdEncoding.EncodeToString(data))
	return append(dst, `,"encoding":"base64"`...)
}

// A LimitError reports that a run found more rejects or differences than it allows. All of them up to the one beyond the
// limit are written, or all when the limit is a share.
type LimitError struct {
	Shadow   string // empty: the dead letter
	Limit    limit.Limit
	Have, Of int64  // Of is what a share is of: the records read or compared
	What     string // position of the record beyond the limit, or of the first for a share, and why the dead letter has it
}

// Error implements error.
func (e *LimitError) Error() string {
	switch of := fmt.Sprintf("%d of %d (%s)", e.Have, e.Of, limit.Percent(e.Have, e.Of)); {
	case e.Limit.IsShare() && e.Shadow == "":
		return fmt.Sprintf("want at most %s of the records rejected, have %s, first %s", e.Limit, of, e.What)
	case e.Limit.IsShare():
		return fmt.Sprintf("shadow %s: want at most %s of the records to differ, have %s, first %s", e.Shadow, e.Limit, of, e.What)
	case e.Shadow == "":
		return fmt.Sprintf("want at most %s rejects, have %d: %s", e.Limit, e.Have, e.What)
	}
	return fmt.Sprintf("%s: shadow %s: want at most %s differing records, have %d", e.What, e.Shadow, e.Limit, e.Have)
}

// writeRejects writes the rejects of each chunk, in the order in which the chunks were read.
func (e *engine) writeRejects() error {
	return forEach(e.ctx, e.chunks, func(c *pendingChunk) error {
		if err := waitFor(e.ctx, c.done); err != nil {
			return err
		}
		if len(c.rejects) == 0 {
			return nil
		}
		slices.SortStableFunc(c.rejects, func(a, b reject) int {
			return cmp.Or(cmp.Compare(a.row.Ord, b.row.Ord), cmp.Compare(a.node, b.node))
		})
		rows := make([]wire.Record, len(c.rejects))
		for i, r := range c.rejects {
			rows[i] = r.row
		}
		e.plan.Account.change(func(t *Totals) {
			for _, r := range c.rejects {
				t.rejected.add(r.code, 1, maxReasons)
				t.reasons.add(r.kind, r.pos)
			}
		})
		if err := e.plan.DeadLetter.write(rows); err != nil {
			return fmt.Errorf("dead letter: %w", err)
		}
		if e.rejected == 0 {
			e.firstReject = c.rejects[0].text
		}
		before := e.rejected
		e.rejected += int64(len(rows))
		if l := e.plan.Limit; !l.IsShare() && l.Exceeded(e.rejected, 0) {
			return &LimitError{Limit: l, Have: e.rejected, What: c.rejects[l.Number()-before].text}
		}
		return nil
	})
}

// checkShares compares the rejects and the differences of the whole run with the limits that are shares.
func (e *engine) checkShares() error {
	for _, s := range e.shadows {
		if err := s.checkShare(); err != nil {
			return err
		}
	}
	read := e.plan.Account.Snapshot().Read
	if l := e.plan.Limit; l.IsShare() && l.Exceeded(e.rejected, read) {
		return &LimitError{Limit: l, Have: e.rejected, Of: read, What: e.firstReject}
	}
	return nil
}

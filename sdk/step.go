package sdk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A step of a chain runs its processor, and holds the decisions about what became of the batch's current record.
type step struct {
	plugin    Plugin
	proc      Processor
	marks     [][]string // Marks of the plugin
	needs     []need     // its marks in the chain's table
	chain     *chain
	index     int    // in the chain
	or        bool   // it gets what the step before it declines
	next      int    // the step that gets what goes on; 0: it leaves the chain
	turn      uint64 // counts calls of Process, so that use of a kept record is noticed
	mistake   error  // the first of the plugin's code
	counts    tally
	spent     time.Duration // in Process, for the records that are timed
	emitted   int           // records in the last reply
	fresh     []Record      // not used yet
	documents []*document   // of derived records; the first ones, as many as derived, of this turn
	derived   int
	ahead     *lookahead    // of a concurrent processor; nil for others
	early     *earlyCall    // of the current record, made ahead; nil: none
	onEmit    func(*Record) // emit, made once

	labelValues []wire.LabelValues // that depend on the attributes

	readings *readings // of the current record, shared by all steps of a chain

	answers []decision
	pieces  []piece // of all answers, in order
	sides   []wire.Side
	rows    int  // bytes of sides of the input
	atEnd   bool // in Flush or Finish: rows belong to no record, and are sent in pieces

	changes labelChanges
	touched bool     // it has answers, or is at one
	skipped *verdict // its only answer so far, by its marks; nil: none, or answers has it

	// The input at hand and what came of it so far.
	in      inputRecord
	before  extent
	size    int      // bytes of new records
	now     document // of the record that the processor has
	texts   []byte   // of edits
	parts   []part   // of the path of an edit
	spliced *splices // of an earlier record, whose memory is free
	scratch scratch  // emitted records for the next step
	shown   []byte   // what the dead letter shows; nil: the record
	fault   *verdict
}

type inputRecord struct {
	*wire.Record // as it came in the batch
	data         []byte
	labels       []wire.Label
	from         *wire.Origins // nil: Record is the only one that it was made of
	bytesOf      pieceAt
}

// pos returns the place of the first record that the input was made of.
func (in *inputRecord) pos() Pos {
	if in.from != nil {
		return Pos(in.from.List[0])
	}
	return Pos{File: in.File, Line: in.Line}
}

// A pieceAt says which piece an input's bytes were emitted as: they lie in this process alone until they leave the chain.
type pieceAt struct {
	step, piece int
	made        bool // false: the bytes are the batch's
}

// An extent is how much there is of what one record becomes, so that what came since can be taken back.
type extent struct{ pieces, sides, leaving, bytes int }

type decision struct {
	labels  []wire.Label  // of the input
	from    *wire.Origins // of the input
	pieces  int
	refused *verdict // nil: it goes on
	record  []byte   // with refused: what the dead letter shows
}

type piece struct {
	bytes     byte   // wire.NewBytes, wire.InputBytes or wire.AwayBytes
	unchecked bool   // it may not be JSON
	offset    uint64 // of new bytes: in space, or in the chain's scratch
	mem       []byte
	traced    []byte // of a traced chain: a copy of mem, which does not last as long as the record of the batch
	labels    []wire.Label
	from      *wire.Origins
}

// handle runs the processor on an input and returns the verdict, nil when the input goes on. An error ends the run.
func (s *step) handle(ctx context.Context, in inputRecord) (*verdict, error) {
	if !s.scratch.isEmpty() {
		s.readings.end()
	}
	s.touch()
	s.in = in
	s.scratch.reset()
	s.before = extent{len(s.pieces), len(s.sides), len(s.chain.leaving), s.chain.bytes}
	v, err := s.lethal(&in), error(nil)
	if v == nil {
		v, err = s.call(ctx)
	}
	if err == nil {
		v = s.settle(v)
	}
	s.size, s.shown, s.fault = 0, nil, nil
	return v, err
}

// lethal returns the verdict on an input that has ended a process, nil for any other.
func (s *step) lethal(in *inputRecord) *verdict {
	for _, l := range in.Lethal {
		if l.Step == s.index && l.Nth == len(s.answers) {
			return &verdict{kind: wire.Rejected, code: wire.CrashCode, message: l.Message}
		}
	}
	return nil
}

// note records that the step has the record at hand, so that the host can name both if the process ends.
func (s *step) note() {
	s.chain.space.Note(wire.Spot{Record: s.chain.index, Step: s.index, Nth: len(s.answers)})
}

// call hands the input to the processor. The verdict is nil when the record goes on.
func (s *step) call(ctx context.Context) (*verdict, error) {
	s.note()
	s.rows = 0
	data := s.in.data
	if s.chain.poison {
		data = slices.Clone(data)
		defer func() { copy(data, bytes.Repeat([]byte{poisoned}, len(data))) }()
	}
	s.now = document{
		data: jsontext.View(data), pos: s.in.pos(), from: s.in.from,
		labels: s.in.labels, step: s, input: true, edits: s.now.edits[:0],
	}
	r := s.newRecord(&s.now)
	var err error
	if s.early != nil {
		err = s.early.replay(s, r)
	} else {
		err = s.proc.Process(ctx, r, s.onEmit)
	}
	s.turn++
	s.endDerived()
	s.texts = jsontext.Reuse(s.texts)
	if s.now.splices != nil {
		s.spliced, s.now.splices = s.now.splices, nil
	}
	if cap(s.now.edits) > maxEdits {
		s.now.edits = nil
	}
	clear(s.now.edits)
	if s.chain.poison {
		s.readings.end() // the copy's memory may be another record's next
	}
	if err == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fatal, ok := errors.AsType[*fatalError](err); ok {
		return nil, fatal
	}
	v := verdictOf(err)
	if v.kind == wire.Declined && s.plugin.TakesAll {
		s.blame(wire.PlainError, "want no decline from a plugin that takes all records, have one")
	}
	return v, nil
}

// maxEdits is how many edits a step keeps memory for between records.
const maxEdits = 1024

// split reads the path of an edit. The parts are valid until the next call.
func (s *step) split(path string) (parts []part, err error) {
	s.parts, err = splitPath(s.parts[:0], path)
	return s.parts, err
}

// poisoned overwrites a record's memory. No JSON and no UTF-8 holds it.
const poisoned = 0xFF

// emit copies a record that the processor emits, so that the processor may change it afterwards.
func (s *step) emit(r *Record) {
	if r == nil {
		s.blame(wire.InvalidOutput, "want a record to emit, have nil")
		return
	}
	r.check()
	if r.step != s {
		panic("sdk: emitted a record of another processor")
	}
	if most := wire.MostEmitted(s.chain.space.Limit()); len(s.pieces) >= most {
		s.tooMuch("want at most %d records of one, have more", most)
		return
	}
	p := piece{labels: r.labels, from: r.from, unchecked: r.unchecked || r.splices != nil}
	switch n := r.length(); {
	case r.input && len(r.collected()) == 0:
		p.bytes = wire.InputBytes
	case n == 0:
		s.blame(wire.InvalidOutput, "want JSON to emit, have a record without bytes")
		return
	default:
		s.write(&p, r, n)
	}
	s.pieces = append(s.pieces, p)
}

// write copies the n bytes of r to where they leave the chain or the next step reads them. It only counts what is too large.
func (s *step) write(p *piece, r *Record, n int) {
	s.size += n
	switch limit := s.chain.space.Limit(); {
	case s.size > limit || s.next == 0 && s.before.bytes+s.size > limit:
	case s.next == 0:
		p.offset, p.mem = s.chain.take(n)
		r.appendTo(p.mem[:0])
		s.chain.leaving = append(s.chain.leaving, pieceAt{step: s.index, piece: len(s.pieces)})
	default:
		p.bytes, p.mem = wire.AwayBytes, r.appendTo(s.scratch.take(n, limit))
		p.unchecked = r.doubtful(jsontext.View(p.mem))
		if s.chain.trace && s.chain.traced+n <= maxTraced {
			p.traced, s.chain.traced = slices.Clone(p.mem), s.chain.traced+n
		}
	}
}

// maxTraced is how many bytes that stay inside a traced chain the reply shows for one record of the batch.
const maxTraced = 64 << 20

// settle decides about the input. v is nil when the record goes on.
func (s *step) settle(v *verdict) *verdict {
	emitted := s.pieces[s.before.pieces:]
	switch {
	case s.fault != nil:
		v = s.fault
	case v == nil && len(emitted) == 0:
		v = &verdict{kind: wire.Dropped, message: wire.NothingEmitted, keeps: true}
	case v == nil:
		v = s.tooLarge(emitted)
	case v.kind == wire.Rejected && !wire.IsCode(v.code):
		s.mistake = cmp.Or(s.mistake, fmt.Errorf("want a code in snake_case, have %q", v.code))
		bad := *v
		bad.message, bad.code = fmt.Sprintf("%s (code %q, which is not snake_case)", v.message, v.code), wire.PlainError
		v = &bad
	}
	accepted := v == nil || v.keeps
	s.counts.settle(accepted)
	if accepted {
		if bad := s.invalidOutput(emitted, v); bad != nil {
			v, s.shown, accepted = bad, nil, false
		}
	}
	if !accepted {
		s.sides = s.sides[:s.before.sides]
	}
	a := decision{labels: s.in.labels, from: s.in.from, refused: v, pieces: len(emitted)}
	if v != nil {
		clear(emitted)
		s.pieces = s.pieces[:s.before.pieces]
		s.chain.untake(s.before)
		a.pieces, a.record = 0, s.show(v)
	}
	s.answers = append(s.answers, a)
	return v
}

// tooLarge returns the verdict on an output that the host has no room for, or nil.
func (s *step) tooLarge(emitted []piece) *verdict {
	if s.size == 0 && !(s.next == 0 && s.in.bytesOf.made) { // most steps change no record
		return nil
	}
	limit, size := s.chain.space.Limit(), s.size
	if s.next == 0 && size <= limit { // everything that one record of the batch becomes lies in one grant
		size += s.before.bytes
		same := func(p piece) bool { return p.bytes == wire.InputBytes }
		if s.in.bytesOf.made && s.chain.piece(s.in.bytesOf).bytes == wire.AwayBytes && slices.ContainsFunc(emitted, same) {
			size += len(s.in.data)
		}
	}
	if size <= limit {
		return nil
	}
	err := fmt.Errorf("%w: want at most %d bytes, have %d", wire.ErrTooLarge, limit, size)
	return &verdict{kind: wire.Rejected, code: "too_large", message: own(err.Error())}
}

// invalidOutput returns the verdict on an output that is not JSON where the host's check comes too late: the next step reads it
// as JSON, or the record lies only in this process and cannot be rejected elsewhere. The latter is left to the host as long
// as the worker is trusted, since it hardly ever happens. From a worker that is not, all new bytes are checked: an edit may put a
// value where it nests too deep.
func (s *step) invalidOutput(emitted []piece, v *verdict) *verdict {
	within := s.next > 0 || s.in.bytesOf.made
	message := ""
	for i := range emitted {
		p := &emitted[i]
		checks := s.next > 0 && p.unchecked || within && !s.chain.trust && p.bytes != wire.InputBytes
		if v == nil && message == "" && checks {
			message = wire.BadRecord(s.plugin.Name, p.mem, s.chain.depth)
		}
	}
	if within && !s.chain.trust {
		for _, row := range s.sides[s.before.sides:] {
			message = cmp.Or(wire.BadRow(row.Output, row.JSON, s.chain.depth), message)
		}
	}
	if message == "" {
		return nil
	}
	return &verdict{kind: wire.Rejected, code: wire.InvalidOutput, message: message}
}

// show returns what the dead letter shows instead of the record; the host lacks the bytes of one that lies only in this process.
func (s *step) show(v *verdict) []byte {
	declined := v.kind == wire.Declined && !s.chain.orNext(s.index)
	switch {
	case v.kind == wire.Rejected && s.shown != nil:
		return s.shown
	case s.in.bytesOf.made && !s.plugin.Private && (v.kind == wire.Rejected || declined):
		return slices.Clone(s.in.data)
	}
	return nil
}

// touch notes that the record at hand has reached the step.
func (s *step) touch() {
	if !s.touched {
		s.touched = true
		s.chain.touched = append(s.chain.touched, s)
	} else if s.skipped != nil {
		s.answers, s.skipped = append(s.answers, decision{refused: s.skipped}), nil
		s.chain.touched = append(s.chain.touched, s)
	}
}

func (s *step) reset() {
	s.touched = false
	clear(s.answers)
	clear(s.pieces)
	clear(s.sides)
	s.answers, s.pieces, s.sides = s.answers[:0], s.pieces[:0], s.sides[:0]
	s.scratch.reset()
	s.counts.forget()
}

// blame rejects the record for a mistake of the plugin's code.
func (s *step) blame(code, format string, args ...any) {
	message := fmt.Sprintf("plugin %s: ", s.plugin.Name) + own(fmt.Sprintf(format, args...))
	s.mistake = cmp.Or(s.mistake, errors.New(message))
	if s.fault == nil {
		s.fault = &verdict{kind: wire.Rejected, code: code, message: message}
	}
}

// declares reports whether a name is among those that a plugin declared, and otherwise blames the plugin.
func (s *step) declares(what string, declared []string, name string) bool {
	if slices.Contains(declared, name) {
		return true
	}
	have := "none"
	if len(declared) > 0 {
		have = strings.Join(declared, ", ")
	}
	s.blame(wire.PlainError, "want %s that it declares (%s), have %q", what, have, name)
	return false
}

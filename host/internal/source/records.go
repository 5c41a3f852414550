package source

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Source reads records, in the order of its files and of their places in them. One goroutine reads the texts and splits them
// into drafts (reader); others check the records and hash the files. Next returns the drafts in order, when they are done.
type Source struct {
	*inputs  // but for done, the reader's
	opts     Options
	splitter func(entry, Options) (splitter, error) // of the next file

	at    string // the file of the last record that Next has returned, "" when it was the last of its file
	taken int64  // how many of that file it has returned

	passed atomic.Int64 // bytes of the files that were read for what it has returned

	draft   *draft      // whose records Next returns; nil: it takes the next one
	drafts  chan *draft // nil until the first Next; closed by the reader
	group   sync.WaitGroup
	stop    context.CancelFunc
	stopped error // why the reader has stopped before the end
	ended   error // of closing the files
	err     error // what Next returns from now on
}

// A splitter finds the records in a text that comes piece by piece.
type splitter interface {
	// split classifies the first n of the next bytes. Where a record or a header ends, n may be 0. The
	// reader calls split until all bytes are classified, and gives up when one makes no progress.
	split(b []byte) (n int, is stretch)
	// end classifies the bytes of an unfinished record at the end of the text: gap, ended or broken. It may be called
	// again behind a record that it has ended.
	end() stretch
	// line is the line of the next byte, counted from 1.
	line() int64
	// fault returns the mistake at a place where the text is broken.
	fault(text []byte, at int) *wire.Fault
}

// A converter is a splitter whose records are not JSON yet.
type converter interface {
	splitter
	// convert appends the JSON of a record to dst, nothing when it is blank, or returns its mistake. It may be called twice
	// for one record.
	convert(dst, record []byte) ([]byte, *wire.Fault)
}

// A collector is a converter that keeps what it converts, and makes records of it later: convert appends nothing.
type collector interface {
	converter
	// lose says that the record at hand is rejected unread.
	lose()
	// finish says that the text has ended. It may be called again.
	finish()
	// next appends the next record that is complete to dst and returns it with the line on which it begins, 0 when there is none, or
	// its mistake. It may be called twice for one record.
	next(dst []byte, limit int) (row []byte, line int64, fault *wire.Fault)
	// taken says that what next returned was taken.
	taken()
}

// A skipper is a splitter that leaves out members of a document, see receipt.Input.
type skipper interface{ skipped() int64 }

// stretch is what a run of bytes is.
type stretch uint8

const (
	gap    stretch = iota // between records
	inside                // of a record that goes on
	ended                 // of a record, up to its end
	broken                // not what has to come next; nothing behind it can be trusted
)

// Next reads the next chunk into regions of the arena, or returns io.EOF. A chunk holds at least one record and at most so many, 0
// for any number, and each record one reference on its region. A record that cannot be used has a fault in the chunk: TooLarge when it
// does not fit into mem with its line end. Any other error ends the source.
//
// Records that have come are passed on before the source waits for more: while standard input or a pipe has nothing to read, in
// the file at hand or the next one, Next returns what it has. A Next that waits ends with its context. A source may read ahead into
// the arena of the first call until the context of that call or Close ends it. No chunk waits for the memory of a later one, so an
// arena with a budget of one batch is enough.
func (s *Source) Next(ctx context.Context, mem *wire.Arena, most int) (wire.Chunk, error) {
	for s.err == nil {
		if err := ctx.Err(); err != nil {
			return wire.Chunk{}, err
		}
		if s.draft != nil {
			if chunk := s.take(most); len(chunk.Records) > 0 {
				return chunk, nil
			}
			continue
		}
		if s.drafts == nil {
			s.start(ctx, mem)
		}
		select {
		case <-ctx.Done():
			return wire.Chunk{}, ctx.Err()
		case d, ok := <-s.drafts:
			if !ok {
				s.err = s.stopped
				break
			}
			d.pending.Wait() // until its records are checked and the files that ended in it are hashed
			d.place()
			s.draft = d
		}
	}
	return wire.Chunk{}, s.err
}

// start starts the reader. It may be ahead by one draft besides the one that it fills.
func (s *Source) start(ctx context.Context, mem *wire.Arena) {
	ctx, s.stop = context.WithCancel(ctx)
	s.drafts = make(chan *draft, 1)
	r := &reader{Source: s, mem: mem, size: firstSize, pass: s.taken}
	s.group.Go(func() {
		defer close(s.drafts)
		defer func() { s.ended = s.end() }()
		s.stopped = r.run(ctx)
	})
}

// take takes the next records of the draft, at most so many. The files before that of the last one are done, and so is the draft when
// that was its last.
func (s *Source) take(most int) wire.Chunk {
	d, before := s.draft, s.passed.Load()
	left := int64(len(d.chunk.Records))
	chunk := d.take(most)
	for i := range chunk.Records {
		if name := chunk.Records[i].File; name != s.at {
			s.endFiles(name)
			s.at, s.taken = name, 0
		}
		s.taken++
	}
	if len(d.chunk.Records) == 0 {
		s.finishDraft()
	} else {
		s.passed.Store(before + (d.read-before)*int64(len(chunk.Records))/left)
	}
	return chunk
}

// endFiles notes that the files which ended in the draft are done, up to one of that name.
func (s *Source) endFiles(name string) {
	d := s.draft
	for len(d.inputs) > 0 && d.inputs[0].Name != name {
		s.done = append(s.done, *d.inputs[0])
		d.inputs = d.inputs[1:]
	}
}

// finishDraft ends a draft whose records are all taken.
func (s *Source) finishDraft() {
	d := s.draft
	s.draft = nil
	for _, in := range d.inputs {
		s.done = append(s.done, *in)
		if in.Name == s.at {
			s.at, s.taken = "", 0
		}
	}
	s.passed.Store(d.read)
	if d.err != nil {
		s.err = d.err
		s.group.Wait()
	}
}

// Progress returns the bytes of the files behind the records that Next has returned, and in all; total is 0 when it cannot be known.
// What was read ahead does not count, but for what a decompressor has. It may be called from any goroutine, unlike the rest.
func (s *Source) Progress() (read, total int64) { return s.passed.Load(), s.total }

// Close ends the source. Nothing touches the arena when it returns, but for records that Next has returned. Standard input stays
// open: it belongs to the caller.
func (s *Source) Close() error {
	if s.drafts == nil {
		return nil
	}
	s.stop()
	if s.draft != nil {
		s.draft.discard()
		s.draft = nil
	}
	for d := range s.drafts {
		d.discard()
	}
	s.group.Wait()
	return s.ended
}

// A draft is a chunk that is not checked yet.
type draft struct {
	chunk   wire.Chunk
	inputs  []*receipt.Input // files that ended in it
	read    int64            // of the files, when it was made
	err     error            // ends the source
	pending sync.WaitGroup

	mu    sync.Mutex
	flaws []flaw
}

// A flaw is the mistake in one record.
type flaw struct {
	at    int
	fault *wire.Fault
}

// take takes the first records, at most so many or with 0 all.
func (d *draft) take(most int) wire.Chunk {
	c := &d.chunk
	if most == 0 || most > len(c.Records) {
		most = len(c.Records)
	}
	first := wire.Chunk{Records: c.Records[:most:most]}
	if c.Records = c.Records[most:]; c.Faults != nil {
		first.Faults, c.Faults = c.Faults[:most:most], c.Faults[most:]
	}
	return first
}

// checkSize is about how many bytes of records are checked by one goroutine.
const checkSize = 256 << 10

// check has the records checked, about most bytes of them by one goroutine. The draft is complete.
func (d *draft) check(depth, most int) {
	from, size := 0, 0
	for i := range d.chunk.Records {
		size += len(d.chunk.Records[i].Data)
		if last := i == len(d.chunk.Records)-1; size >= most || last {
			first, behind := from, i+1
			d.pending.Go(func() { d.checkRun(first, behind, depth) })
			from, size = behind, 0
		}
	}
}

// checkRun checks a run of the records, but for those that have a fault already.
func (d *draft) checkRun(first, behind, depth int) {
	for i := first; i < behind; i++ {
		if d.chunk.Faults != nil && d.chunk.Faults[i] != nil {
			continue
		}
		if bad := jsontext.Check(d.chunk.Records[i].Data, depth); bad != nil {
			d.mu.Lock()
			d.flaws = append(d.flaws, flaw{i, encoded(d.chunk.Records[i].Data, &wire.Fault{Code: bad.Code, Message: bad.Message})})
			d.mu.Unlock()
		}
	}
}

// discard releases the memory of a draft that is not passed on.
func (d *draft) discard() {
	d.pending.Wait()
	wire.ReleaseAll(d.chunk.Records)
}

// place puts what was found into the chunk.
func (d *draft) place() {
	if len(d.flaws) > 0 && d.chunk.Faults == nil {
		d.chunk.Faults = make([]*wire.Fault, len(d.chunk.Records))
	}
	for _, x := range d.flaws {
		d.chunk.Faults[x.at] = x.fault
	}
}

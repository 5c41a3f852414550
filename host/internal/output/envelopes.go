package output

import (
	"bufio"
	"io"
	"strconv"
	"sync"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Envelopes write the rows of several sinks to one writer, each on a line that says which sink it is of.
type Envelopes struct {
	mu  sync.Mutex
	buf *bufio.Writer
}

// NewEnvelopes returns envelopes that are written to w.
func NewEnvelopes(w io.Writer) *Envelopes {
	return &Envelopes{buf: bufio.NewWriterSize(w, outputBuffer)}
}

// An EnvelopeSink writes the rows of one sink.
type EnvelopeSink struct {
	*Sink // says which rows have a place
	to    *Envelopes
	head  []byte // what stands before the line of the record
	kind  []byte // and behind it, before the row
	rows  rows
	line  []byte // for reuse

	bytes int64
}

// Of returns the sink for rows that s would take, under a name. Each line is {"sink":NAME,"line":LINE,KIND:ROW}, the row byte for byte unless
// it has line ends.
func (e *Envelopes) Of(s *Sink, name, kind string) *EnvelopeSink {
	head := append(jsontext.AppendMember([]byte("{"), "sink", name), `,"line":`...)
	return &EnvelopeSink{Sink: s, to: e, head: head, kind: []byte(`,"` + kind + `":`)}
}

// Bytes returns how many bytes the rows had, with line ends and without what is around them. Nothing is written meanwhile.
func (s *EnvelopeSink) Bytes() int64 { return s.bytes }

// Write writes the records and keeps none of them back, since a reader may wait for them.
func (s *EnvelopeSink) Write(records []wire.Record) error {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	for i := range records {
		r := &records[i]
		row := s.rows.encode(r)
		s.bytes += int64(len(row) + len("\n"))
		s.line = append(strconv.AppendInt(append(s.line[:0], s.head...), r.Line, 10), s.kind...)
		_, _ = s.to.buf.Write(s.line) // an error stays
		_, _ = s.to.buf.Write(row)
		_, _ = s.to.buf.WriteString("}\n")
	}
	return s.to.buf.Flush()
}

package rundiff

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type lineReader struct {
	text *source.Text
	buf  *bufio.Reader
	long []byte // a line that does not fit into buf
	n    int64  // lines read
}

// A read is of readSize, or smaller with many files, so that all together hold at most allRead.
const (
	readSize  = 256 << 10
	leastRead = 16 << 10
	allRead   = 16 << 20
)

// next returns the next line without its end, valid until the next call, or io.EOF.
func (l *lineReader) next() ([]byte, error) {
	l.long = jsontext.Reuse(l.long)
	for {
		line, err := l.buf.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			l.long = append(l.long, line...)
			continue
		}
		if err != nil && (err != io.EOF || len(l.long)+len(line) == 0) {
			return nil, err
		}
		l.n++
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(l.long) > 0 {
			l.long = append(l.long, line...)
			line = l.long
		}
		return line, nil
	}
}

// A position is the place of a record in the input of both runs.
type position struct {
	file   int // in the order that both runs read files
	line   int64
	ofLine uint32
}

func (p position) before(q position) bool {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.ofLine, q.ofLine)) < 0
}

// row is a copy of one line of an output.
type row struct {
	data   []byte
	output int    // index of its outputPair
	nth    uint32 // among the rows of its record in the output
	line   int64  // of the output
	paired bool
	MadeOf
}

// reader reads the files of an output, one behind the other.
type reader struct {
	output  int
	file    *outputFile
	rest    []*outputFile // behind it
	before  int64         // rows in the files before it
	lines   lineReader
	origins *output.OriginReader
	files   []string // in the order that both runs read them
	renamed map[string]string

	origin output.Origin // of the next row
	at     position      // its record's
	ended  bool
	joined func(r *reader, of output.Origin, line []byte) error // takes rows made of several records, which are in any order
}

// line returns the line of the output that was read last.
func (r *reader) line() int64 { return r.before + r.lines.n }

// advance reads the origin of the next row.
func (r *reader) advance(begun bool) error {
	next, err := r.passJoined()
	turned := false
	for ; err == io.EOF; turned = true {
		if err := r.verify(); err != nil {
			return err
		}
		if r.ended = len(r.rest) == 0; r.ended {
			return nil
		}
		if err := r.turn(); err != nil {
			return err
		}
		next, err = r.passJoined()
	}
	if err != nil {
		return err
	}
	if name, ok := r.renamed[next.File]; ok {
		next.File = name
	}
	at := position{r.at.file, next.Line, next.OfLine}
	again := !begun || next.File != r.origin.File
	// A record may have rows in two files of a sequence, each counted from 0.
	split := turned && !r.file.apart
	if !again && (at.before(r.at) || at == r.at && next.Row <= r.origin.Row && !split) { // another file whose name is masked in the same way
		at.file, again = at.file+1, true
	}
	if again {
		for at.file < len(r.files) && r.files[at.file] != next.File {
			at.file++
		}
		if at.file == len(r.files) && next.File != "" {
			return fmt.Errorf("%s: want rows in the order of the input, have one of %s behind one of %s", r.file.Path, next, r.origin)
		}
	}
	r.origin, r.at = next, at
	return nil
}

// passJoined returns the origin of the next row that was made of one record. It passes those before it, made of several, to joined.
func (r *reader) passJoined() (output.Origin, error) {
	for {
		next, err := r.origins.Next()
		if err != nil || next.Of == nil {
			return next, err
		}
		line, err := r.lines.next()
		if err == io.EOF {
			return next, r.changed()
		}
		if err == nil {
			err = r.joined(r, next, line)
		}
		if err != nil {
			return next, err
		}
	}
}

type side struct {
	from    int // 0 or 1, for A or B
	readers []*reader
	renamed map[string]string
	rows    []row  // of the current record
	data    []byte // of rows
}

func (s *side) add(index int, files []*outputFile) error {
	if files == nil {
		return nil
	}
	r := &reader{output: index, rest: files}
	if err := r.open(); err != nil {
		return err
	}
	s.readers = append(s.readers, r)
	return nil
}

// open opens the first file of the rest.
func (r *reader) open() error {
	f := r.rest[0]
	origins, err := output.OpenOrigins(f.Path)
	if err != nil {
		return err
	}
	text, err := source.OpenHashed(f.Path, origins.Algorithm())
	if err != nil {
		return errors.Join(err, origins.Close())
	}
	r.file, r.rest, r.lines, r.origins = f, r.rest[1:], lineReader{text: text}, origins
	return nil
}

// turn goes on with the next file.
func (r *reader) turn() error {
	old := *r
	if err := r.open(); err != nil {
		return err
	}
	old.close()
	r.before += old.lines.n
	r.lines.buf = old.lines.buf
	r.lines.buf.Reset(r.lines.text)
	return nil
}

func (r *reader) close() {
	r.origins.Close()
	r.lines.text.Close()
}

func (s *side) close() {
	for _, r := range s.readers {
		r.close()
	}
}

// begin reads the origin of the first row of each output.
func (s *side) begin(files []string, joined *join) error {
	for _, r := range s.readers {
		r.files, r.renamed = files, s.renamed
		r.joined = func(r *reader, of output.Origin, line []byte) error {
			return joined.offer(s.from, joinedKey(r, of), row{data: line, line: r.line(), MadeOf: r.placesOf(of.Of)})
		}
		r.lines.buf = bufio.NewReaderSize(r.lines.text, min(readSize, max(leastRead, allRead/len(s.readers))))
		if err := r.advance(false); err != nil {
			return err
		}
	}
	return nil
}

// next returns all rows of a record, valid until the next call.
func (s *side) next(at position) ([]row, error) {
	s.rows, s.data = s.rows[:0], jsontext.Reuse(s.data)
	for _, r := range s.readers {
		for !r.ended && r.at == at {
			line, err := r.lines.next()
			if err == io.EOF {
				return nil, r.changed()
			}
			if err != nil {
				return nil, err
			}
			from := len(s.data)
			s.data = append(s.data, line...)
			nth := r.origin.Row
			if n := len(s.rows); n > 0 && s.rows[n-1].output == r.output { // maybe in the file before, which counts by itself
				nth = s.rows[n-1].nth + 1
			}
			s.rows = append(s.rows, row{data: s.data[from:], output: r.output, nth: nth, line: r.line()})
			if err := r.advance(true); err != nil {
				return nil, err
			}
		}
	}
	return s.rows, nil
}

// verify compares the file, which has been read, with what its run wrote.
func (r *reader) verify() error {
	if _, err := r.lines.next(); err != io.EOF {
		return errors.Join(err, r.changed())
	}
	whole, own := r.origins.Summary()
	if r.file.Origins != (filehash.Sum{}) && own != r.file.Origins {
		return fmt.Errorf("%s: want the origins that the run wrote, have some that changed", output.OriginsPath(r.file.Path))
	}
	size, sum := r.lines.text.Sum()
	if have := (output.Summary{Rows: r.lines.n, Bytes: size, Sum: sum}); have != whole || r.file.Whole.Sum != (filehash.Sum{}) && have != r.file.Whole {
		return r.changed()
	}
	return nil
}

func (r *reader) changed() error {
	return fmt.Errorf("%s: want the file that the run wrote, have one that changed", r.file.Path)
}

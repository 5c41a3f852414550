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

// position is that of a record in the input of both runs.
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
	line   int64
	paired bool
	MadeOf
}

type reader struct {
	output  int
	file    *outputFile
	lines   lineReader
	origins *output.OriginReader
	files   []string // in the order that both runs read them
	renamed map[string]string

	origin output.Origin // of the next row
	at     position      // its record's
	ended  bool
	joined func(r *reader, of output.Origin, line []byte) error // takes rows made of several records, which are in any order
}

// advance reads the origin of the next row.
func (r *reader) advance(begun bool) error {
	next, err := r.passJoined()
	if err == io.EOF {
		r.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	if name, ok := r.renamed[next.File]; ok {
		next.File = name
	}
	at := position{r.at.file, next.Line, next.OfLine}
	again := !begun || next.File != r.origin.File
	if !again && (at.before(r.at) || at == r.at && next.Row <= r.origin.Row) { // another file whose name is masked in the same way
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

func (s *side) add(index int, f *outputFile) error {
	if f == nil {
		return nil
	}
	origins, err := output.OpenOrigins(f.Path)
	if err != nil {
		return err
	}
	text, err := source.OpenHashed(f.Path, origins.Algorithm())
	if err != nil {
		return errors.Join(err, origins.Close())
	}
	s.readers = append(s.readers, &reader{output: index, file: f, lines: lineReader{text: text}, origins: origins})
	return nil
}

func (s *side) close() {
	for _, r := range s.readers {
		r.origins.Close()
		r.lines.text.Close()
	}
}

// begin reads the origin of the first row of each output.
func (s *side) begin(files []string, joined *join) error {
	for _, r := range s.readers {
		r.files, r.renamed = files, s.renamed
		r.joined = func(r *reader, of output.Origin, line []byte) error {
			return joined.offer(s.from, joinedKey(r, of), row{data: line, line: r.lines.n, MadeOf: r.placesOf(of.Of)})
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
			s.rows = append(s.rows, row{data: s.data[from:], output: r.output, nth: r.origin.Row, line: r.lines.n})
			if err := r.advance(true); err != nil {
				return nil, err
			}
		}
	}
	return s.rows, nil
}

// verify compares the files with what their run wrote.
func (s *side) verify() error {
	for _, r := range s.readers {
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
	}
	return nil
}

func (r *reader) changed() error {
	return fmt.Errorf("%s: want the file that the run wrote, have one that changed", r.file.Path)
}

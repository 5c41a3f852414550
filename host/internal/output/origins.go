package output

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// The origins of a file's rows lie in the hidden folder next to it, as lines of JSON:
//
//	{"schema":"sluice.origins.v1","hash":"blake3"}
//	"corpus/a.jsonl"
//	[1,40]
//	[43,2,0,1]
//	{"of":["corpus/a.jsonl",7,9,"corpus/b.jsonl",2]}
//	[7,1]
//	{"rows":43,"bytes":345678,"blake3":"..."}
//
// The hash in the last line is of the algorithm that the first line names; files without a name have sha256. A string is the file that
// the following rows come from. An array is a run of rows: the line of the first row, the number of rows, the record on that line that
// the first row comes from, and its place among the rows of that record. The last two count from 0 and are left out where they and all
// behind them are 0. Each further row of a run is the first row of the first record on the next line. An object with "of" comes before a
// run of one row that a step made of several records: it lists their files and lines, and as "more" how many others there are. The last
// line describes the file of rows, which has changed when it does not agree.
const (
	originsEnding = ".origins"
	originsSchema = "sluice.origins.v1"
	originsStart  = `{"schema":"` + originsSchema + `"`
	originsBuffer = 32 << 10
)

// originsHead returns the first line.
func originsHead(algorithm string) []byte {
	return append(jsontext.AppendMember([]byte(originsStart+","), "hash", algorithm), "}\n"...)
}

// OriginsPath returns where the origins of an output's rows lie, "" when its name is too long for it.
func OriginsPath(path string) string { return sidecarPath(path, originsEnding) }

// Origins is the file that lists where the rows of an output come from.
type Origins struct {
	Path string
	filehash.Sum
}

// origins notes where rows come from.
type origins struct {
	file  *file
	text  []byte // not written yet
	err   error  // the first
	last  Origin
	rows  int64
	first Origin // of the run
	run   int64  // its rows; 0 before the first
}

// originsTarget returns where the origins of t go, nil when they are not noted.
func (s *Set) originsTarget(t *target) (*target, error) {
	path := OriginsPath(t.path)
	if !s.opts.Origins || t.inPlace() || path == "" {
		return nil, nil
	}
	sidecar, err := s.locate(path)
	if err == nil {
		err = sidecar.writable()
	}
	return sidecar, err
}

// claimOrigins claims the path of the origins of a sink without labels.
func (s *Set) claimOrigins(c *claim) error {
	if c.target == nil || s.owned[c.target.key].by != c { // another claim has the file itself
		return nil
	}
	t, err := s.originsTarget(c.target)
	if t != nil && err == nil {
		s.tryOwn(ownership{c, t})
	}
	return err
}

// openOrigins stages the origins of a file, nil when they are not noted.
func (s *Set) openOrigins(of *file) (*origins, error) {
	t, err := s.originsTarget(of.target)
	if t == nil || err != nil {
		return nil, err
	}
	f, err := s.stage(context.Background(), of.claim, t) // never a pipe, so it does not wait
	if err != nil {
		return nil, err
	}
	f.auditor, f.digest, f.notDurable = nil, digest{}, true
	return &origins{file: f, text: originsHead(f.algorithm)}, nil
}

// note takes in the next row.
func (o *origins) note(r *wire.Record) {
	o.rows++
	same := o.run > 0 && r.File == o.last.File
	if same && r.Line == o.last.Line+1 && r.OfLine == 0 && r.Origins == nil && o.last.Of == nil { // as most rows are
		o.last.Line, o.last.OfLine, o.last.Row = r.Line, 0, 0
		o.run++
		return
	}
	next := Origin{File: r.File, Line: r.Line, OfLine: r.OfLine, Of: r.Origins}
	if same && next.Line == o.last.Line && next.OfLine == o.last.OfLine && (next.Of == nil) == (o.last.Of == nil) {
		next.Row = o.last.Row + 1
	}
	o.endRun()
	if !same {
		o.text = append(jsontext.AppendString(o.text, next.File), '\n')
	}
	o.first, o.last, o.run = next, next, 1
}

func (o *origins) endRun() {
	if o.run == 0 {
		return
	}
	o.text = appendOf(o.text, o.first.Of)
	o.text = strconv.AppendInt(append(o.text, '['), o.first.Line, 10)
	o.text = strconv.AppendInt(append(o.text, ','), o.run, 10)
	if o.first.OfLine > 0 || o.first.Row > 0 {
		o.text = strconv.AppendUint(append(o.text, ','), uint64(o.first.OfLine), 10)
	}
	if o.first.Row > 0 {
		o.text = strconv.AppendUint(append(o.text, ','), uint64(o.first.Row), 10)
	}
	if o.text = append(o.text, "]\n"...); len(o.text) >= originsBuffer {
		o.write()
	}
}

func (o *origins) write() {
	if o.err == nil {
		_, o.err = o.file.Write(o.text)
	}
	o.text = o.text[:0]
}

// finish writes the last line, which describes the finished file of rows, and finishes the origins themselves.
func (o *origins) finish(d *disk, of *File) (*Origins, error) {
	if o.file.complete { // in an interrupted run
		return &Origins{Path: o.file.target.path, Sum: o.file.result}, nil
	}
	o.endRun()
	o.text = strconv.AppendInt(append(o.text, `{"rows":`...), o.rows, 10)
	o.text = strconv.AppendInt(append(o.text, `,"bytes":`...), of.Bytes, 10)
	o.text = append(jsontext.AppendMember(append(o.text, ','), of.Algorithm(), of.Hex()), "}\n"...)
	if o.write(); o.err != nil {
		return nil, o.err
	}
	if err := o.file.finish(d, -1); err != nil {
		return nil, err
	}
	return &Origins{Path: o.file.target.path, Sum: o.file.result}, nil
}

// An Origin is where a row comes from: the line of a file, the record among those that begin on this line, and the row among
// those made of this record. Lines count from 1, the rest from 0. Rows that a step writes after the last record have no file
// and line.
type Origin struct {
	File        string
	Line        int64
	OfLine, Row uint32
	Of          *wire.Origins // all records that the row was made of, if a step said so; File and Line are the place of the first
}

// String returns FILE:LINE.
func (o Origin) String() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// An OriginReader reads the origins of an output's rows.
type OriginReader struct {
	path  string
	file  io.Closer
	lines *bufio.Reader
	hash  *filehash.Hasher
	line  int64
	next  Origin
	left  int64 // of the run
	rows  int64
	ended bool
	end   Summary
}

// A Summary describes an output in its origins.
type Summary struct {
	Rows, Bytes int64
	filehash.Sum
}

// ErrNoOrigins is the error when no run has noted where the rows of a file come from.
var ErrNoOrigins = errors.New("want the origins of its rows, which a run notes, have no such file")

// OpenOrigins opens the origins of an output's rows. The error is ErrNoOrigins when there are none.
func OpenOrigins(output string) (*OriginReader, error) {
	path := OriginsPath(output)
	file, err := places.Open(path)
	if path == "" || oserr.Missing(err) {
		return nil, fmt.Errorf("%s: %w", output, ErrNoOrigins)
	}
	if err != nil {
		return nil, err
	}
	r := &OriginReader{path: path, file: file, lines: bufio.NewReaderSize(file, originsBuffer)}
	if err := r.readHead(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// readHead reads the first line, which names the algorithm that this file is hashed by, too.
func (r *OriginReader) readHead() error {
	head, err := r.readLine()
	if err != nil {
		return err
	}
	if gjson.GetBytes(head, "schema").Str != originsSchema {
		return r.wrong("schema " + originsSchema)
	}
	return nil
}

// Close closes the file.
func (r *OriginReader) Close() error { return r.file.Close() }

// Next returns the origin of the next row, or io.EOF.
func (r *OriginReader) Next() (Origin, error) {
	if err := r.fill(); err != nil {
		return Origin{}, err
	}
	at := r.next
	r.left--
	r.rows++
	r.next = Origin{File: at.File, Line: at.Line + 1}
	return at, nil
}

// NextRun returns the origin of the next row and how many more rows follow it, each from the next line, or io.EOF.
func (r *OriginReader) NextRun() (first Origin, more int64, err error) {
	if err := r.fill(); err != nil {
		return Origin{}, 0, err
	}
	first, more = r.next, r.left-1
	r.rows += r.left
	r.left, r.next.Of = 0, nil
	return first, more, nil
}

// fill reads up to the next run unless there are rows left of the last, or returns io.EOF.
func (r *OriginReader) fill() error {
	for r.left == 0 {
		if r.ended {
			return io.EOF
		}
		if err := r.readRun(); err != nil {
			return err
		}
	}
	return nil
}

// Summary returns what the origins say of their output, and their own hash, once Next has returned io.EOF.
func (r *OriginReader) Summary() (of Summary, own filehash.Sum) { return r.end, r.hash.Result() }

// Algorithm returns the algorithm of the hashes in Summary.
func (r *OriginReader) Algorithm() string { return r.hash.Algorithm() }

func (r *OriginReader) readRun() error {
	line, err := r.readLine()
	if err != nil {
		return err
	}
	v := jsontext.JSON(line)
	switch v.Kind() {
	case '"':
		r.next.File = strings.Clone(v.Text())
		return nil
	case '{':
		if list := gjson.GetBytes(line, "of"); list.Exists() {
			return r.readOf(list, gjson.GetBytes(line, "more").Int())
		}
		sum := filehash.Of(r.Algorithm(), gjson.GetBytes(line, r.Algorithm()).Str)
		r.end = Summary{gjson.GetBytes(line, "rows").Int(), gjson.GetBytes(line, "bytes").Int(), sum}
		r.ended = true
		if r.end.Rows != r.rows {
			return r.wrong(fmt.Sprintf("%d rows", r.end.Rows))
		}
		if _, err := r.lines.ReadByte(); err != io.EOF {
			return r.wrong("the end of the file")
		}
		return nil
	}
	return r.readFigures(strings.Split(strings.Trim(string(v), "[]"), ","))
}

// readFigures reads the numbers of a run of rows.
func (r *OriginReader) readFigures(texts []string) error {
	figures := make([]int64, 0, 4)
	for _, text := range texts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || len(figures) == cap(figures) {
			return r.wrong("a run of rows")
		}
		figures = append(figures, n)
	}
	if len(figures) < 2 || figures[1] == 0 {
		return r.wrong("a run of at least one row")
	}
	r.next.Line, r.left = figures[0], figures[1]
	figures = figures[:4]
	r.next.OfLine, r.next.Row = uint32(figures[2]), uint32(figures[3])
	return nil
}

func (r *OriginReader) readLine() ([]byte, error) {
	whole, err := r.lines.ReadBytes('\n')
	r.line++
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", r.path, oserr.Reason(err))
	}
	line := bytes.TrimSpace(whole)
	if jsontext.Check(line, 2) != nil {
		return nil, r.wrong("a line of JSON")
	}
	if r.hash == nil {
		algorithm := cmp.Or(gjson.GetBytes(line, "hash").Str, filehash.SHA256)
		if !slices.Contains(filehash.Algorithms, algorithm) {
			return nil, r.wrong("a hash of " + strings.Join(filehash.Algorithms, ", "))
		}
		r.hash = filehash.New(algorithm)
	}
	r.hash.Write(whole)
	return line, nil
}

func (r *OriginReader) wrong(want string) error {
	return fmt.Errorf("%s:%d: want %s: the origins were changed after the run", r.path, r.line, want)
}

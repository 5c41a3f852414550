package output

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Origin is where a row comes from: the line of a file, the record among those that begin on this line, and the row among
// those made of this record. Lines count from 1, the rest from 0. Rows that a step writes after the last record have no file
// and line.
type Origin struct {
	File        string
	Line        int64
	OfLine, Row uint32
}

// String is FILE:LINE.
func (o Origin) String() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// An OriginReader reads the origins of an output's rows.
type OriginReader struct {
	path  string
	file  *os.File
	lines *bufio.Reader
	hash  hash.Hash
	line  int64
	next  Origin
	left  int64 // of the run
	rows  int64
	ended bool
	end   Summary
}

// A Summary describes an output in its origins. The SHA-256 is in hex.
type Summary struct {
	Rows, Bytes int64
	SHA256      string
}

// ErrNoOrigins is the error when no run has noted where the rows of a file come from.
var ErrNoOrigins = errors.New("want the origins of its rows, which a run notes, have none")

// OpenOrigins opens the origins of an output's rows. The error is ErrNoOrigins when there are none.
func OpenOrigins(output string) (*OriginReader, error) {
	path := OriginsPath(output)
	file, err := os.Open(path)
	if path == "" || missing(err) {
		return nil, fmt.Errorf("%s: %w", output, ErrNoOrigins)
	}
	if err != nil {
		return nil, err
	}
	r := &OriginReader{path: path, file: file, hash: sha256.New()}
	r.lines = bufio.NewReaderSize(io.TeeReader(file, r.hash), originsBuffer)
	head, err := r.readLine()
	if err == nil && gjson.GetBytes(head, "schema").Str != originsSchema {
		err = r.wrong("schema " + originsSchema)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
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
	r.next = Origin{at.File, at.Line + 1, 0, 0}
	return at, nil
}

// NextRun returns the origin of the next row and how many more rows follow it, each from the next line, or io.EOF.
func (r *OriginReader) NextRun() (first Origin, more int64, err error) {
	if err := r.fill(); err != nil {
		return Origin{}, 0, err
	}
	first, more = r.next, r.left-1
	r.rows += r.left
	r.left = 0
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

// Summary returns what the origins say of their output, and their own SHA-256, once Next has returned io.EOF.
func (r *OriginReader) Summary() (of Summary, own string) {
	return r.end, hex.EncodeToString(r.hash.Sum(nil))
}

// readRun reads a line.
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
		r.end = Summary{gjson.GetBytes(line, "rows").Int(), gjson.GetBytes(line, "bytes").Int(), gjson.GetBytes(line, "sha256").Str}
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
	line, err := r.lines.ReadBytes('\n')
	r.line++
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", r.path, reason(err))
	}
	line = bytes.TrimSpace(line)
	if jsontext.Check(line, 2) != nil {
		return nil, r.wrong("a line of JSON")
	}
	return line, nil
}

func (r *OriginReader) wrong(want string) error {
	return fmt.Errorf("%s:%d: want %s: the origins were changed after the run", r.path, r.line, want)
}

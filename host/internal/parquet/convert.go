package parquet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
)

// lineBlock is how much of the lines one goroutine takes in.
const lineBlock = 1 << 20

// ShapeOf returns the shape of rows that are lines.
func ShapeOf(lines io.Reader) (*Shape, error) {
	type part struct {
		shape *Shape
		err   error
	}
	all := &Shape{}
	all.root()
	var waiting []chan part
	settle := func() error {
		p := <-waiting[0]
		waiting = waiting[1:]
		if p.err != nil {
			return fmt.Errorf("row %d: %w", all.Rows+p.shape.Rows, p.err)
		}
		return all.Merge(p.shape)
	}
	var err error
	in := &lineReader{from: lines}
	for err == nil {
		var text []byte
		if text, err = in.next(lineBlock); len(text) == 0 || err != nil {
			break
		}
		done := make(chan part, 1)
		waiting = append(waiting, done)
		go func() {
			s := &Shape{}
			err := eachLine(text, s.Add)
			done <- part{s, err}
		}()
		if len(waiting) > runtime.GOMAXPROCS(0) {
			err = settle()
		}
	}
	for len(waiting) > 0 {
		if bad := settle(); bad != nil && err == nil {
			err = bad
		}
	}
	return all, err
}

// Convert writes rows that are lines as a Parquet file, and returns how many.
func Convert(to io.Writer, lines io.Reader, schema *Schema, limits Limits) (rows int64, err error) {
	out := bufio.NewWriterSize(to, blockSize)
	w := newWriter(out, schema, limits)
	defer w.Stop()
	in := &lineReader{from: lines}
	for {
		text, err := in.next(lineBlock)
		if err != nil {
			return rows, err
		}
		if len(text) == 0 {
			break
		}
		err = eachLine(text, func(line []byte) error {
			rows++
			return w.Write(line)
		})
		if err != nil {
			return rows, fmt.Errorf("row %d: %w", rows, err)
		}
	}
	if err := w.Close(); err != nil {
		return rows, err
	}
	return rows, out.Flush()
}

func eachLine(text []byte, do func(line []byte) error) error {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if err := do(line); err != nil {
			return err
		}
		text = rest
	}
	return nil
}

// A lineReader reads whole lines, many at a time.
type lineReader struct {
	from io.Reader
	rest []byte
	end  bool
}

// next returns about size bytes, and more where a line is longer, in memory of their own; none at the end.
func (r *lineReader) next(size int) ([]byte, error) {
	buf := append(make([]byte, 0, max(size, 2*len(r.rest))), r.rest...)
	r.rest = nil
	for !r.end {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := io.ReadFull(r.from, buf[len(buf):cap(buf)])
		from := len(buf)
		buf = buf[:from+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			r.end = true
			return buf, nil
		case err != nil:
			return nil, err
		}
		if i := bytes.LastIndexByte(buf[from:], '\n'); i >= 0 {
			r.rest = bytes.Clone(buf[from+i+1:])
			return buf[:from+i+1], nil
		}
	}
	return buf, nil
}

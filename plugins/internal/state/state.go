// Package state writes down what a processor keeps from record to record, and reads it again. Neither end holds all of it.
//
// A text at the beginning says what it is a state of. A Reader trusts nothing behind it: after the first error, which Err returns, all
// numbers are 0, all texts empty.
package state

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxHead is how many bytes the text at the beginning may have.
const maxHead = 1 << 20

// A Writer writes a state.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// NewWriter begins a state. Only a reader with the same text takes it.
func NewWriter(w io.Writer, head string) *Writer {
	s := &Writer{w: w, buf: make([]byte, 0, full+binary.MaxVarintLen64)}
	s.Text(head)
	return s
}

// full is how many bytes are written at once.
const full = 64 << 10

// Uint writes a number in as few bytes as it needs.
func (s *Writer) Uint(n uint64) { s.flush(binary.AppendUvarint(s.buf, n)) }

// Fixed32 writes a number in four bytes.
func (s *Writer) Fixed32(n uint32) { s.flush(binary.LittleEndian.AppendUint32(s.buf, n)) }

// Fixed64 writes a number in eight bytes.
func (s *Writer) Fixed64(n uint64) { s.flush(binary.LittleEndian.AppendUint64(s.buf, n)) }

// Bytes writes bytes, whose number the reader knows.
func (s *Writer) Bytes(b []byte) { s.flush(append(s.buf, b...)) }

// Text writes a text with its length.
func (s *Writer) Text(text string) {
	s.Uint(uint64(len(text)))
	s.flush(append(s.buf, text...))
}

func (s *Writer) flush(buf []byte) {
	if s.buf = buf; len(buf) >= full {
		_ = s.End()
	}
}

// End writes what is left, and returns the first error.
func (s *Writer) End() error {
	if s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
	return s.err
}

// A Reader reads a state.
type Reader struct {
	r   *bufio.Reader
	err error
	buf [8]byte
}

// NewReader begins to read a state.
func NewReader(r io.Reader, head string) *Reader {
	s := &Reader{r: bufio.NewReaderSize(r, full)}
	if have := s.Text(maxHead); s.err == nil && have != head {
		s.err = errors.New("want a state of this version with these attributes, have one of another")
	}
	return s
}

// Err returns the first error.
func (s *Reader) Err() error { return s.err }

// Fail notes what is wrong with the state.
func (s *Reader) Fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Uint reads a number up to a limit.
func (s *Reader) Uint(most uint64) uint64 {
	if s.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(s.r)
	if err != nil {
		s.err = cutOff(err)
		return 0
	}
	if n > most {
		s.Fail("want a number up to %d, have %d", most, n)
		return 0
	}
	return n
}

// Count is Uint for the number of things that follow.
func (s *Reader) Count(most int) int { return int(s.Uint(uint64(most))) }

// Fixed32 reads a number of four bytes.
func (s *Reader) Fixed32() uint32 {
	s.Bytes(s.buf[:4])
	if s.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(s.buf[:])
}

// Fixed64 reads a number of eight bytes.
func (s *Reader) Fixed64() uint64 {
	s.Bytes(s.buf[:])
	if s.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(s.buf[:])
}

// Bytes fills b.
func (s *Reader) Bytes(b []byte) {
	if s.err != nil {
		return
	}
	if _, err := io.ReadFull(s.r, b); err != nil {
		s.err = cutOff(err)
	}
}

// Text reads a text of at most so many bytes.
func (s *Reader) Text(most int) string {
	b := make([]byte, s.Count(most))
	s.Bytes(b)
	if s.err != nil {
		return ""
	}
	return string(b)
}

// End returns the first error, or that the state does not end here.
func (s *Reader) End() error {
	if s.err == nil {
		if _, err := s.r.ReadByte(); err == nil {
			s.Fail("want the end of the state, have more")
		} else if err != io.EOF {
			s.err = err
		}
	}
	return s.err
}

func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

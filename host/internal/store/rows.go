package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A frame is its length and that many bytes: the number of the sink and rows behind each other. A row is its flags, then as far as these say
// the name of its file, its labels and its origins, then its line, its number on the line and its bytes. Numbers and lengths are unsigned
// varints, and a row without a name has that of the row before.
const (
	hasFile = 1 << iota
	hasLabels
	hasOrigins
)

// frameSize is about how many bytes a frame has, unless a row is longer.
const frameSize = 256 << 10

// appendFrame appends a frame with the first n of some rows.
func appendFrame(dst []byte, sink int, rows []wire.Record) (_ []byte, n int) {
	const head = 8 // the length; a number of fixed size, since it is known last
	dst = append(dst, make([]byte, head)...)
	dst = binary.AppendUvarint(dst, uint64(sink))
	file := ""
	for n < len(rows) && (n == 0 || len(dst)+len(rows[n].Data) < frameSize) {
		dst = appendRow(dst, &rows[n], file)
		file = rows[n].File
		n++
	}
	binary.LittleEndian.PutUint64(dst, uint64(len(dst)-head))
	return dst, n
}

func appendRow(dst []byte, r *wire.Record, before string) []byte {
	flags := byte(0)
	if r.File != before {
		flags |= hasFile
	}
	if len(r.Labels) > 0 {
		flags |= hasLabels
	}
	if r.Origins != nil {
		flags |= hasOrigins
	}
	dst = append(dst, flags)
	if flags&hasFile != 0 {
		dst = appendText(dst, r.File)
	}
	if flags&hasLabels != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(r.Labels)))
		for _, l := range r.Labels {
			dst = appendText(appendText(dst, l.Name), l.Value)
		}
	}
	if o := r.Origins; o != nil {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(o.More)), uint64(len(o.List)))
		for _, p := range o.List {
			dst = binary.AppendUvarint(appendText(dst, p.File), uint64(p.Line))
		}
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(r.Line)), uint64(r.OfLine))
	return append(binary.AppendUvarint(dst, uint64(len(r.Data))), r.Data...)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

var errFrame = errors.New("want a frame of rows, have other bytes")

// readFrames calls do with the rows of each frame.
func readFrames(from *bufio.Reader, do func(sink int, rows []wire.Record) error) error {
	var head [8]byte
	var text []byte
	for {
		if _, err := io.ReadFull(from, head[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		size := binary.LittleEndian.Uint64(head[:])
		if size > maxFrame {
			return fmt.Errorf("want a frame of at most %d bytes, have %d", maxFrame, size)
		}
		if uint64(cap(text)) < size {
			text = make([]byte, size)
		}
		text = text[:size]
		if _, err := io.ReadFull(from, text); err != nil {
			return err
		}
		p := &parser{text: text}
		sink := int(p.number())
		var rows []wire.Record
		file := ""
		for len(p.text) > 0 && !p.bad {
			rows = append(rows, p.row(file))
			file = rows[len(rows)-1].File
		}
		if p.bad {
			return errFrame
		}
		if err := do(sink, rows); err != nil {
			return err
		}
	}
}

// maxFrame bounds what is allocated for a frame. A row may be as large as a record, or some of them.
const maxFrame = 8 << 30

// A parser reads the rows of a frame.
type parser struct {
	text []byte
	bad  bool
}

func (p *parser) number() uint64 {
	n, size := binary.Uvarint(p.text)
	if size <= 0 {
		p.bad, p.text = true, nil
		return 0
	}
	p.text = p.text[size:]
	return n
}

func (p *parser) bytes() []byte {
	n := p.number()
	if n > uint64(len(p.text)) {
		p.bad, p.text = true, nil
		return nil
	}
	b := p.text[:n:n]
	p.text = p.text[n:]
	return b
}

// count returns how many things follow, each of a byte at least.
func (p *parser) count() int {
	n := p.number()
	if n > uint64(len(p.text)) {
		p.bad, p.text = true, nil
		return 0
	}
	return int(n)
}

func (p *parser) row(before string) (r wire.Record) {
	if len(p.text) == 0 {
		p.bad = true
		return r
	}
	flags := p.text[0]
	p.text = p.text[1:]
	if r.File = before; flags&hasFile != 0 {
		r.File = string(p.bytes())
	}
	if flags&hasLabels != 0 {
		r.Labels = make([]wire.Label, p.count())
		for i := range r.Labels {
			r.Labels[i].Name = string(p.bytes())
			r.Labels[i].Value = string(p.bytes())
		}
	}
	if flags&hasOrigins != 0 {
		o := &wire.Origins{More: int64(p.number())}
		o.List = make([]wire.Pos, p.count())
		for i := range o.List {
			o.List[i].File = string(p.bytes())
			o.List[i].Line = int64(p.number())
		}
		r.Origins = o
	}
	r.Line, r.OfLine = int64(p.number()), uint32(p.number())
	r.Data = p.bytes()
	return r
}

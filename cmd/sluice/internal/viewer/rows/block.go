package rows

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/zeebo/xxh3"
)

const (
	blockSize  = 1 << 20
	longestRow = 1 << 30
)

// A cutter cuts a file into blocks of whole lines.
type cutter struct {
	from io.ReaderAt
	at   int64 // the end of the last block
}

// next gives the next block, or io.EOF: some lines in buf, or nil for one that is longer. What cannot be read ends before the
// line that it begins in.
func (c *cutter) next(buf []byte) ([]byte, error) {
	n, err := c.from.ReadAt(buf, c.at)
	if n == 0 && err != nil {
		return nil, err
	}
	block := buf[:n]
	if err != io.EOF {
		block = block[:bytes.LastIndexByte(block, '\n')+1]
	}
	size := int64(len(block))
	switch {
	case size > 0:
	case err != nil:
		return nil, err
	default:
		if size, err = c.lineSize(buf, int64(n)); err != nil {
			return nil, err
		}
		block = nil
	}
	c.at += size
	return block, nil
}

// lineSize is the length of the line ahead, with its end, of which the first bytes hold none.
func (c *cutter) lineSize(buf []byte, size int64) (int64, error) {
	for {
		n, err := c.from.ReadAt(buf, c.at+size)
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			return size + int64(end) + 1, nil
		}
		size += int64(n)
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// inMemory gives a part of a file that is longer than a block to use. One such part is in memory at a time.
func (x *Index) inMemory(file io.ReaderAt, from, to int64, use func([]byte)) error {
	if to-from > longestRow {
		return ErrTooLong
	}
	x.long <- struct{}{}
	defer func() { <-x.long }()
	data := make([]byte, to-from)
	n, err := file.ReadAt(data, from)
	if err == io.EOF {
		err = nil
	}
	if err == nil {
		use(data[:n])
	}
	return err
}

// lookLong looks into a line that is longer than a block.
func (x *Index) lookLong(file io.ReaderAt, from, to int64, note bool) (p part) {
	err := x.inMemory(file, from, to, func(line []byte) { p = look(line, from, to, note) })
	if errors.Is(err, ErrTooLong) {
		b, s := &builder{}, &said{}
		s.say(shape, tooLong)
		b.add(from, int(min(to-from, math.MaxUint32)), 0, s)
		b.Bad++
		return part{table: b.snapshot(), lines: 1, end: to}
	}
	if err != nil {
		return part{err: err}
	}
	return p
}

// look looks into the lines of a block, which stands from one offset of its file to another. note says whether rows may tell
// of which record they are.
func look(block []byte, from, to int64, note bool) part {
	b, p, s := &builder{}, part{end: to}, &said{}
	for len(block) > 0 {
		line, rest, _ := bytes.Cut(block, []byte{'\n'})
		offset := from
		from += int64(len(block) - len(rest))
		block = rest
		p.lines++
		if offset == 0 && bytes.HasPrefix(line, []byte(mark)) {
			line = line[len(mark):]
			offset += int64(len(mark))
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		row := b.rows()
		b.gap(row, int(p.lines)-1-row)
		if !s.read(line) {
			b.Bad++
		}
		b.add(offset, len(line), sum(line), s)
		if note && s.line > 0 && s.file != "" && s.isAbout() {
			b.Said.add(run{Row: uint32(row), Count: 1, Line: s.line}, s.file)
		}
	}
	p.table = b.snapshot()
	return p
}

// mark is the byte-order mark that a file may begin with.
const mark = "\ufeff"

// sum is what is kept of the bytes of a row.
func sum(row []byte) uint32 { return uint32(xxh3.Hash(row)) }

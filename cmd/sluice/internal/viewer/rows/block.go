package rows

import (
	"bytes"
	"errors"
	"io"
	"strings"

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

// next returns the next block, or io.EOF: some lines in buf, or nil for one that is longer. What cannot be read ends before the
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

// lineSize returns the length of the line ahead, with its end, of which the first bytes hold none.
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

// withBytes reads a part of a file for use. One part that is longer than a block is in memory at a time.
func (x *Index) withBytes(file io.ReaderAt, from, to int64, use func([]byte)) error {
	var buf []byte
	switch size := to - from; {
	case size > longestRow:
		return errTooLong
	case size > blockSize:
		x.long <- struct{}{}
		defer func() { <-x.long }()
		buf = make([]byte, size)
	default:
		block := blocks.Get().(*[blockSize]byte)
		defer blocks.Put(block)
		buf = block[:size]
	}
	n, err := file.ReadAt(buf, from)
	if err != nil && err != io.EOF {
		return err
	}
	use(buf[:n])
	return nil
}

// readLongLine looks into a line that is longer than a block.
func (x *Index) readLongLine(file io.ReaderAt, from, to int64, note bool) (p part) {
	err := x.withBytes(file, from, to, func(line []byte) { p = readBlock(line, from, to, note, x.options.Mask) })
	if errors.Is(err, errTooLong) {
		var k kind
		k[shape] = []string{tooLong}
		return part{rows: []row{{line: 1, offset: from, size: to - from, shown: to - from}}, kinds: kinds{list: []kind{k}}, masked: kinds{list: []kind{k}}, lines: 1, end: to}
	}
	if err != nil {
		return part{err: err}
	}
	return p
}

// readBlock looks into the lines of a block, which lies from one offset of its file to another. note says whether rows may name
// the record that they are of.
func readBlock(block []byte, from, to int64, note bool, mask *Mask) part {
	p, s := part{end: to}, &rowWords{}
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
		json := s.read(line)
		r := row{line: p.lines, offset: offset, size: int64(len(line)), sum: sum(line)}
		if note && s.line > 0 && IsAbout(s.words[shape][0]) {
			r.file, r.of = strings.Clone(s.file), s.line
		}
		r.kind = p.kinds.add(&s.words)
		r.shown = s.mask(line, json, mask)
		r.masked, r.turns, r.calls, r.score = p.masked.add(&s.words), s.turns, s.calls, s.score
		p.rows = append(p.rows, r)
	}
	return p
}

// mark is the byte-order mark that a file may begin with.
const mark = "\ufeff"

func sum(row []byte) uint32 { return uint32(xxh3.Hash(row)) }

package rundiff

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"
)

// Rows are divided among 64 parts by six bits of a hash of their keys, other bits at each level.
const (
	partBits  = 6
	manyParts = 1 << partBits
	maxLevel  = 64/partBits - 1
)

// part is a file with some of the rows.
type part struct {
	file *os.File
	to   *bufio.Writer
}

// spill moves the waiting rows to parts.
func (j *join) spill() error {
	if len(j.waiting) == 1 || j.level == maxLevel {
		return fmt.Errorf("want a value that tells rows apart, have more than %d bytes of rows with the same", j.Keep)
	}
	for i := range manyParts {
		file, err := os.Create(filepath.Join(j.dir, fmt.Sprintf("%d-%d", j.level, i)))
		if err != nil {
			return err
		}
		j.parts = append(j.parts, &part{file, bufio.NewWriterSize(file, 16<<10)})
	}
	for key, q := range j.waiting {
		for _, r := range q.rows {
			if err := j.put(q.from, key, r); err != nil {
				return err
			}
		}
	}
	j.waiting, j.held = nil, 0
	return nil
}

// put writes side, line, key and data of a row to its part.
func (j *join) put(from int, key string, r row) error {
	p := j.parts[xxh3.HashString(key)>>(partBits*j.level)%manyParts]
	var head []byte
	head = append(head, byte(from))
	head = binary.AppendUvarint(head, uint64(r.line))
	head = append(binary.AppendUvarint(head, uint64(len(key))), key...)
	head = binary.AppendUvarint(head, uint64(len(r.data)))
	_, _ = p.to.Write(head) // the writer keeps its error for the next call
	_, err := p.to.Write(r.data)
	return err
}

// joinParts joins the rows of each part.
func (j *join) joinParts(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, j.closeParts()) }()
	for _, p := range j.parts {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := p.to.Flush()
		if err == nil {
			_, err = p.file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return err
		}
		below := join{comparison: j.comparison, dir: j.dir, level: j.level + 1, waiting: map[string]*queue{}}
		if err := p.read(&below); err != nil {
			return errors.Join(err, below.closeParts())
		}
		if err := below.end(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) read(into *join) error {
	from := bufio.NewReaderSize(p.file, readSize)
	var key, data []byte
	for {
		side, err := from.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, err := binary.ReadUvarint(from)
		if err != nil {
			return err
		}
		if key, err = readText(from, key); err != nil {
			return err
		}
		if data, err = readText(from, data); err != nil {
			return err
		}
		if err := into.offer(int(side), string(key), row{data: data, line: int64(line)}); err != nil {
			return err
		}
	}
}

func readText(from *bufio.Reader, buf []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(from)
	if err != nil {
		return nil, err
	}
	if uint64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err = io.ReadFull(from, buf)
	return buf, err
}

// closeParts closes the files of the parts, which are removed with their folder.
func (j *join) closeParts() (err error) {
	for _, p := range j.parts {
		err = errors.Join(err, p.file.Close())
	}
	j.parts = nil
	return err
}

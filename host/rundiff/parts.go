package rundiff

import (
	"bufio"
	"context"
	"encoding/gob"
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

type part struct {
	file *os.File
	to   *bufio.Writer
	rows *gob.Encoder
}

type partRow struct {
	Side int // A (0) or B (1)
	Line int64
	Key  string
	Data []byte
	Of   MadeOf
}

func (j *join) spill() error {
	if len(j.waiting) == 1 || j.level == maxLevel {
		return fmt.Errorf("want a value that differs from row to row, have more than %d bytes of rows with the same", j.Keep)
	}
	for i := range manyParts {
		file, err := os.Create(filepath.Join(j.dir, fmt.Sprintf("%d-%d", j.level, i)))
		if err != nil {
			return err
		}
		to := bufio.NewWriterSize(file, 16<<10)
		j.parts = append(j.parts, &part{file, to, gob.NewEncoder(to)})
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

func (j *join) put(from int, key string, r row) error {
	p := j.parts[xxh3.HashString(key)>>(partBits*j.level)%manyParts]
	return p.rows.Encode(partRow{from, r.line, key, r.data, r.MadeOf})
}

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
		below := join{comparison: j.comparison, dir: j.dir, level: j.level + 1, waiting: map[string]*queue{}, identify: j.identify}
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
	from := gob.NewDecoder(bufio.NewReaderSize(p.file, readSize))
	for {
		var r partRow
		if err := from.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := into.offer(r.Side, r.Key, row{data: r.Data, line: r.Line, MadeOf: r.Of}); err != nil {
			return err
		}
	}
}

// closeParts closes the files of the parts, which are removed with their folder.
func (j *join) closeParts() (err error) {
	for _, p := range j.parts {
		err = errors.Join(err, p.file.Close())
	}
	j.parts = nil
	return err
}

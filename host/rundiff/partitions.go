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

// Rows are divided among 64 partitions by six bits of a hash of their keys, other bits at each level.
const (
	partitionBits  = 6
	manyPartitions = 1 << partitionBits
	maxLevel       = 64/partitionBits - 1
)

type partition struct {
	file *os.File
	to   *bufio.Writer
	rows *gob.Encoder
}

type partitionRow struct {
	Side int // A (0) or B (1)
	Line int64
	Key  string
	Data []byte
	Of   MadeOf
}

func (j *join) spill() error {
	if len(j.waiting) == 1 || j.level == maxLevel {
		return fmt.Errorf("want a value that differs from row to row, have more than %d bytes of rows with the same", j.MaxHeld)
	}
	for i := range manyPartitions {
		file, err := os.Create(filepath.Join(j.dir, fmt.Sprintf("%d-%d", j.level, i)))
		if err != nil {
			return err
		}
		to := bufio.NewWriterSize(file, 16<<10)
		j.partitions = append(j.partitions, &partition{file, to, gob.NewEncoder(to)})
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
	p := j.partitions[xxh3.HashString(key)>>(partitionBits*j.level)%manyPartitions]
	return p.rows.Encode(partitionRow{from, r.line, key, r.data, r.MadeOf})
}

func (j *join) joinPartitions(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, j.closePartitions()) }()
	for _, p := range j.partitions {
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
			return errors.Join(err, below.closePartitions())
		}
		if err := below.end(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *partition) read(into *join) error {
	from := gob.NewDecoder(bufio.NewReaderSize(p.file, readSize))
	for {
		var r partitionRow
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

// closePartitions closes the files of the partitions, which are removed with their folder.
func (j *join) closePartitions() (err error) {
	for _, p := range j.partitions {
		err = errors.Join(err, p.file.Close())
	}
	j.partitions = nil
	return err
}

package rows

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// A reading says what files are read for: rows that have something, or the values to sort all rows by.
type reading struct {
	Text     string
	Paths    []PathIs
	Order    string
	Files    []string // none for all
	Outcomes []string // likewise

	Masked bool
}

func (r *reading) in(f *File) bool {
	return (len(r.Files) == 0 || slices.Contains(r.Files, f.Name)) && (len(r.Outcomes) == 0 || slices.Contains(r.Outcomes, f.Outcome))
}

// A scan reads files, as far as they are indexed, and follows the indexing. What it finds lies in the table hit.
type scan struct {
	of     reading
	id     int
	x      *Index
	store  *store
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	// The mutex of the index guards what follows.
	asked      time.Time // the last time
	rows, lost int64     // that were looked at, and of them those that could not be read
	done       bool
}

const (
	unasked  = 10 * time.Second // a scan that was not asked for in this time ends when another begins
	mostKept = 8                // how many scans that have ended are kept
)

// reading returns the scan for what files are to be read for, and starts it if there is none.
func (x *Index) reading(of reading) *scan {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at := slices.IndexFunc(x.scans, func(s *scan) bool { return reflect.DeepEqual(s.of, of) }); at >= 0 {
		s := x.scans[at]
		x.scans = append(slices.Delete(x.scans, at, at+1), s)
		s.asked = time.Now()
		return s
	}
	x.scan++
	s := &scan{of: of, id: x.scan, x: x, store: x.store, ended: make(chan struct{}), asked: time.Now()}
	s.ctx, s.cancel = context.WithCancel(x.ctx)
	x.drop()
	x.scans = append(x.scans, s)
	if x.closed {
		s.cancel()
		close(s.ended)
	} else {
		x.group.Go(s.run)
	}
	return s
}

// drop removes scans that were not asked for lately, and the oldest that have ended. The mutex is held.
func (x *Index) drop() {
	ended := 0
	for i := len(x.scans) - 1; i >= 0; i-- {
		s := x.scans[i]
		gone := time.Since(s.asked) > unasked
		select {
		case <-s.ended:
			ended++
			gone = ended >= mostKept
		default:
		}
		if gone {
			s.cancel()
			x.scans = slices.Delete(x.scans, i, i+1)
			if s.store != nil && !x.closed {
				x.group.Go(func() {
					<-s.ended
					_, _ = s.store.Exec("DELETE FROM hit WHERE scan = ?", s.id) // hits that stay do no harm
				})
			}
		}
	}
}

func (s *scan) run() {
	var group sync.WaitGroup
	for i, f := range s.x.files {
		for from := int64(0); s.of.in(&f.File) && s.ctx.Err() == nil; {
			s.x.mu.Lock()
			rows, done, grown := f.Rows, f.Done, s.x.grown
			s.x.mu.Unlock()
			if from < rows {
				from += s.block(i, from, rows, &group)
				continue
			}
			if done {
				break
			}
			select {
			case <-grown:
			case <-s.ctx.Done():
			}
		}
	}
	group.Wait()
	s.x.change(func() { s.done = s.ctx.Err() == nil })
	s.cancel()
	close(s.ended)
}

type place struct {
	key, offset, size int64
	sum               uint32
	json              bool
}

const mostPlaces = 4096

// block begins to read some rows from one on, and returns how many.
func (s *scan) block(file int, from, to int64, group *sync.WaitGroup) int64 {
	var all []place
	first := ID{File: uint32(file)}.key()
	err := each(s.store.Query(`SELECT id, "offset", size, sum, kind FROM index_row WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`,
		first+from, first+to, mostPlaces))(func(scan func(...any) error) error {
		var p place
		var kind int64
		err := scan(&p.key, &p.offset, &p.size, &p.sum, &kind)
		if len(all) > 0 && p.offset+p.size-all[0].offset > blockSize {
			return io.EOF
		}
		p.json = s.store.allKinds()[kind].isJSON()
		all = append(all, p)
		return err
	})
	if len(all) == 0 || err != nil && err != io.EOF {
		s.cancel()
		return 0
	}
	select {
	case s.x.workers <- struct{}{}:
	case <-s.ctx.Done():
		return 0
	}
	group.Go(func() {
		defer func() { <-s.x.workers }()
		s.readRows(s.x.files[file], all)
	})
	return int64(len(all))
}

func (s *scan) readRows(f *file, all []place) {
	var hits [][2]any
	looked := 0
	begin, end := all[0].offset, all[len(all)-1].offset+all[len(all)-1].size
	from, err := s.x.body(f)
	if err == nil {
		defer from.Close()
		err = s.x.withBytes(from, begin, end, func(data []byte) { hits, looked = s.matchRows(all, data) })
	}
	if errors.Is(err, errTooLong) {
		looked = len(all) // nothing is searched in it, and nothing has changed
	}
	if err == nil && looked < len(all) && s.ctx.Err() == nil {
		s.x.doubt(f)
	}
	err = s.store.write(func(b batch) error {
		for _, hit := range hits {
			if err := b.exec("INSERT INTO hit VALUES (?, ?, ?)", s.id, hit[0], hit[1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.cancel()
	}
	s.x.change(func() { s.rows, s.lost = s.rows+int64(len(all)), s.lost+int64(len(all)-looked) })
}

// matchRows returns the rows that match, each with its key to sort by, and how many rows the data still holds.
func (s *scan) matchRows(all []place, data []byte) (hits [][2]any, looked int) {
	look := matcher{of: s.of, search: newTextSearch(s.of.Text)}
	if s.of.Masked && s.x.options.Mask != nil {
		look.mask = s.x.options.Mask.Visible
	}
	for _, p := range all {
		begin := p.offset - all[0].offset
		end := begin + p.size
		if s.ctx.Err() != nil || end > int64(len(data)) || sum(data[begin:end]) != p.sum {
			continue
		}
		looked++
		switch line := data[begin:end]; {
		case s.of.Order == "":
			if look.has(line, p.json) {
				hits = append(hits, [2]any{p.key, nil})
			}
		case p.json:
			if key := look.key(line); key != nil {
				hits = append(hits, [2]any{p.key, key})
			}
		}
	}
	return hits, looked
}

const longestKey = 64

// keyIn returns what a row is sorted by that has a value, nil for none.
func keyIn(value gjson.Result) any {
	switch value.Type {
	case gjson.Null:
		return nil
	case gjson.Number:
		return value.Num
	}
	text := value.String()
	return string([]byte(text[:min(len(text), longestKey)]))
}

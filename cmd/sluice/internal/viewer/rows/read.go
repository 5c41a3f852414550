package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// A reading is what files are read for: rows that have something, or the values to sort all rows by.
type reading struct {
	Text  string
	Paths []PathIs
	Order string
	Files []string // none for all
}

// in tells whether a file is read.
func (r *reading) in(file string) bool { return len(r.Files) == 0 || slices.Contains(r.Files, file) }

func (r *reading) key() string { return fmt.Sprintf("%#v", *r) }

// A scan reads files, as far as they are indexed, and follows the indexing.
type scan struct {
	of     reading
	x      *Index
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	asked   time.Time // the last time; the mutex of the index guards it
	waiting int       // how many wait for its end; likewise

	mu    sync.Mutex
	files [][]piece
	last  scanned
	told  *scanned // the last that was given
}

// A piece is what was found in some rows behind each other.
type piece struct {
	first int
	hits  []uint32
	keys  []key
}

// scanned is what a scan has found up to some moment.
type scanned struct {
	of          reading
	version     int64
	rows, total int64
	lost        int64
	done        bool
	hits        [][]uint32
	keys        [][]key
}

// A scan that nobody has asked for in this time ends when another begins.
const unasked = 10 * time.Second

// reading gives the scan for what files are to be read for, and starts it if there is none.
func (x *Index) reading(of reading) *scan {
	x.mu.Lock()
	defer x.mu.Unlock()
	name := of.key()
	if at := slices.IndexFunc(x.scans, func(s *scan) bool { return s.of.key() == name }); at >= 0 {
		s := x.scans[at]
		x.scans = append(slices.Delete(x.scans, at, at+1), s)
		s.asked = time.Now()
		return s
	}
	s := &scan{of: of, x: x, ended: make(chan struct{}), files: make([][]piece, len(x.files)), asked: time.Now()}
	s.last.of = of
	s.ctx, s.cancel = context.WithCancel(x.ctx)
	x.drop()
	x.scans = append(x.scans, s)
	if !x.start(s.run) {
		s.cancel()
		close(s.ended)
	}
	return s
}

// drop makes room for a scan: those go that go on for nobody, and of those that have ended the ones asked for longest ago.
// The mutex is held.
func (x *Index) drop() {
	ended := 0
	for i := len(x.scans) - 1; i >= 0; i-- {
		s := x.scans[i]
		gone := s.waiting == 0 && time.Since(s.asked) > unasked
		if s.over() {
			ended++
			gone = ended >= mostKept
		}
		if gone {
			s.cancel()
			x.scans = slices.Delete(x.scans, i, i+1)
		}
	}
}

// over tells whether it has ended.
func (s *scan) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// wait waits for the end of the scan, or of the context.
func (s *scan) wait(ctx context.Context) {
	change := func(by int) {
		s.x.mu.Lock()
		s.waiting += by
		s.x.mu.Unlock()
	}
	change(1)
	defer change(-1)
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
}

// soFar gives what was found so far.
func (s *scan) soFar() *scanned {
	total := int64(0)
	views, _ := s.x.views()
	for _, v := range views {
		if s.of.in(v.Name) {
			total += int64(v.table.rows())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told != nil && s.told.version == s.last.version && s.told.total == total {
		return s.told
	}
	r := s.last
	r.total = total
	r.hits, r.keys = make([][]uint32, len(s.files)), make([][]key, len(s.files))
	for i, pieces := range s.files {
		slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.first, b.first) })
		for _, p := range pieces {
			r.hits[i] = append(r.hits[i], p.hits...)
			if len(p.keys) > 0 {
				for len(r.keys[i]) < p.first {
					r.keys[i] = append(r.keys[i], key{sort: missing})
				}
				r.keys[i] = append(r.keys[i], p.keys...)
			}
		}
	}
	s.told = &r
	return &r
}

// run reads all files.
func (s *scan) run() {
	var group sync.WaitGroup
	defer func() {
		group.Wait()
		s.mu.Lock()
		s.last.done = s.ctx.Err() == nil
		s.last.version++
		s.mu.Unlock()
		s.cancel()
		close(s.ended)
	}()
	for i, f := range s.x.files {
		if !s.of.in(f.Name) {
			continue
		}
		for from := 0; ; {
			v, grown := s.x.viewAt(i)
			if from == v.table.rows() {
				if v.done {
					break
				}
				select {
				case <-grown:
					continue
				case <-s.ctx.Done():
					return
				}
			}
			select {
			case s.x.workers <- struct{}{}:
			case <-s.ctx.Done():
				return
			}
			first, to := from, v.table.block(from)
			group.Go(func() {
				defer func() { <-s.x.workers }()
				s.look(v, first, to)
			})
			from = to
		}
	}
}

// viewAt is the view of one file, and a channel that is closed when something is added.
func (x *Index) viewAt(i int) (*view, <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f := x.files[i]
	return &view{File: f.File, file: f, at: i, table: f.table, done: f.done}, x.grown
}

// block gives the end of the rows from one on that are read together.
func (t *table) block(from int) int {
	to := from + 1
	for to < t.rows() && t.Offsets[to]+int64(t.Sizes[to])-t.Offsets[from] <= blockSize {
		to++
	}
	return to
}

// look reads some rows behind each other.
func (s *scan) look(v *view, from, to int) {
	p, rows := piece{first: from}, int64(to-from)
	first, end := v.table.Offsets[from], v.table.Offsets[to-1]+int64(v.table.Sizes[to-1])
	looked := int64(0)
	look := func(data []byte) { looked = s.lookInto(&p, v.table, from, to, data) }
	file, err := s.x.body(v.file)
	if err == nil {
		defer file.Close()
		err = s.withBytes(file, first, end, look)
	}
	if err != nil {
		look(nil)
	}
	if errors.Is(err, ErrTooLong) {
		looked = rows // nothing is searched in it, and nothing has changed
	}
	if err == nil && looked < rows && s.ctx.Err() == nil {
		s.x.doubt(v.file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[v.at] = append(s.files[v.at], p)
	s.last.version++
	s.last.rows += rows
	s.last.lost += rows - looked
}

// withBytes gives a part of a file to use.
func (s *scan) withBytes(file io.ReaderAt, from, to int64, use func([]byte)) error {
	if to-from > blockSize {
		return s.x.inMemory(file, from, to, use)
	}
	buf := blocks.Get().(*[blockSize]byte)
	defer blocks.Put(buf)
	n, err := file.ReadAt(buf[:to-from], from)
	if err != nil && err != io.EOF {
		return err
	}
	use(buf[:n])
	return nil
}

// lookInto looks into rows, and tells how many of them stand in the data still.
func (s *scan) lookInto(p *piece, t *table, from, to int, data []byte) (looked int64) {
	look := looker{of: s.of, needle: newNeedle(s.of.Text)}
	for row := from; row < to && s.ctx.Err() == nil; row++ {
		k := key{sort: missing}
		begin := t.Offsets[row] - t.Offsets[from]
		end := begin + int64(t.Sizes[row])
		if end <= int64(len(data)) && sum(data[begin:end]) == t.Sums[row] {
			looked++
			switch line := data[begin:end]; {
			case s.of.Order == "":
				if look.has(line, t.isJSON(row)) {
					p.hits = append(p.hits, uint32(row))
				}
			case t.isJSON(row):
				k = keyIn(gjson.GetBytes(line, s.of.Order))
			}
		}
		if s.of.Order != "" {
			p.keys = append(p.keys, k)
		}
	}
	return looked
}

// longestKey is how much of a text rows are sorted by.
const longestKey = 64

// keyIn is what a row is sorted by that has a value.
func keyIn(value gjson.Result) key {
	switch value.Type {
	case gjson.Null:
		return key{sort: missing}
	case gjson.Number:
		return key{number: value.Num}
	}
	text := value.String()
	return key{text: strings.Clone(text[:min(len(text), longestKey)]), sort: aText}
}

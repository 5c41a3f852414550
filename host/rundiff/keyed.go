package rundiff

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// maxHeld is how many bytes of rows without a partner are held in memory.
const maxHeld = 32 << 20

// compareKeyed pairs the rows of two files by a value at a path, in order. Rows wait for partners, on disk when they are many.
func compareKeyed(ctx context.Context, p outputPair, path string, o settings) (_ *Result, err error) {
	if o.MaxHeld == 0 {
		o.MaxHeld = maxHeld
	}
	dir, err := os.MkdirTemp(o.Temp, "sluice-diff-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var sides []*lineReader
	for _, f := range []*outputFile{p.A[0], p.B[0]} {
		text, err := source.OpenText(f.Path)
		if err != nil {
			return nil, err
		}
		defer text.Close()
		sides = append(sides, &lineReader{text: text, buf: bufio.NewReaderSize(text, readSize)})
	}
	k := keyed{path: path, join: join{comparison: newComparison([]outputPair{p}, o), dir: dir, waiting: map[string]*queue{}}}
	defer func() { err = errors.Join(err, k.closePartitions()) }()
	for open := 2; open > 0; { // in turn: in files of about the same order partners come soon
		open = 0
		for i, side := range sides {
			row, err := side.next()
			if err == io.EOF {
				continue
			}
			if err != nil {
				return nil, err
			}
			if open++; side.n%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := k.take(i, row, side.n); err != nil {
				return nil, err
			}
		}
	}
	if k.found == 0 && k.missing > 0 {
		return nil, fmt.Errorf("want a value at %s in the rows, have %s without", path, plural.Of(k.missing, "row"))
	}
	if err := k.end(ctx); err != nil {
		return nil, err
	}
	return k.result(), nil
}

type keyed struct {
	join
	path           string
	found, missing int64 // rows with and without a value
}

// take pairs a line of A (0) or B (1), or keeps it.
func (k *keyed) take(from int, line []byte, n int64) error {
	r := row{data: line, line: n}
	value := gjson.GetBytes(line, k.path)
	switch {
	case len(line) == 0:
		return nil
	case value.Exists():
		k.found++
		return k.offer(from, keyOf(value), r)
	}
	k.missing++
	p, d, count := pair{a: &r}, Difference{Kind: OnlyA, Output: k.pairs[0].Name, Path: k.path, A: "nothing to align it by"}, &k.counts[0].A
	if from == 1 {
		p, d.Kind, count = pair{b: &r}, OnlyB, &k.counts[0].B
	}
	*count++
	k.bump(0, d.Kind)
	k.add(p, d)
	k.compared++
	k.differ++
	return k.show(d.Kind, p)
}

// keyOf returns a value as JSON, in one spelling for equal strings and numbers.
func keyOf(value gjson.Result) string {
	switch value.Type {
	case gjson.String:
		return string(jsontext.AppendString(nil, jsontext.JSON(value.Raw).Text()))
	case gjson.Number:
		return compare.Number(value.Raw)
	}
	return strings.Clone(value.Raw)
}

// join holds rows until their partners come. When they get too many, all go to partitions on disk, which are joined one by one.
type join struct {
	*comparison
	dir        string
	level      int // how often the rows went to partitions before
	waiting    map[string]*queue
	held       int64 // about how many bytes waiting has
	partitions []*partition

	identify func(key string, r *row) identity // nil: the key is a value
}

// queue holds rows of one side with one key, in order.
type queue struct {
	from int
	rows []row
}

// overhead is about how many bytes a waiting row takes besides its own.
const overhead = 160

// overheadOrigin is about how many a record takes that it was made of.
const overheadOrigin = 24

// size returns about how many bytes the row takes while it waits.
func (r *row) size(key string) int64 {
	return int64(len(r.data)+len(key)+overheadOrigin*len(r.Origins)) + overhead
}

// offer pairs a row with one that waits, or keeps a copy of it.
func (j *join) offer(from int, key string, r row) error {
	if j.partitions != nil {
		return j.put(from, key, r)
	}
	q := j.waiting[key]
	if q != nil && q.from != from {
		partner := q.rows[0]
		if q.rows = q.rows[1:]; len(q.rows) == 0 {
			delete(j.waiting, key)
		}
		j.held -= partner.size(key)
		var rows [2][]row
		id := j.identity(key, &partner, &r)
		rows[q.from], rows[from] = []row{partner}, []row{r}
		return j.record(id, rows)
	}
	if q == nil {
		q = &queue{from: from}
		j.waiting[key] = q
	}
	r.data = slices.Clone(r.data)
	q.rows = append(q.rows, r)
	if j.held += r.size(key); j.held > j.MaxHeld {
		return j.spill()
	}
	return nil
}

// identity returns what rows with a key have in common.
func (j *join) identity(key string, rows ...*row) (id identity) {
	if j.identify == nil {
		return identity{value: key}
	}
	for _, r := range rows {
		id = j.identify(key, r)
	}
	return id
}

// end counts the rows without a partner.
func (j *join) end(ctx context.Context) error {
	if j.partitions != nil {
		return j.joinPartitions(ctx)
	}
	type lone struct {
		key  string
		from int
		row
	}
	var all []lone
	for key, q := range j.waiting {
		for _, r := range q.rows {
			all = append(all, lone{key, q.from, r})
		}
	}
	slices.SortFunc(all, func(a, b lone) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.line, b.line)) })
	for _, x := range all {
		var rows [2][]row
		id := j.identity(x.key, &x.row)
		rows[x.from] = []row{x.row}
		if err := j.record(id, rows); err != nil {
			return err
		}
	}
	return nil
}

package rows

import (
	"cmp"
	"context"
	"slices"
	"sort"
)

// besides are the columns "beside" of all files.
type besides struct {
	done bool // the index's mutex guards it
	of   []*coded
}

// findBeside begins to find the columns "beside" when all files are indexed. The mutex is held.
func (x *Index) findBeside() {
	for _, f := range x.files {
		if !f.done {
			return
		}
	}
	b, views := &besides{}, x.viewsLocked()
	x.beside = b
	if !x.start(func() {
		of := besideOf(x.ctx, views)
		x.change(func() { b.done, b.of = true, of })
	}) {
		b.done = true
	}
}

// A record is one that rows come of.
type record struct {
	file, ofLine uint32 // file is a number for its name
	line         int64
}

func (a record) compare(b record) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.ofLine, b.ofLine))
}

// A mention is which shapes of rows about a record a file has, as bits in the order of about.
type mention struct {
	record
	view, shapes int
}

// besideOf finds for each row which shapes of rows about its record there are in other files.
func besideOf(ctx context.Context, views []*view) []*coded {
	var sets [][]string
	for shapes := range 1 << len(about) {
		var set []string
		for bit, name := range about {
			if shapes>>bit&1 == 1 {
				set = append(set, name)
			}
		}
		sets = append(sets, set)
	}
	mentions, names := mentionsIn(ctx, views)
	all := make([]*coded, len(views))
	for i, v := range views {
		all[i] = &coded{Sets: sets}
		if len(mentions) == 0 {
			continue
		}
		v.records(ctx, func(name string) (uint32, bool) { file, ok := names[name]; return file, ok }, func(row int, of record) {
			shapes := 0
			at := sort.Search(len(mentions), func(i int) bool { return mentions[i].compare(of) >= 0 })
			for ; at < len(mentions) && mentions[at].record == of; at++ {
				if mentions[at].view != i {
					shapes |= mentions[at].shapes
				}
			}
			all[i].put(row, shapes)
		})
	}
	return all
}

// mentionsIn are those of all files, in the order of records: one for each record and file. names are the numbers of the files
// that the records are in, but for those whose name several have.
func mentionsIn(ctx context.Context, views []*view) (all []mention, names map[string]uint32) {
	names = map[string]uint32{}
	for i, v := range views {
		shapes := v.table.Words[shape]
		bits, some := make([]int, max(1, len(shapes.Sets))), 0
		for set, words := range shapes.Sets {
			for _, word := range words {
				if bit := slices.Index(about, word); bit >= 0 {
					bits[set] |= 1 << bit
				}
			}
			some |= bits[set]
		}
		if some == 0 || v.Input != "" {
			continue
		}
		number := func(name string) (uint32, bool) {
			file, ok := names[name]
			if !ok && v.shared[name] {
				return 0, false
			}
			if !ok {
				file = uint32(len(names))
				names[name] = file
			}
			return file, true
		}
		v.records(ctx, number, func(row int, of record) {
			m := mention{of, i, bits[shapes.at(row)]}
			if last := len(all) - 1; last >= 0 && all[last].record == of && all[last].view == i {
				all[last].shapes |= m.shapes
			} else if m.shapes != 0 {
				all = append(all, m)
			}
		})
	}
	slices.SortFunc(all, func(a, b mention) int { return cmp.Or(a.compare(b.record), cmp.Compare(a.view, b.view)) })
	few := all[:0]
	for _, m := range all {
		if last := len(few) - 1; last >= 0 && few[last].record == m.record && few[last].view == m.view {
			few[last].shapes |= m.shapes
		} else {
			few = append(few, m)
		}
	}
	return few, names
}

// records calls with each row, in order, and the record that it comes of, unless that is not known or its file has no number.
// The context ends it.
func (v *view) records(ctx context.Context, number func(name string) (uint32, bool), call func(row int, of record)) {
	if v.Input != "" {
		file, ok := number(v.Input)
		for row := range v.table.rows() {
			if !ok || row%blockOfRows == 0 && ctx.Err() != nil {
				return
			}
			call(row, record{file: file, line: v.table.line(row)})
		}
		return
	}
	if v.origins == nil {
		return
	}
	type numbered struct {
		file  uint32
		known bool
	}
	files := make([]numbered, len(v.origins.Files))
	for i, name := range v.origins.Files {
		files[i].file, files[i].known = number(name)
	}
	for _, r := range v.origins.Runs {
		if !files[r.File].known {
			continue
		}
		for i := range r.Count {
			row := int(r.Row + i)
			if row >= v.table.rows() || row%blockOfRows == 0 && ctx.Err() != nil {
				return
			}
			of := record{file: files[r.File].file, line: r.Line + int64(i)}
			if i == 0 {
				of.ofLine = r.OfLine
			}
			call(row, of)
		}
	}
}

// blockOfRows is after how many rows it is asked whether to go on.
const blockOfRows = 1 << 12

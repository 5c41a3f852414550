package rundiff

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// comparison compares rows and counts how they differ.
type comparison struct {
	settings
	pairs    []outputPair
	counts   []Count
	compared int64
	differ   int64
	ignored  int64
	spelling int64
	groups   groups
	line     []byte // for Rows
}

func newComparison(pairs []outputPair, o settings) *comparison {
	c := &comparison{settings: o, pairs: pairs, counts: make([]Count, len(pairs)), groups: groups{}}
	for i, p := range pairs {
		c.counts[i].Name = p.Name
	}
	return c
}

func (c *comparison) result() *Result {
	return &Result{Compared: c.compared, Differ: c.differ, Ignored: c.ignored, Spelling: c.spelling, Outputs: c.counts, Groups: c.groups.sorted()}
}

// identity is what rows that belong together have in common: the record that they come from, or a value.
type identity struct {
	of    output.Origin
	value string // JSON
}

// pair is two rows that belong together, one of which may be nil.
type pair struct {
	identity
	a, b *row
}

// madeOf returns the records that the row was made of, of A where both runs have one.
func (p *pair) madeOf() MadeOf {
	if p.a != nil && (p.a.Origins != nil || p.b == nil) {
		return p.a.MadeOf
	}
	return p.b.MadeOf
}

// record compares all rows with one identity, of A and of B.
func (c *comparison) record(id identity, rows [2][]row) error {
	a, b := rows[0], rows[1]
	for i := range a {
		c.counts[a[i].output].A++
	}
	for i := range b {
		c.counts[b[i].output].B++
	}
	if len(a) == 1 && len(b) == 1 && a[0].output == b[0].output && a[0].nth == b[0].nth && bytes.Equal(a[0].data, b[0].data) {
		c.counts[a[0].output].Equal++
		c.compared++
		return nil
	}
	restA, restB, err := c.inPlace(id, a, b)
	if err != nil {
		return err
	}
	for _, match := range []func(a, b *row) bool{c.sameReject, c.bothRejects, c.sameStream} {
		if err := c.match(id, restA, restB, match); err != nil {
			return err
		}
	}
	if err := c.unpaired(id, restA, restB, true); err != nil {
		return err
	}
	return c.unpaired(id, restB, restA, false)
}

// inPlace compares rows with the same place in the same output, both sorted, and returns the others and all rejects.
func (c *comparison) inPlace(id identity, a, b []row) (restA, restB []*row, err error) {
	for len(a) > 0 || len(b) > 0 {
		order := 1
		switch {
		case len(b) == 0:
			order = -1
		case len(a) > 0:
			order = cmp.Or(cmp.Compare(a[0].output, b[0].output), cmp.Compare(a[0].nth, b[0].nth))
		}
		switch {
		case order < 0:
			restA, a = append(restA, &a[0]), a[1:]
		case order > 0:
			restB, b = append(restB, &b[0]), b[1:]
		case c.isReject(&a[0]):
			restA, restB, a, b = append(restA, &a[0]), append(restB, &b[0]), a[1:], b[1:]
		default:
			if err := c.comparePair(pair{id, &a[0], &b[0]}); err != nil {
				return nil, nil, err
			}
			a, b = a[1:], b[1:]
		}
	}
	return restA, restB, nil
}

func (c *comparison) match(id identity, a, b []*row, match func(a, b *row) bool) error {
	for _, x := range a {
		for _, y := range b {
			if x.paired || y.paired || !match(x, y) {
				continue
			}
			x.paired, y.paired = true, true
			if err := c.comparePair(pair{id, x, y}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *comparison) bothRejects(x, y *row) bool { return x.output == y.output && c.isReject(x) }

func (c *comparison) sameReject(x, y *row) bool {
	return c.bothRejects(x, y) && (bytes.Equal(x.data, y.data) || rejectOf(x.data).step == rejectOf(y.data).step)
}

// sameStream reports whether a row may have moved to another output.
func (c *comparison) sameStream(x, y *row) bool {
	stream := c.pairs[x.output].stream
	return stream != "" && stream == c.pairs[y.output].stream
}

func (c *comparison) comparePair(p pair) error {
	kind := c.values(p)
	c.compared++
	n := &c.counts[p.a.output]
	switch {
	case p.a.output != p.b.output:
		n.MovedOut++
		c.counts[p.b.output].MovedIn++
		c.add(p, Difference{Kind: Moved, Output: c.pairs[p.a.output].Name, To: c.pairs[p.b.output].Name})
		kind = Moved
	case kind == "":
		n.Equal++
		return nil
	case kind == Ignored:
		n.Ignored++
		c.ignored++
		return nil
	case kind == Spelling:
		n.Spelling++
		c.spelling++
		return c.show(kind, p)
	default:
		n.Changed++
	}
	c.differ++
	return c.show(kind, p)
}

// values compares the contents of two rows, and returns the kind of their difference, "" when there is none.
func (c *comparison) values(p pair) string {
	if bytes.Equal(p.a.data, p.b.data) {
		return ""
	}
	d := Difference{Kind: Changed, Output: c.pairs[p.a.output].Name}
	left, right := valueOf(p.a.data), valueOf(p.b.data)
	if left == "" || right == "" { // no JSON, so without members to compare
		d.A, d.B = formOf(left), formOf(right)
		c.add(p, d)
		return Changed
	}
	if c.pairs[p.a.output].Reject {
		if x, y := rejectOf(p.a.data), rejectOf(p.b.data); x.String() != y.String() {
			d.A, d.B, d.Path = "rejected "+x.String(), "rejected "+y.String(), y.path
			if e := c.add(p, d); e != nil {
				e.Message = compare.Excerpt(y.message)
			}
			return Changed
		}
	}
	ignore := c.Ignore
	if c.pairs[p.a.output].Reject {
		ignore = ignore.Under("record")
	}
	all, ignored := compare.Values(left, right, ignore)
	found := slices.DeleteFunc(all, c.sameFile)
	for _, f := range found {
		d.Path, d.A, d.B = f.Path, f.A, f.B
		e := c.add(p, d)
		if e == nil {
			continue
		}
		if f.At != f.Path {
			e.Path = f.At
		}
		if c.Values && d.B != Moved {
			e.ValueA, e.ValueB = compare.ExcerptDiff(f.TextA, f.TextB)
		}
	}
	switch {
	case len(found) > 0:
		return Changed
	case ignored:
		return Ignored
	case len(found) < len(all): // they differ only in the name of an input file
		return ""
	}
	c.add(p, Difference{Kind: Spelling, Output: d.Output})
	return Spelling
}

// sameFile reports whether a difference is only that B has another name for an input file, which rows of side outputs hold.
func (c *comparison) sameFile(f compare.Occurrence) bool {
	name, ok := c.RenamedB[f.TextB.Text()]
	return ok && f.Path == "file" && name == f.TextA.Text()
}

// unpaired counts the rows that only one run has, because the other has rejected their record or has it nowhere.
func (c *comparison) unpaired(id identity, have, others []*row, inA bool) error {
	rejected, only, read := Rejected, OnlyA, c.FilesB
	if !inA {
		rejected, only, read = Accepted, OnlyB, c.FilesA
	}
	by, written := c.find(others, c.isReject), c.find(others, c.isStream) != nil
	first := c.find(have, c.isStream)
	for _, x := range have {
		if x.paired {
			continue
		}
		p, kind := pair{id, x, nil}, only
		if by != nil && c.isStream(x) {
			p.b, kind = by, rejected
		}
		if !inA {
			p.a, p.b = p.b, p.a
		}
		c.bump(x.output, kind)
		switch {
		case kind == rejected:
			if x == first { // a record that was written to several outputs is reported once
				c.addReject(p, kind, by)
			}
		case c.isReject(x) && written:
			continue // counted with the row that the other has written
		default:
			d := Difference{Kind: only, Output: c.pairs[x.output].Name}
			if read != nil && id.of.File != "" && !slices.Contains(read, id.of.File) {
				d.A = OfUnread
			}
			c.add(p, d)
		}
		c.compared++
		c.differ++
		if err := c.show(kind, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) isReject(x *row) bool { return c.pairs[x.output].Reject }
func (c *comparison) isStream(x *row) bool { return c.pairs[x.output].stream != "" }

// find returns the first row without a partner for which is holds.
func (c *comparison) find(rows []*row, is func(*row) bool) *row {
	if i := slices.IndexFunc(rows, func(x *row) bool { return !x.paired && is(x) }); i >= 0 {
		return rows[i]
	}
	return nil
}

func (c *comparison) bump(output int, kind string) {
	switch n := &c.counts[output]; kind {
	case Rejected:
		n.Rejected++
	case Accepted:
		n.Accepted++
	case OnlyA:
		n.OnlyA++
	case OnlyB:
		n.OnlyB++
	}
}

// addReject counts a record that one run has written and the other has rejected.
func (c *comparison) addReject(p pair, kind string, by *row) {
	x := rejectOf(by.data)
	d := Difference{Kind: kind, Path: x.path, A: "written", B: x.String()}
	if kind == Accepted {
		d.A, d.B = d.B, d.A
	}
	if e := c.add(p, d); e != nil {
		e.Message = compare.Excerpt(x.message)
	}
}

func (c *comparison) add(p pair, d Difference) *Example {
	e := c.groups.add(d)
	if e == nil {
		return nil
	}
	if e.File, e.Line = p.of.File, p.of.Line; p.of.OfLine > 0 {
		e.Record = p.of.OfLine + 1
	}
	if c.Values {
		e.Key = compare.Excerpt(p.value)
	}
	e.MadeOf = p.madeOf()
	if p.a != nil {
		e.LineA = p.a.line
	}
	if p.b != nil {
		e.LineB = p.b.line
	}
	return e
}

// maxDepth is how deeply rows that are compared as JSON may nest.
const maxDepth = 10_000

// valueOf returns a row as JSON, "" when it is no JSON.
func valueOf(data []byte) jsontext.JSON {
	data = bytes.TrimSpace(data)
	if jsontext.Check(data, maxDepth) != nil {
		return ""
	}
	return jsontext.Of(data)
}

func formOf(v jsontext.JSON) string {
	if v == "" {
		return "no JSON"
	}
	return "JSON"
}

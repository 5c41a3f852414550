package viewer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/rundiff"
)

type comparison struct {
	done   chan struct{}
	found  *rundiff.Differences
	matrix *matrix
	err    error
}

// differences returns the comparison of the runs, which it begins at the first call.
func (s *Server) differences() *comparison {
	s.differ.Lock()
	defer s.differ.Unlock()
	if s.diff == nil {
		c := &comparison{done: make(chan struct{})}
		s.diff = c
		if c.err = s.ctx.Err(); c.err == nil {
			c.matrix, c.err = newMatrix()
		}
		if c.err != nil {
			close(c.done)
			return c
		}
		s.group.Go(func() {
			defer close(c.done)
			c.found, c.err = rundiff.Compare(s.ctx, s.Subject.Path, s.Against.Path, rundiff.Options{Mask: mask.Name, Fates: c.matrix.add})
			c.err = cmp.Or(c.err, c.matrix.to.Flush())
		})
	}
	return s.diff
}

type comparePage struct {
	pageFrame
	A, B    string
	Error   string
	Found   *rundiff.Differences
	Groups  []group
	Left    int
	Runs    []runDifference
	Matrix  *matrixView
	Unread  [2]int64 // rows of A and of B whose files the other has not read
	Sums    []sums
	Differ  int64 // rows, those apart
	Outputs []rundiff.Count
}

// A runDifference is a difference between the runs other than in rows. Change is how much B has more, of numbers.
type runDifference struct{ What, A, B, Change string }

func runDifferenceOf(x *state, d receipt.Difference) runDifference {
	y := runDifference{d.What, cutValue(d.A, x.shown), cutValue(d.B, x.shown), ""}
	a, errA := strconv.ParseInt(d.A, 10, 64)
	b, errB := strconv.ParseInt(d.B, 10, 64)
	if errA == nil && errB == nil {
		y.A, y.B, y.Change = plural.Count(a), plural.Count(b), format.Signed(b-a)
	}
	return y
}

type group struct {
	Kind, Class, Output, To, Path string
	A, B                          string // values that changed
	Why                           string // of anything else
	Rows                          int64
	Examples                      []example
}

type example struct{ Text, Link, Note string }

const mostGroups = 200

func (s *Server) compare(w http.ResponseWriter, r *http.Request, x *state) error {
	if s.Against == nil {
		return errOneRun
	}
	p := comparePage{pageFrame: s.frame(r, x, "compare", "Compare")}
	p.A, p.B = apart(s.Subject, s.Against)
	c := s.differences()
	select {
	case <-c.done:
	default:
		p.Live, p.Again = true, true
		return render(w, "compare.html", &p)
	}
	if errors.Is(c.err, context.Canceled) {
		return c.err
	}
	if c.err != nil {
		p.Error = masked(c.err.Error(), x.shown)
		return render(w, "compare.html", &p)
	}
	p.Found, p.Outputs = c.found, c.found.Outputs
	for _, d := range c.found.Runs {
		p.Runs = append(p.Runs, runDifferenceOf(x, d))
	}
	p.Matrix = c.matrix.view(x)
	p.Matrix.Both, p.Matrix.Unknown = c.matrix.both(s.Subject.Receipt, s.Against.Receipt)
	p.Matrix.Lost = x.bare("lost")
	p.Differ = c.found.Differ
	for _, g := range c.found.Groups {
		switch {
		case g.A == rundiff.OfUnread && g.Kind == rundiff.OnlyA:
			p.Unread[0] += g.Rows
			p.Differ -= g.Rows
		case g.A == rundiff.OfUnread && g.Kind == rundiff.OnlyB:
			p.Unread[1] += g.Rows
			p.Differ -= g.Rows
		case len(p.Groups) == mostGroups:
			p.Left++
		default:
			y := groupOf(x, &g)
			if y.Kind == rundiff.Changed && y.Path != "" && len(y.Examples) == 0 {
				p.Sums = withPath(p.Sums, y)
				continue
			}
			p.Groups = append(p.Groups, y)
		}
	}
	return render(w, "compare.html", &p)
}

// sums are the paths of values that differ in rows of an output that are of no record, such as statistics.
type sums struct {
	Output string
	Paths  []string
}

func withPath(all []sums, of group) []sums {
	i := slices.IndexFunc(all, func(s sums) bool { return s.Output == of.Output })
	if i < 0 {
		all, i = append(all, sums{Output: of.Output}), len(all)
	}
	all[i].Paths = append(all[i].Paths, of.Path)
	return all
}

// cutValue returns the beginning of a value as it may be shown. It is masked before, as half of a value might be none to the rules.
func cutValue(value string, shown bool) string { return format.Cut(masked(value, shown), mostValue) }

func groupOf(x *state, g *rundiff.Group) group {
	y := group{
		Kind: g.Kind, Output: format.Printable(g.Output), To: format.Printable(g.To), Path: masked(g.Path, x.shown), Rows: g.Rows,
		A: cutValue(g.A, x.shown), B: cutValue(g.B, x.shown),
		Class: map[string]string{rundiff.Rejected: "bad", rundiff.Accepted: "good", rundiff.Changed: "accent", rundiff.Moved: "warn"}[g.Kind],
	}
	if y.Kind == rundiff.OnlyA || y.Kind == rundiff.OnlyB {
		y.Kind = map[string]string{rundiff.OnlyA: "only in A", rundiff.OnlyB: "only in B"}[g.Kind]
	}
	if g.Kind != rundiff.Changed { // what stands there is no value that was removed
		y.A, y.B, y.Why = "", "", cmp.Or(y.A, y.B)
	}
	for _, e := range g.Examples {
		if e.File == "" && e.Key == "" && len(e.Origins) == 0 { // of no record
			continue
		}
		z := example{Text: format.Printable(e.File + ":" + strconv.FormatInt(e.Line, 10)), Note: masked(e.Message, x.shown)}
		if e.File == "" {
			z.Text = masked(e.Key, x.shown)
		}
		if len(e.Origins) > 0 {
			z.Text = format.Places(e.Origins, e.MoreOrigins)
		}
		if e.File != "" {
			z.Link = pairAddress(x, host.Origin{File: e.File, Line: e.Line, OfLine: e.Record})
		}
		y.Examples = append(y.Examples, z)
	}
	return y
}

// ofKey is the number of the record among those that begin on a line.
const ofKey = "of"

// pairAddress returns the address of the page that shows what two runs have made of one record.
func pairAddress(x *state, of host.Origin) string {
	return x.bare("pair", atKey, of.String(), ofKey, number(int(of.OfLine)))
}

const pairTitle = "A record in both runs"

type pairPage struct {
	pageFrame
	Origin string
	Self   string // address of the page
	A, B   string // names of the runs
	Pairs  []pair
	Left   int
}

// A pair is a row of one run with that of the other, either of them nil where there is none.
type pair struct {
	Name    string
	A, B    *sideRow
	Same    bool
	Changes []change
	Rest    int
	Note    string
}

type sideRow struct {
	Line int64
	Link string // of rows of the first run
	JSON *node
	Text []textPiece
	Note string
}

const mostPairs = 12

func (s *Server) pair(w http.ResponseWriter, r *http.Request, x *state) error {
	v := r.URL.Query()
	if s.Against == nil {
		return errOneRun
	}
	file, line, err := parsePlace(v.Get(atKey))
	if err != nil {
		return err
	}
	of := host.Origin{File: file, Line: line}
	if text := v.Get(ofKey); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return wrong("%s: want a whole number, have %q", ofKey, text)
		}
		of.OfLine = uint32(n)
	}
	p := pairPage{
		pageFrame: s.frame(r, x, "compare", pairTitle), Origin: format.Printable(of.String()),
	}
	p.A, p.B = apart(s.Subject, s.Against)
	p.Live = !s.whole(r.Context()) // else a row that is not indexed yet is only in the other run
	p.Self, p.Again = pairAddress(x, of), p.Live
	a, err := s.index.ByOrigin(of)
	if err != nil {
		return err
	}
	b, err := s.against.ByOrigin(of)
	if err != nil {
		return err
	}
	if len(a)+len(b) == 0 && !p.Live {
		return wrong("want a record that one of the runs has made rows of, have %s", p.Origin)
	}
	if p.Origin, err = s.origins(of, a, b); err != nil {
		return err
	}
	for _, both := range weighty(align(a, b)) {
		if len(p.Pairs) == mostPairs {
			p.Left++
			continue
		}
		made, err := s.sides(r.Context(), x, both[0], both[1])
		if err != nil {
			return err
		}
		p.Pairs = append(p.Pairs, made)
	}
	return render(w, "pair.html", &p)
}

// whole waits while the rows of either run are indexed, as long as a page waits, and reports whether all are.
func (s *Server) whole(ctx context.Context) bool {
	waiting, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	return cmp.Or(s.index.Wait(waiting), s.against.Wait(waiting)) == nil
}

// origins names all records that the first row of either run was made of.
func (s *Server) origins(of host.Origin, a, b []rows.Row) (string, error) {
	for i, all := range [][]rows.Row{a, b} {
		if len(all) == 0 {
			continue
		}
		at, err := []*rows.Index{s.index, s.against}[i].MadeOf(all[0].ID)
		if err != nil || len(at) > 0 {
			return format.Places(at, 0), err
		}
	}
	return format.Printable(of.String()), nil
}

// align pairs the rows of two runs by file, in order. Rows without a partner are alone.
func align(a, b []rows.Row) (all [][2]*rows.Row) {
	var alone []*rows.Row
	for k := range b {
		alone = append(alone, &b[k])
	}
	for i := range a {
		both := [2]*rows.Row{&a[i]}
		if k := slices.IndexFunc(alone, func(row *rows.Row) bool { return row.Name == a[i].Name }); k >= 0 {
			both[1] = alone[k]
			alone = slices.Delete(alone, k, k+1)
		}
		all = append(all, both)
	}
	for _, row := range alone {
		all = append(all, [2]*rows.Row{nil, row})
	}
	return all
}

// weighty sorts pairs of rows by what people look for: first those that one run alone has, then rows that were kept before what steps noted
// about them, of which there may be more than a page shows.
func weighty(all [][2]*rows.Row) [][2]*rows.Row {
	rank := func(both [2]*rows.Row) int {
		if both[0] == nil || both[1] == nil {
			return -1
		}
		of := slices.IndexFunc(outcomes, func(outcome string) bool { return slices.Contains(both[0].Words("outcome"), outcome) })
		if of < 0 {
			return len(outcomes)
		}
		return of
	}
	slices.SortStableFunc(all, func(a, b [2]*rows.Row) int { return rank(a) - rank(b) })
	return all
}

func (s *Server) sides(ctx context.Context, x *state, a, b *rows.Row) (p pair, err error) {
	var of [2]content
	for i, row := range []*rows.Row{a, b} {
		if row == nil {
			continue
		}
		p.Name = format.Printable(row.Name)
		if of[i], err = s.content(ctx, []*rows.Index{s.index, s.against}[i], *row, x.shown); err != nil {
			return p, err
		}
	}
	var paths [2][]string // of what differs, in each
	switch left, right := of[0].json, of[1].json; {
	case a == nil || b == nil:
	case left == nil || right == nil || max(len(left), len(right)) > explain.MaxCompared:
		p.Note = "These rows cannot be compared value by value."
	default:
		parts, err := rundiff.Values(left, right)
		if err != nil {
			p.Note = "These rows cannot be compared: " + format.Printable(err.Error())
			break
		}
		found := explain.Changes(parts)
		p.Same = len(found) == 0
		for _, c := range found {
			if c.Kind != explain.Added {
				paths[0] = append(paths[0], c.Was)
			}
			if c.Kind != explain.Removed {
				paths[1] = append(paths[1], c.Path)
			}
		}
		p.Changes, p.Rest = changes(found, mostChanges)
	}
	if a != nil {
		p.A = side(x, a, &of[0], paths[0])
		p.A.Link = x.row(a.Name, a.Line)
	}
	if b != nil {
		p.B = side(x, b, &of[1], paths[1])
	}
	return p, nil
}

func side(x *state, row *rows.Row, c *content, paths []string) *sideRow {
	y := &sideRow{Line: row.Line}
	switch {
	case c.large:
		y.Note = "too large to be laid out"
	case c.unknown:
		y.Note = "cannot be shown masked"
	case c.json == nil:
		y.Text = around(c.text, nil)
	default:
		l := newLayout(nil, func(path string) string { return x.valueOf(row.Name, row.Line, path, 0) })
		l.mark(paths)
		n := l.value(gjson.ParseBytes(c.json), "", "", 0)
		y.JSON = &n
	}
	return y
}

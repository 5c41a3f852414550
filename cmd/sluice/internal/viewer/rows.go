package viewer

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
)

type rowsPage struct {
	pageFrame
	Items      []item
	From, To   int // of the rows on this page, from 1
	Len        int
	Prev, Next string
	Progress   string // "" when all is known
	Lost       int64
	Chosen     []chip // what the search asks for, each with the search without it
	Clear      string // the search without any of it
	Facets     []facet
	Hidden     [][2]string // of the form
	Where      string
	Sorts      []choice
	Down       bool
	Ranges     []span
	Heads      []head
	Trouble    []string // what is wrong with files
	Download   string   // address of all rows found, "" while they are not
	Repeated   bool     // several files may have a row of one record
	Records    int      // of the rows found, where that is so
}

type item struct {
	Name, Link         string
	Line               int64
	Kind               string
	Size, Turns, Calls int64
	Chips              []chip
	Anchor             string
	Asks, Answers, Hit []textPiece
	Wide               bool // Asks says all
}

// A facet is a column with the words that rows have in it, or with ranges of the numbers.
type facet struct {
	Name, Doc string
	Spread    *chart.Spread // of whole numbers
	Most      int64         // rows of the commonest word
	Words     []facetWord
	More      []facetWord // folded
	Rest      int         // that are left out
	Open      bool
}

// Folded is the facet with the words that are folded in place of the others.
func (f facet) Folded() facet {
	f.Words = f.More
	return f
}

type facetWord struct {
	Text, Link string
	Rows       int64
	On         bool
}

type choice struct {
	Value, Text string
	On          bool
}

type span struct{ Column, Doc, Min, Max string }

// A head is a column of the table that it can be sorted by.
type head struct {
	Text, Link, Sort string // Sort as ARIA has it
	Number           bool
}

// How many words of a facet are shown, and with those that are folded.
const (
	mostWords  = 8
	mostFolded = 200
)

// patience is how long a page waits for its whole answer, so that a quick one does not begin with "0 rows so far".
const patience = 150 * time.Millisecond

func (s *Server) rows(w http.ResponseWriter, r *http.Request, x *state) error {
	if hasEmpty(r.URL.Query()) {
		w.Header().Set("Location", x.with("rows", fromKey, number(x.from)))
		w.WriteHeader(http.StatusFound)
		return nil
	}
	repeated := s.Subject.Receipt != nil && !x.values.Has(inKey+"outcome") && !x.values.Has(inKey+"file")
	x.query.Records = repeated
	found, err := s.index.FindWithin(r.Context(), x.query, patience)
	if err != nil {
		return &wrongAddress{err.Error()}
	}
	l := rowsPage{pageFrame: s.frame(r, x, "rows", "Rows"), Len: found.Len(), Clear: s.only(x), Lost: found.Lost, Repeated: repeated, Records: found.Records()}
	if !found.Done {
		l.Live, l.Again, l.Progress = true, true, progress(&found.Progress)
	} else if l.Len > 0 {
		l.Download = x.with("download")
	}
	hit := hits(x.query.Text)
	listed, err := found.Page(x.from, pageRows)
	if err != nil {
		return err
	}
	for _, row := range listed {
		c, err := s.glance(r.Context(), row, x.shown)
		if err != nil {
			return err
		}
		one := item{
			Name: format.Printable(row.Name), Line: row.Line, Kind: row.Words("shape")[0], Link: x.row(row.Name, row.Line), Anchor: anchor(row.Name, row.Line),
			Size: sizeOf(&row, x.shown), Turns: row.Turns, Calls: row.Calls, Chips: s.chips(x, row, "code", "entity", "split", "beside"),
		}
		one.Asks, one.Answers, one.Hit = c.says(hit)
		one.Wide = one.Answers == nil
		l.Items = append(l.Items, one)
	}
	l.From, l.To = min(x.from+1, l.Len), min(x.from+pageRows, l.Len)
	if x.from > 0 {
		l.Prev = x.with("rows", fromKey, number(max(0, x.from-pageRows)))
	}
	if x.from+pageRows < l.Len {
		l.Next = x.with("rows", fromKey, number(x.from+pageRows))
	}
	s.form(&l, x)
	if err := s.facets(&l, x, found); err != nil {
		return err
	}
	for _, state := range s.index.States() {
		switch {
		case state.Err != nil:
			l.Trouble = append(l.Trouble, masked(state.Name+": "+state.Err.Error(), x.shown))
		case state.Changed != "":
			l.Trouble = append(l.Trouble, format.Printable(fmt.Sprintf("%s has %s since it was indexed", state.Name, state.Changed)))
		}
	}
	return render(w, "rows.html", &l)
}

// sizeOf returns how many bytes a row has, as it is shown.
func sizeOf(row *rows.Row, shown bool) int64 {
	if shown {
		return row.Size
	}
	return row.Shown
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func progress(p *rows.Progress) string {
	if !p.Indexed {
		return fmt.Sprintf("%s rows are indexed", plural.Count(p.Of))
	}
	return fmt.Sprintf("%s of %s rows are searched", plural.Count(p.Rows), plural.Count(p.Of))
}

func (s *Server) form(l *rowsPage, x *state) {
	if all := x.values[whereKey]; len(all) > 0 {
		l.Where = format.Printable(all[len(all)-1])
	}
	by := x.values.Get(sortKey)
	l.Down = x.query.Order.Descending
	l.Sorts = []choice{{"", "file and line", by == ""}}
	for _, c := range rows.Columns() {
		l.Sorts = append(l.Sorts, choice{c.Name, c.Name, by == c.Name})
		if c.Number {
			l.Ranges = append(l.Ranges, span{c.Name, c.Doc, x.values.Get(minKey + c.Name), x.values.Get(maxKey + c.Name)})
		}
	}
	if p := x.query.Order.Path; p != "" {
		l.Sorts = append(l.Sorts, choice{by, format.Printable(p), true})
	}
	for _, key := range []struct {
		column, text string
		number       bool
	}{{"file", "Row", false}, {"", "Question", false}, {"", "Answer", false}, {"turns", "Turns", true}, {"calls", "Calls", true}, {"size", "Size", true}} {
		h := head{Text: key.text, Number: key.number}
		if key.column != "" {
			h.Link = x.with("rows", sortKey, key.column, downKey, map[bool]string{true: "1"}[key.number && (by != key.column || !l.Down)])
		}
		if key.column != "" && by == key.column {
			h.Sort = map[bool]string{true: "descending", false: "ascending"}[l.Down]
		}
		l.Heads = append(l.Heads, h)
	}
	for _, key := range slices.Sorted(maps.Keys(x.values)) {
		isField := slices.Contains([]string{textKey, whereKey, sortKey, downKey}, key) ||
			strings.HasPrefix(key, minKey) || strings.HasPrefix(key, maxKey)
		for i, value := range x.values[key] {
			if !isField || key == whereKey && i < len(x.values[key])-1 {
				l.Hidden = append(l.Hidden, [2]string{key, value})
			}
			if chip, ok := s.asked(x, key, value); ok {
				l.Chosen = append(l.Chosen, chip)
			}
		}
	}
}

// asked describes a part of the search, and links to the search without it.
func (s *Server) asked(x *state, key, value string) (c chip, ok bool) {
	c.Link = x.toggled(key, value)
	column, isWord := strings.CutPrefix(key, inKey)
	least, isMin := strings.CutPrefix(key, minKey)
	most, isMax := strings.CutPrefix(key, maxKey)
	switch {
	case key == textKey:
		c.Text = "text " + value
	case key == whereKey:
		c.Text = value
	case isWord:
		word := s.words(column, []string{value}, x.shown)[0]
		if word == "" {
			word = "none"
		}
		c.Text = column + " " + word
	case isMin:
		c.Text = "at least " + value + " " + least
	case isMax:
		c.Text = "at most " + value + " " + most
	default:
		return c, false
	}
	c.Text = masked(c.Text, x.shown)
	return c, true
}

func (s *Server) facets(l *rowsPage, x *state, found *rows.Found) error {
	var spread []facet // behind the words
	for _, c := range rows.Columns() {
		if c.Number {
			if found.Done && !x.query.Records { // of all files together numbers say nothing
				f, err := numbers(x, c, found)
				if err != nil {
					return err
				}
				if f != nil {
					spread = append(spread, *f)
				}
			}
			continue
		}
		all := found.Facets(c.Name)
		key := inKey + c.Name
		f := facet{Name: c.Name, Doc: c.Doc, Open: len(x.values[key]) > 0 || slices.Contains([]string{"file", "outcome", "code", "entity", "split", "shape"}, c.Name)}
		var asked []string
		for _, in := range x.query.In {
			if in.Column == c.Name {
				asked = in.Words
			}
		}
		words := 0
		for _, w := range all {
			on := slices.Contains(asked, w.Word)
			f.Most = max(f.Most, int64(w.Rows))
			if w.Word != "" {
				words++
			}
			if len(f.Words)+len(f.More) >= mostFolded && !on {
				f.Rest++
				continue
			}
			fw := facetWord{Text: masked(w.Word, x.shown), Link: x.toggled(key, s.spell(c.Name, w.Word)), Rows: int64(w.Rows), On: on}
			if w.Word == "" {
				fw.Text = "none"
			}
			if len(f.Words) < mostWords || on {
				f.Words = append(f.Words, fw)
			} else {
				f.More = append(f.More, fw)
			}
		}
		if words > 0 && (len(all) > 1 || len(x.values[key]) > 0) {
			l.Facets = append(l.Facets, f)
		}
	}
	l.Facets = append(l.Facets, spread...)
	return nil
}

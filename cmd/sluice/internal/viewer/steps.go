package viewer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
)

// A stepLayout shows what one node of the pipeline made of a record.
type stepLayout struct {
	Depth    int
	Block    string // a block that begins here, and nothing else
	Name     string
	Verdict  string
	Class    string // of its chip
	Message  string
	Notes    []string
	Labels   []string
	Changes  []change
	Rest     int // changes that are left out
	Counts   []string
	Rows     []besideStep
	RowsLeft int
	Folded   []stepLayout // steps that all have declined
}

// A change is one difference, with long values cut to where they differ.
type change struct {
	What, Path, From string
	Old, New         []textPiece
}

type besideStep struct{ Output, Row string }

// Limits of what is shown of a step.
const (
	mostChanges = 60
	mostRows    = 12
	mostValue   = 300 // characters of a value
)

// steps lays out the path through the pipeline of the record that a row comes of, the last of its line.
func (s *Server) steps(ctx context.Context, row rows.Row, shown bool) (stops []stepLayout, note string, err error) {
	if err := acquire(ctx, s.live); err != nil {
		return nil, "", err
	}
	defer release(s.live)
	x, pick, err := s.trace(ctx, row)
	if x == nil || len(x.Records) < len(pick.Records) {
		return nil, "", err
	}
	var v *mask.Values
	if !shown {
		v = mask.NewValues(x)
	}
	all := explain.New(x, v, pick)
	record := &all.Records[len(pick.Records)-1]
	var within []string
	known := map[string]string{} // labels that were shown already
	for i := range record.Passages {
		p := &record.Passages[i]
		for k, block := range p.Within {
			if (k >= len(within) || !slices.Equal(within[:k+1], p.Within[:k+1])) && !strings.HasPrefix(block, "route ") {
				stops = append(stops, stepLayout{Depth: k, Block: block})
			}
		}
		within = p.Within
		stops = append(stops, stopOf(p, known))
	}
	stops = foldIdle(stops)
	if len(all.Last) > 0 {
		stops = append(stops, stepLayout{Block: "after the last record"})
	}
	for i := range all.Last {
		stops = append(stops, stopOf(&all.Last[i], known))
	}
	return stops, record.Note, err
}

// foldIdle folds steps behind each other that all declined a record, or all left it as it was, and said nothing else.
func foldIdle(stops []stepLayout) (all []stepLayout) {
	idle := func(x *stepLayout) bool {
		return (x.Verdict == "declined" || x.Verdict == "unchanged" && x.Message == "") && len(x.Notes)+len(x.Labels)+len(x.Changes)+len(x.Counts)+len(x.Rows) == 0
	}
	for i := 0; i < len(stops); {
		n := 0
		for i+n < len(stops) && idle(&stops[i+n]) && stops[i+n].Verdict == stops[i].Verdict && stops[i+n].Depth == stops[i].Depth {
			n++
		}
		if n < leastIdle {
			all = append(all, stops[i])
			i++
			continue
		}
		fold := stepLayout{Depth: stops[i].Depth, Name: plural.Of(n, "step"), Verdict: stops[i].Verdict, Folded: stops[i : i+n]}
		all = append(all, fold)
		i += n
	}
	return all
}

// leastIdle is how many steps behind each other are folded.
const leastIdle = 3

func stopOf(p *explain.Visit, known map[string]string) stepLayout {
	x := stepLayout{Depth: len(p.Within), Name: p.Kind + " " + p.Name, Verdict: p.Verdict, Message: format.Printable(p.Message)}
	switch {
	case p.Kind == "dead_letter":
		x.Name, x.Verdict, x.Class = "dead letter", "rejected by "+p.Name, "bad"
	case p.Kind == "route" && p.Branch == "none":
		x.Verdict, x.Class = "no case, and no default", "bad"
	case p.Kind == "route":
		x.Verdict = p.Branch
	case p.Kind == "sink":
		x.Verdict, x.Class = "written", "good"
	case p.Verdict == "rejected":
		x.Class = "bad"
	case p.Verdict == "dropped":
		x.Class = "warn"
	case p.Verdict == "emitted":
		x.Class = "accent"
	case p.Verdict == "made":
		x.Verdict, x.Class = "made after the last record", "accent"
	}
	if p.Code != "" {
		x.Message = format.Printable(strings.TrimPrefix(strings.Join([]string{p.Code, p.Path, p.Message}, ": "), ": "))
		x.Message = strings.ReplaceAll(x.Message, ": : ", ": ")
	}
	if p.File != "" {
		x.Notes = append(x.Notes, "to "+format.Printable(p.File))
	}
	for _, note := range []string{p.Means, p.Note} {
		if note != "" {
			x.Notes = append(x.Notes, format.Printable(note))
		}
	}
	x.labels(p.Labels, known)
	for i := range p.Emitted {
		x.emitted(&p.Emitted[i], i, p.Records, known)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Counts)) {
		x.Counts = append(x.Counts, name+" "+plural.Count(p.Counts[name]))
	}
	for i, row := range p.Rows {
		if i == mostRows {
			x.RowsLeft = len(p.Rows) - i
			break
		}
		x.Rows = append(x.Rows, besideStep{row.Output, format.Printable(format.Cut(string(row.Row), 2*mostValue))})
	}
	return x
}

func (x *stepLayout) labels(labels, known map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if value, ok := known[name]; !ok || value != labels[name] {
			known[name] = labels[name]
			x.Labels = append(x.Labels, format.Printable(name+" = "+format.Cut(labels[name], 60)))
		}
	}
}

// emitted adds how an emitted record differs from the one that came.
func (x *stepLayout) emitted(e *explain.State, i, of int, known map[string]string) {
	if of > 1 {
		x.Notes = append(x.Notes, fmt.Sprintf("record %d of %d: %s", i+1, of, format.Size(int64(e.Bytes))))
	}
	if len(e.Origins) > 1 {
		x.Notes = append(x.Notes, "of "+format.Places(e.Origins, e.MoreOrigins))
	}
	if e.Note != "" {
		x.Notes = append(x.Notes, format.Printable(e.Note))
	}
	x.labels(e.Labels, known)
	all, rest := changes(e.Changes, mostChanges-len(x.Changes))
	x.Changes, x.Rest = append(x.Changes, all...), x.Rest+rest
}

// changes lays out the first of some changes, and returns how many it leaves out.
func changes(from []explain.Change, most int) (all []change, rest int) {
	for i, c := range from {
		if i >= most {
			return all, len(from) - i
		}
		y := change{Path: format.Printable(cmp.Or(c.Path, "the record")), From: format.Printable(c.From)}
		was, is := explain.Quoted(c.Old), explain.Quoted(c.New)
		switch c.Kind {
		case explain.Added:
			y.What, y.New = "added", short(is)
		case explain.Removed:
			y.What, y.Old = "removed", short(was)
		case explain.Moved:
			y.What, y.New = "moved", short(is)
		default:
			y.What = "changed"
			if max(len(was), len(is)) > mostValue {
				was, is = explain.Middle(was, is, 40)
			}
			y.Old, y.New = short(was), short(is)
		}
		all = append(all, y)
	}
	return all, 0
}

func short(text string) []textPiece {
	first, rest := cutAt(text, mostValue)
	if rest != "" {
		first += "… " + format.Size(int64(len(text)))
	}
	return pieces(first, nil)
}

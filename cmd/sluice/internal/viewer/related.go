package viewer

import (
	"context"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/trace"
)

// A relatedRow comes of the same record as another row.
type relatedRow struct {
	Name, Kind string
	Line       int64
	Link       string
	Here       bool // it is the row at hand
	What       []chip
	Summary    []textPiece
	Twin       *relatedRow
}

type chip struct{ Text, Class, Link string }

const (
	mostRelated     = 40
	mostRelatedRead = 256 << 10 // bytes
)

// relatedRows returns the rows that come of the same record as a row, and how many are left out.
func (s *Server) relatedRows(ctx context.Context, x *state, row rows.Row) (all []relatedRow, left int, err error) {
	if row.Origin == nil {
		return nil, 0, nil
	}
	others, err := s.index.ByOrigin(*row.Origin)
	for i, other := range others {
		if i == mostRelated {
			return all, len(others) - i, nil
		}
		k := relatedRow{
			Name: format.Printable(other.Name), Kind: other.Words("shape")[0], Line: other.Line, Link: x.row(other.Name, other.Line),
			Here: other.ID == row.ID, What: s.chips(x, other, "code", "entity", "split"),
		}
		if other.Size <= mostRelatedRead {
			c, err := s.glance(ctx, other, x.shown)
			if err != nil {
				return nil, 0, err
			}
			s.summarize(x, &k, &c)
		}
		all = append(all, k)
	}
	return all, 0, err
}

// summarize notes the message of a reject, the path of a finding, or the twin of a duplicate.
func (s *Server) summarize(x *state, k *relatedRow, c *content) {
	v := gjson.ParseBytes(c.json)
	switch {
	case c.unread:
		k.Summary, _, _ = c.says(nil)
	case v.Get("message").Type == gjson.String:
		k.Summary = around(v.Get("message").Str, nil)
	case v.Get("path").Type == gjson.String && v.Get("entity").Exists():
		k.Summary = around("at "+v.Get("path").Str, nil)
	case v.Get("twin_file").Exists():
		k.Summary = around(v.Get("kind").Str+" duplicate", nil)
		twins, _ := s.index.ByOrigin(host.Origin{File: v.Get("twin_file").Str, Line: v.Get("twin_line").Int()})
		for _, twin := range twins {
			if !slices.ContainsFunc(twin.Words("shape"), rows.IsAbout) {
				k.Twin = &relatedRow{Name: format.Printable(twin.Name), Line: twin.Line, Link: x.row(twin.Name, twin.Line)}
				break
			}
		}
	}
}

func (s *Server) chips(x *state, row rows.Row, columns ...string) (all []chip) {
	for _, column := range columns {
		words := row.Words(column)
		if !x.shown {
			words = row.MaskedWords(column)
		}
		for i, word := range words {
			if i == 3 {
				break
			}
			c := chip{Text: masked(word, x.shown), Link: s.only(x, inKey+column, word)}
			switch column {
			case "beside":
				c.Text = "has " + c.Text
			case "code":
				c.Class = "bad"
			case "entity":
				c.Class = "warn"
			}
			all = append(all, c)
		}
	}
	return all
}

// mostOfLine is how many records of a line are sent through the pipeline for the last of them.
const mostOfLine = 100

// trace sends the record that a row comes of through the pipeline, as the last of those that begin on its line, and returns what was sent.
func (s *Server) trace(ctx context.Context, row rows.Row) (*trace.Trace, trace.Selection, error) {
	none := trace.Selection{}
	var w trace.Input
	var ofLine uint32
	if row.Origin != nil {
		w.File, w.Line, ofLine = row.Origin.File, row.Origin.Line, row.Origin.OfLine
	}
	switch {
	case slices.Contains(row.Words("shape"), rows.RejectShape) && row.Size <= mostWhole:
		text, err := s.index.Read(ctx, row.ID)
		if err != nil {
			return nil, none, err
		}
		if _, err := os.Stat(w.File); err != nil || ofLine == 0 {
			reject := explain.ReadReject(gjson.ParseBytes(text))
			return explain.Explainer(s.Explain).Rejects(ctx, []explain.Reject{reject}, s.Subject.Receipt)
		}
	case row.Shared:
		return nil, none, wrong("want an input that has a name of its own, have several of the name %s", format.Printable(row.Origin.File))
	case row.Origin == nil:
		return nil, none, wrong("want a row of which the record is known that it comes of, have %s:%d", row.Name, row.Line)
	}
	if ofLine >= mostOfLine {
		return nil, none, wrong("want one of the first %d records of a line, have record %d", mostOfLine, ofLine+1)
	}
	pick := trace.Selection{Records: slices.Repeat([]trace.Input{w}, int(ofLine)+1)}
	x, err := s.Explain(ctx, pick)
	return x, pick, err
}

package viewer

import (
	"context"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

const mostPiece = 64 << 10

type valuePage struct {
	pageFrame
	Name       string
	Line       int64
	Path       string
	From, To   int // bytes of Size, from 0
	Size       int
	Text       []textPiece
	Prev, Next string
	Row        string // address of the row
	Copy       string // address of the value as text
	Large      bool   // too large to be masked, so that nothing of it is here
}

func (x *state) valueOf(name string, line int64, path string, byte int) string {
	return x.bare("value", atKey, place(name, line), pathKey, path, "byte", number(byte))
}

func (s *Server) value(w http.ResponseWriter, r *http.Request, x *state) error {
	v := r.URL.Query()
	row, err := find(r.Context(), s.index, v.Get(atKey))
	if err != nil {
		return err
	}
	from := 0
	if text := v.Get("byte"); text != "" {
		if from, err = strconv.Atoi(text); err != nil || from < 0 {
			return wrong("byte: want a whole number, have %q", text)
		}
	}
	path := v.Get(pathKey)
	if err := rows.CheckPath(path); err != nil {
		return wrong("path: %v", err)
	}
	p := valuePage{
		pageFrame: s.frame(r, x, "rows", row.Name+":"+number(int(row.Line))), Name: format.Printable(row.Name), Line: row.Line,
		Path: format.Printable(path), Row: x.row(row.Name, row.Line),
		Copy: x.bare("raw", atKey, place(row.Name, row.Line), pathKey, path),
	}
	if row.Size > mostWhole && !x.shown {
		p.Large = true
		return render(w, "value.html", &p)
	}
	text, err := s.valueText(r.Context(), row, path, x.shown)
	if err != nil {
		return err
	}
	p.Size = len(text)
	p.From, p.To = pieceAt(text, from)
	p.Text = pieces(text[p.From:p.To], nil)
	if p.From > 0 {
		p.Prev = x.valueOf(row.Name, row.Line, path, max(0, p.From-mostPiece))
	}
	if p.To < p.Size {
		p.Next = x.valueOf(row.Name, row.Line, path, p.To)
	}
	return render(w, "value.html", &p)
}

// valueText returns a value of a row, or the row where the path is empty: of a string its decoded text, of anything else its JSON.
func (s *Server) valueText(ctx context.Context, row rows.Row, path string, shown bool) (string, error) {
	if err := acquire(ctx, s.large); err != nil {
		return "", err
	}
	defer release(s.large)
	c, err := whole(ctx, s.index, row, shown)
	switch {
	case err != nil:
		return "", err
	case c.unknown:
		return "", wrong("something in this row cannot be masked, so it is not shown")
	case c.json == nil:
		return c.text, nil
	case path == "":
		return string(c.json), nil
	}
	v := gjson.GetBytes(c.json, path)
	if !v.Exists() {
		return "", wrong("path: want one that leads to a value of the row, have %q", path)
	}
	if v.Type == gjson.String {
		return v.Str, nil
	}
	return v.Raw, nil
}

// pieceAt returns where the piece of a text begins that is shown from a byte on, and where it ends.
func pieceAt(text string, from int) (begin, end int) {
	return runeStart(text, min(len(text), from)), runeStart(text, min(len(text), from+mostPiece))
}

func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

package viewer

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
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
	Large      bool   // too large to be masked, so that nothing of it is here
}

func (x *state) valueOf(name string, line int64, path string, byte int) string {
	return x.bare("value", atKey, fmt.Sprintf("%s:%d", name, line), "path", path, "byte", number(byte))
}

func (s *Server) value(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	x, row, err := s.readRow(v)
	if err != nil {
		return err
	}
	from := 0
	if text := v.Get("byte"); text != "" {
		if from, err = strconv.Atoi(text); err != nil || from < 0 {
			return wrong("byte: want a whole number, have %q", text)
		}
	}
	path := v.Get("path")
	if err := rows.CheckPath(path); err != nil {
		return wrong("path: %v", err)
	}
	p := valuePage{
		pageFrame: s.frame(r, x, "rows", row.Name+":"+number(int(row.Line))), Name: format.Printable(row.Name), Line: row.Line,
		Path: format.Printable(path), Row: x.row(row.Name, row.Line),
	}
	if row.Size > mostWhole && !x.shown {
		p.Large = true
		return render(w, "value.html", &p)
	}
	part, err := s.valuePart(r.Context(), row, path, from, x.shown)
	if err != nil {
		return err
	}
	p.From, p.To, p.Size, p.Text = part.from, part.to, part.size, pieces(part.text, nil)
	if p.From > 0 {
		p.Prev = x.valueOf(row.Name, row.Line, path, max(0, p.From-mostPiece))
	}
	if p.To < p.Size {
		p.Next = x.valueOf(row.Name, row.Line, path, p.To)
	}
	return render(w, "value.html", &p)
}

type valuePart struct {
	text           string
	from, to, size int
}

// valuePart returns a part of a value: of a string its decoded text,
// of anything else its JSON.
func (s *Server) valuePart(ctx context.Context, row rows.Row, path string, from int, shown bool) (valuePart, error) {
	if err := acquire(ctx, s.large); err != nil {
		return valuePart{}, err
	}
	defer release(s.large)
	whole, err := s.index.Read(ctx, row.ID)
	if err != nil {
		return valuePart{}, err
	}
	all := string(whole)
	switch {
	case shown:
	case row.JSON:
		masked := mask.Row(whole)
		if string(masked) == "null" && all != "null" {
			return valuePart{}, wrong("something in this row cannot be masked, so it is not shown")
		}
		all = string(masked)
	default:
		all = mask.Text(all)
	}
	if row.JSON && path != "" {
		v := gjson.Get(all, path)
		if !v.Exists() {
			return valuePart{}, wrong("path: want one that leads to a value of the row, have %q", path)
		}
		if all = v.Raw; v.Type == gjson.String {
			all = v.Str
		}
	}
	a, b := runeStart(all, min(len(all), from)), runeStart(all, min(len(all), from+mostPiece))
	return valuePart{all[a:b], a, b, len(all)}, nil
}

func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

package view

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/index"
	"github.com/sluicehq/sluice/cmd/sluice/internal/look"
	"github.com/sluicehq/sluice/cmd/sluice/internal/veil"
)

// mostPiece is how many bytes of a long value one page shows.
const mostPiece = 64 << 10

// A reading is the page of a part of a value.
type reading struct {
	frame
	Name        string
	Line        int64
	Path        string
	From, To    int // bytes of Size, from 0
	Size        int
	Text        []piece
	Prev, Next  string
	Row         string // address of the row
	First, Last string
}

// valueOf is the address of a part of a value in a row.
func (x *state) valueOf(name string, line int64, path string, byte int) string {
	v := url.Values{atKey: {name + ":" + strconv.FormatInt(line, 10)}}
	if path != "" {
		v.Set("path", path)
	}
	if byte > 0 {
		v.Set("byte", strconv.Itoa(byte))
	}
	if x.shown {
		v.Set(valuesKey, asShown)
	}
	return "value?" + v.Encode()
}

func (s *Server) value(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	x, err := s.read(v)
	if err != nil {
		return err
	}
	row, err := find(s.index, v.Get(atKey))
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
	text, size, from, err := s.stretch(r.Context(), row, path, from, x.shown)
	if err != nil {
		return err
	}
	p := reading{
		frame: s.frame(r, x, "rows", row.Name+":"+number(int(row.Line))), Name: look.Printable(row.Name), Line: row.Line,
		Path: look.Printable(path), From: from, To: min(size, from+mostPiece), Size: size, Text: pieces(text, nil),
		Row: x.row(row.Name, row.Line),
	}
	if from > 0 {
		p.Prev = x.valueOf(row.Name, row.Line, path, max(0, from-mostPiece))
	}
	if p.To < size {
		p.Next = x.valueOf(row.Name, row.Line, path, p.To)
	}
	return render(w, "value.html", &p)
}

// stretch gives a part of a value, masked unless values are shown: of a string what it says, of anything else its JSON. It gives
// the size of the whole, too, and where the part begins.
func (s *Server) stretch(ctx context.Context, row index.Row, path string, from int, shown bool) (text string, size, begins int, err error) {
	if err := take(ctx, s.large); err != nil {
		return "", 0, 0, err
	}
	defer release(s.large)
	whole, err := s.index.Read(ctx, row.ID)
	if err != nil {
		return "", 0, 0, err
	}
	if len(whole) <= mostWhole && row.JSON && !shown {
		masked := veil.Row(whole)
		if string(masked) == "null" && string(whole) != "null" {
			return "", 0, 0, wrong("something in this row cannot be masked, so it is not shown")
		}
		whole, shown = masked, true
	}
	all := string(whole)
	if row.JSON && path != "" {
		v := gjson.GetBytes(whole, path)
		if !v.Exists() {
			return "", 0, 0, wrong("path: want one that leads to a value of the row, have %q", path)
		}
		if all = v.Raw; v.Type == gjson.String {
			all = v.Str
		}
	}
	from = min(from, len(all))
	if shown {
		a, b := runeStart(all, from), runeStart(all, min(len(all), from+mostPiece))
		return all[a:b], len(all), from, nil
	}
	a, b := seam(all, from), seam(all, min(len(all), from+mostPiece))
	return veil.Text(all[a:b]), len(all), from, nil
}

func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// seam moves a place in a text to one near by that no personal value is likely to lie across: the end of a string or of a line.
func seam(text string, at int) int {
	const near = 4 << 10
	if at == 0 || at == len(text) {
		return at
	}
	window := text[at:min(len(text), at+near)]
	for _, ends := range []string{`"`, "\n", `\n`, " "} {
		if i := strings.Index(window, ends); i >= 0 {
			return at + i + len(ends)
		}
	}
	return runeStart(text, at)
}

package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// Views of a row.
const (
	asTalk   = "talk"
	asJSON   = "json"
	asTokens = "tokens"
	asSteps  = "steps"
)

type rowPage struct {
	pageFrame
	Name               string
	Line               int64
	Size, Turns, Calls int64
	Kind               string
	Shared             bool // several inputs have the name in Origin
	Origin             string
	Chips              []chip
	Prev, Next         string
	Place, Of          int // in the search, from 1; 0 when it is not there
	Tabs               []tab
	Note               string // why there is no more
	Raw                string // address of the row in parts
	Talk               *conversationLayout
	JSON               *node
	Path, PathRaw      string // of the value that the address asks for, and its address as text
	PathNote           string
	At                 *node  // the value, where it is not marked in the JSON
	Copy               string // address of the row as text
	Row                string // FILE:LINE, for addresses
	Plain              *foldedText
	Tokens             *tokens
	Stops              []stepLayout
	StopsNote          string
	Related            []relatedRow
	RelatedLeft        int
	Against            string // address of the same record in the other run
}

type tab struct {
	Text, Link string
	Here       bool
}

// tokens is a row as a model reads it, rendered by a template.
type tokens struct {
	Templates []tab
	Segments  []tokenSegment
	Losses    []string
	Trained   int // of 100 characters
	Exact     bool
	Cut       int // characters that are left out
}

type tokenSegment struct {
	Trained bool
	Text    []textPiece
}

func (s *Server) row(w http.ResponseWriter, r *http.Request, x *state) error {
	v := r.URL.Query()
	row, err := find(r.Context(), s.index, v.Get(atKey))
	if err != nil {
		return err
	}
	as := v.Get(asKey)
	p := rowPage{
		pageFrame: s.frame(r, x, "rows", row.Name+":"+number(int(row.Line))), Name: format.Printable(row.Name), Line: row.Line, Size: sizeOf(&row, x.shown),
		Turns: row.Turns, Calls: row.Calls, Chips: s.chips(x, row, "code", "entity", "split", "task", "source", "quality", "adapter", "model"),
		Kind: row.Words("shape")[0], Raw: x.valueOf(row.Name, row.Line, "", 0),
		Row:  place(row.Name, row.Line),
		Copy: x.bare("raw", atKey, place(row.Name, row.Line)),
	}
	if err := s.neighbours(&p, x, row, as); err != nil {
		return err
	}
	c, err := s.content(r.Context(), s.index, row, x.shown)
	if err != nil {
		return err
	}
	if err := s.fill(r.Context(), &p, x, row, &c, v); err != nil {
		return err
	}
	if row.Origin != nil {
		name := row.Origin.File
		if !x.shown { // a row may name any file
			name = mask.Name(name)
		}
		p.Origin, p.Shared = format.Printable(name+":"+number(int(row.Origin.Line))), row.Shared
		of, err := s.index.MadeOf(row.ID)
		if err != nil {
			return err
		}
		if len(of) > 0 {
			p.Origin = format.Places(of, 0)
		}
		if s.Against != nil && !row.Shared {
			p.Against = pairAddress(x, *row.Origin)
		}
	}
	if p.Related, p.RelatedLeft, err = s.relatedRows(r.Context(), x, row); err != nil {
		return err
	}
	return render(w, "row.html", &p)
}

// mostWait is how long a page waits for its row to be indexed.
const mostWait = 5 * time.Second

// find returns the row at a place, for which it waits while its file is indexed.
func find(ctx context.Context, x *rows.Index, at string) (row rows.Row, err error) {
	name, line, err := parsePlace(at)
	if err != nil {
		return row, err
	}
	waiting, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	return x.At(waiting, name, line)
}

// neighbours finds the previous and the next row of the search in the address.
func (s *Server) neighbours(p *rowPage, x *state, row rows.Row, as string) error {
	found, err := s.index.Find(x.query)
	if err != nil {
		return &wrongAddress{err.Error()}
	}
	p.Of = found.Len()
	p.Live = !found.Done && as != asSteps && as != asTokens // those are not made again and again
	at, err := found.Place(row.ID)
	if at < 0 || err != nil {
		return err
	}
	p.Place = at + 1
	p.Rows = x.with("rows", fromKey, number(at/pageRows*pageRows)) + "#" + anchor(row.Name, row.Line)
	for _, next := range []struct {
		at   int
		link *string
	}{{at - 1, &p.Prev}, {at + 1, &p.Next}} {
		if next.at < 0 {
			continue
		}
		others, err := found.Page(next.at, 1)
		if err != nil {
			return err
		}
		for _, other := range others {
			*next.link = x.row(other.Name, other.Line, asKey, as)
		}
	}
	return nil
}

// fill lays out the row in the view that is asked for.
func (s *Server) fill(ctx context.Context, p *rowPage, x *state, row rows.Row, c *content, v url.Values) error {
	as := v.Get(asKey)
	var read *conversation.Conversation
	if c.json != nil {
		if read = conversation.Read(c.json); read.Shape == "" && read.Reject == nil {
			read = nil
		}
	}
	if as == "" || as == asTalk && read == nil {
		if as = asJSON; read != nil {
			as = asTalk
		}
	}
	for _, t := range []struct {
		as, text string
		has      bool
	}{
		{asTalk, "Conversation", read != nil}, {asJSON, "JSON", true}, {asTokens, "Token text", len(s.Templates) > 0},
		{asSteps, "Path through the steps", s.Explain != nil},
	} {
		if t.has {
			p.Tabs = append(p.Tabs, tab{t.text, x.row(row.Name, row.Line, asKey, t.as), as == t.as})
		}
	}
	switch as {
	case asSteps:
		return s.fillSteps(ctx, p, x, row)
	case asTokens:
		if len(s.Templates) == 0 {
			return wrong("want a chat template: start sluice view with --template PATH")
		}
		return s.tokens(ctx, p, x, row, c, v.Get("template"))
	case asTalk:
		return p.fillContent(x, row, c, read, v)
	case asJSON:
		return p.fillContent(x, row, c, nil, v)
	}
	return wrong("as: want talk, json, tokens or steps, have %q", as)
}

// fillSteps lays out what each step did to the record of the row.
func (s *Server) fillSteps(ctx context.Context, p *rowPage, x *state, row rows.Row) error {
	if s.Explain == nil {
		return wrong("want a folder with a receipt, which names the pipeline; have only rows")
	}
	var err error
	p.Stops, p.StopsNote, err = s.steps(ctx, row, x.shown)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		p.Note = masked(err.Error(), x.shown)
	}
	return nil
}

// fillContent lays out the row as the conversation that was read of it, or as JSON when that is nil.
func (p *rowPage) fillContent(x *state, row rows.Row, c *content, talk *conversation.Conversation, v url.Values) error {
	hit := hits(x.query.Text)
	more := func(path string) string { return x.valueOf(row.Name, row.Line, path, 0) }
	switch {
	case c.large:
		p.Note = "This row is too large to be laid out."
	case c.unknown:
		p.Note = "Something in this row cannot be masked, so it is not shown."
	case c.json == nil:
		plain := foldText(c.text, hit, more(""))
		p.Plain, p.Note = &plain, "This line is not JSON."
	case talk != nil:
		turn, err := strconv.ParseUint(cmp.Or(v.Get(turnKey), "0"), 10, 31)
		if err != nil {
			return wrong("%s: want a whole number, have %q", turnKey, v.Get(turnKey))
		}
		l := &turnLayout{hit: hit, more: more, json: func(path string) string { return x.valueAt(row.Name, row.Line, path) }}
		l.turn = func(n int) string {
			return fmt.Sprintf("%s#turn-%d", x.row(row.Name, row.Line, asKey, asTalk, turnKey, number(n)), n)
		}
		p.Talk = l.page(talk, int(turn))
	default:
		return p.tree(x, row, c, hit, more, v.Get(pathKey))
	}
	return nil
}

// mostShort is how many bytes a row has that is shown with all of its values.
const mostShort = 8 << 10

// tree lays out the JSON of the row, with the value at a path marked.
func (p *rowPage) tree(x *state, row rows.Row, c *content, hit *regexp.Regexp, more func(string) string, path string) error {
	if err := rows.CheckPath(path); err != nil {
		return wrong("path: %v", err)
	}
	l := newLayout(hit, more)
	l.open = len(c.json) <= mostShort
	l.link = func(path string) string { return x.valueAt(row.Name, row.Line, path) }
	l.aim(path)
	n := l.value(gjson.ParseBytes(c.json), "", "", 0)
	p.JSON = &n
	if path == "" {
		return nil
	}
	p.Path, p.PathRaw = format.Printable(path), x.bare("raw", atKey, place(row.Name, row.Line), pathKey, path)
	if !l.met { // a query, or a path in another spelling
		p.PathNote = "No value of the row has this path."
		if v := gjson.GetBytes(c.json, path); v.Exists() {
			one := newLayout(hit, more)
			one.open = len(v.Raw) <= shortJSON
			n := one.value(v, "", path, 1)
			p.PathNote, p.At = "", &n
		}
	}
	return nil
}

// valueAt returns the address of the tree of a row with a value marked.
func (x *state) valueAt(name string, line int64, path string) string {
	return x.bare("row", atKey, place(name, line), asKey, asJSON, pathKey, path) + "#here"
}

const mostTokens = 200_000

func (s *Server) tokens(ctx context.Context, p *rowPage, x *state, row rows.Row, c *content, name string) error {
	p.Tokens = &tokens{}
	i := max(0, slices.IndexFunc(s.Templates, func(t Template) bool { return t.Name == name }))
	for k, t := range s.Templates {
		p.Tokens.Templates = append(p.Tokens.Templates, tab{format.Printable(t.Name), x.row(row.Name, row.Line, asKey, asTokens, "template", t.Name), k == i})
	}
	if c.json == nil {
		p.Note = "Only a row of JSON that can be shown as a whole has a token text."
		return nil
	}
	text := c.json
	if read := gjson.ParseBytes(text); conversation.Read(text).Reject != nil {
		text = []byte(read.Get("record").Raw)
	}
	if err := acquire(ctx, s.live); err != nil {
		return err
	}
	defer release(s.live)
	made, err := s.Templates[i].Render(ctx, text)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		p.Note = masked(err.Error(), x.shown)
		return nil
	}
	p.Tokens.fill(made, hits(x.query.Text))
	return nil
}

func (t *tokens) fill(made *Rendering, hit *regexp.Regexp) {
	all, trained, left := 0, 0, mostTokens
	for _, seg := range made.Segments {
		n := len([]rune(seg.Text))
		if all += n; seg.Trained {
			trained += n
		}
		text, rest := cutAt(seg.Text, left)
		left -= min(left, n)
		t.Cut += len([]rune(rest))
		if text != "" {
			t.Segments = append(t.Segments, tokenSegment{seg.Trained, pieces(text, hit)})
		}
	}
	t.Losses, t.Exact = made.Losses, made.Exact
	if all > 0 {
		t.Trained = 100 * trained / all
	}
}

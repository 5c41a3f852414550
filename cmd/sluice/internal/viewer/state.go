package viewer

import (
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// Keys and values of addresses.
const (
	textKey   = "q"
	whereKey  = "where" // PATH=VALUE
	sortKey   = "sort"  // a column, or a path behind pathSort
	downKey   = "down"  // 1: from the last to the first
	fromKey   = "from"  // the first row of the page, from 0
	valuesKey = "values"
	atKey     = "at" // FILE:LINE
	asKey     = "as"
	pathKey   = "path"
	turnKey   = "turn" // of a conversation, from 1
	inKey     = "in."  // and a column
	minKey    = "min."
	maxKey    = "max."

	pathSort = "path:"
	asShown  = "shown" // of valuesKey: personal values are not masked
)

const pageRows = 50

type state struct {
	values url.Values // of the search alone, and whether values are shown
	query  rows.Query
	from   int
	shown  bool
}

// read parses an address. Personal words are in it as hashes.
func (s *Server) read(v url.Values) (*state, error) {
	x := &state{values: url.Values{}, shown: v.Get(valuesKey) == asShown}
	if x.shown {
		x.values.Set(valuesKey, asShown)
	}
	x.query.Masked = !x.shown
	keep := func(key string, all ...string) {
		for _, value := range all {
			if value != "" || strings.HasPrefix(key, inKey) {
				x.values.Add(key, value)
			}
		}
	}
	keep(textKey, strings.TrimSpace(strings.ToValidUTF8(v.Get(textKey), "\uFFFD")))
	x.query.Text = x.values.Get(textKey)
	for _, text := range v[whereKey] {
		if text = strings.TrimSpace(text); text != "" {
			keep(whereKey, text)
			x.query.Paths = append(x.query.Paths, rows.ParsePathIs(text))
		}
	}
	for _, c := range rows.Columns() {
		if !c.Number {
			if words, ok := v[inKey+c.Name]; ok {
				keep(inKey+c.Name, words...)
				x.query.In = append(x.query.In, rows.In{Column: c.Name, Words: s.words(c.Name, words, x.shown)})
			}
			continue
		}
		b := rows.Between{Column: c.Name, Min: math.Inf(-1), Max: math.Inf(1)}
		for key, to := range map[string]*float64{minKey: &b.Min, maxKey: &b.Max} {
			text := strings.TrimSpace(v.Get(key + c.Name))
			if text == "" {
				continue
			}
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) {
				return nil, wrong("%s%s: want a number, have %q", key, c.Name, text)
			}
			*to = n
			keep(key+c.Name, text)
		}
		if !math.IsInf(b.Min, -1) || !math.IsInf(b.Max, 1) {
			x.query.Between = append(x.query.Between, b)
		}
	}
	return x, s.order(x, v, keep)
}

// order parses the order of rows, and the first row of the page.
func (s *Server) order(x *state, v url.Values, keep func(string, ...string)) error {
	if by := v.Get(sortKey); by != "" {
		path, isPath := strings.CutPrefix(by, pathSort)
		switch {
		case isPath && path != "":
			x.query.Order.Path = path
		case slices.ContainsFunc(rows.Columns(), func(c rows.Column) bool { return c.Name == by }):
			x.query.Order.Column = by
		default:
			return wrong("sort: want a column, or %sPATH, have %q", pathSort, by)
		}
		keep(sortKey, by)
	}
	if x.query.Order.Descending = v.Get(downKey) == "1"; x.query.Order.Descending {
		keep(downKey, "1")
	}
	if text := v.Get(fromKey); text != "" {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return wrong("from: want a whole number, have %q", text)
		}
		x.from = int(n)
	}
	return nil
}

// hasEmpty reports whether an address has fields that nobody has filled in, as forms send them.
func hasEmpty(v url.Values) bool {
	for key, all := range v {
		if !strings.HasPrefix(key, inKey) && slices.Contains(all, "") {
			return true
		}
	}
	return false
}

// searches reports whether anything is asked for.
func (x *state) searches() bool {
	return len(x.values) > 1 || len(x.values) == 1 && !x.values.Has(valuesKey)
}

// with returns the address of a page with the same search, changed by pairs of a key and its value, "" to remove it.
func (x *state) with(page string, pairs ...string) string {
	v := maps.Clone(x.values)
	for i := 0; i+1 < len(pairs); i += 2 {
		if v.Del(pairs[i]); pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return page
	}
	return page + "?" + v.Encode()
}

// toggled returns the address of the search with a value of a key added, or removed when it is there.
func (x *state) toggled(key, value string) string {
	v := maps.Clone(x.values)
	if i := slices.Index(v[key], value); i >= 0 {
		v[key] = slices.Delete(slices.Clone(v[key]), i, i+1)
	} else {
		v[key] = append(slices.Clip(v[key]), value)
	}
	if len(v[key]) == 0 {
		v.Del(key)
	}
	return strings.TrimSuffix("rows?"+v.Encode(), "?")
}

// only returns the address of a search for one word of a column, with values shown or masked as here.
func (s *Server) only(x *state, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if column, ok := strings.CutPrefix(pairs[i], inKey); ok {
			pairs[i+1] = s.spell(column, pairs[i+1])
		}
	}
	return x.bare("rows", pairs...)
}

// bare returns the address of a page without the search, with values shown or masked as here.
func (x *state) bare(page string, pairs ...string) string {
	y := &state{values: url.Values{}}
	if x.shown {
		y.values.Set(valuesKey, asShown)
	}
	return y.with(page, pairs...)
}

func (x *state) row(name string, line int64, pairs ...string) string {
	return x.with("row", append([]string{atKey, place(name, line)}, pairs...)...)
}

func place(name string, line int64) string { return fmt.Sprintf("%s:%d", name, line) }

// anchor returns the name of a row's place on the page of rows, which has no character that an address or an attribute writes otherwise.
func anchor(name string, line int64) string {
	return fmt.Sprintf("r%08x-%d", crc32.ChecksumIEEE([]byte(name)), line)
}

func parsePlace(text string) (name string, line int64, err error) {
	i := strings.LastIndexByte(text, ':')
	if i > 0 {
		line, err = strconv.ParseInt(text[i+1:], 10, 64)
	}
	if i <= 0 || err != nil || line < 1 {
		return "", 0, wrong("at: want FILE:LINE, have %q", text)
	}
	return text[:i], line, nil
}

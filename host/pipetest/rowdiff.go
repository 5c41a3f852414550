package pipetest

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Change is one path at which a row differs from the expected one. A missing value is "".
type Change struct {
	Path string `json:"path"` // as in "messages.0.content", "" for the whole row
	Want string `json:"want"` // JSON, shortened
	Have string `json:"have"`
}

// maxLevels is how deep two values are compared member by member, which recurses. Below that their bytes are compared.
const maxLevels = 1000

// equalRows reports whether two JSON texts are the same value.
func equalRows(want, have string) bool {
	return len(compare.Values(jsontext.JSON(want), jsontext.JSON(have))) == 0
}

// diffRows returns how have differs from want, in the order of want. Both are JSON.
func diffRows(want, have string) []Change {
	d := rowDiff{}
	d.value("", gjson.Parse(want), gjson.Parse(have), 0)
	return d.changes
}

type rowDiff struct{ changes []Change }

func (d *rowDiff) add(path, want, have string) {
	want, have = compare.ExcerptDiff(want, have)
	d.changes = append(d.changes, Change{path, want, have})
}

func (d *rowDiff) value(path string, a, b gjson.Result, level int) {
	switch {
	case equalRows(a.Raw, b.Raw):
	case a.IsObject() && b.IsObject() && level < maxLevels:
		d.object(path, a, b, level)
	case a.IsArray() && b.IsArray() && level < maxLevels:
		d.array(path, a.Array(), b.Array(), level)
	default:
		d.add(path, a.Raw, b.Raw)
	}
}

func (d *rowDiff) object(path string, a, b gjson.Result, level int) {
	left, right := a.Map(), b.Map()
	a.ForEach(func(key, x gjson.Result) bool {
		if y, ok := right[key.Str]; ok {
			d.value(under(path, key.Str), x, y, level+1)
		} else {
			d.add(under(path, key.Str), x.Raw, "")
		}
		return true
	})
	b.ForEach(func(key, y gjson.Result) bool {
		if _, ok := left[key.Str]; !ok {
			d.add(under(path, key.Str), "", y.Raw)
		}
		return true
	})
}

// array compares what is between the equal elements at both ends.
func (d *rowDiff) array(path string, a, b []gjson.Result, level int) {
	start, tail := commonEnds(len(a), len(b), func(i, j int) bool { return equalRows(a[i].Raw, b[j].Raw) })
	for i := start; i < max(len(a), len(b))-tail; i++ {
		at := under(path, strconv.Itoa(i))
		switch {
		case i >= len(a)-tail:
			d.add(at, "", b[i].Raw)
		case i >= len(b)-tail:
			d.add(at, a[i].Raw, "")
		default:
			d.value(at, a[i], b[i], level+1)
		}
	}
}

// wholeRow returns the difference of two rows that should have the same bytes.
func wholeRow(want, have string) Change {
	want, have = compare.ExcerptDiff(want, have)
	return Change{Want: want, Have: have}
}

// commonEnds returns how many elements two lists have in common at the beginning, and how many of the rest at the end.
func commonEnds(a, b int, equal func(i, j int) bool) (start, tail int) {
	for start < min(a, b) && equal(start, start) {
		start++
	}
	for tail < min(a, b)-start && equal(a-1-tail, b-1-tail) {
		tail++
	}
	return start, tail
}

// hasAll reports whether a value has all members that part has, at any depth; lists have to be of the same length.
func hasAll(part, whole string) bool {
	return within(gjson.Parse(part), gjson.Parse(whole), 0)
}

func within(part, whole gjson.Result, level int) bool {
	switch {
	case part.IsObject() && whole.IsObject() && level < maxLevels:
		have, ok := whole.Map(), true
		part.ForEach(func(key, x gjson.Result) bool {
			y, there := have[key.Str]
			ok = there && within(x, y, level+1)
			return ok
		})
		return ok
	case part.IsArray() && whole.IsArray() && level < maxLevels:
		return slices.EqualFunc(part.Array(), whole.Array(), func(x, y gjson.Result) bool { return within(x, y, level+1) })
	}
	return equalRows(part.Raw, whole.Raw)
}

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

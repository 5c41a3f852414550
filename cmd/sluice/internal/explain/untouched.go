package explain

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// A stretch is a value that a record had when it was read and has in the end, byte for byte.
type Stretch struct {
	Path  string `json:"path"`
	From  string `json:"from,omitempty"` // where it stood when it was read, if elsewhere
	Bytes int    `json:"bytes"`
}

// untouched are the largest values of one JSON text that stand in another byte for byte, at their places or, if they say
// enough to be known again, elsewhere.
func untouched(from, to []byte) []Stretch {
	u := &untouching{gone: map[string]string{}}
	u.look("", gjson.ParseBytes(from), gjson.ParseBytes(to))
	for _, came := range u.came {
		u.find(came.path, came.value)
	}
	return u.found
}

// untouching compares two texts.
type untouching struct {
	found []Stretch
	gone  map[string]string // paths of what does not stand at its place any more, by bytes
	came  []raw
}

type raw struct {
	path  string
	value gjson.Result
}

// look compares two values that stand at one place.
func (u *untouching) look(path string, a, b gjson.Result) {
	switch {
	case a.Raw == b.Raw:
		u.found = append(u.found, Stretch{Path: path, Bytes: len(a.Raw)})
		return
	case a.IsObject() && b.IsObject() || a.IsArray() && b.IsArray():
	default:
		u.leave(path, a)
		u.came = append(u.came, raw{path, b})
		return
	}
	left, right := inside(a), inside(b)
	for _, key := range left.keys {
		if other, ok := right.values[key]; ok {
			u.look(under(path, key), left.values[key], other)
		} else {
			u.leave(under(path, key), left.values[key])
		}
	}
	for _, key := range right.keys {
		if _, ok := left.values[key]; !ok {
			u.came = append(u.came, raw{under(path, key), right.values[key]})
		}
	}
}

// leave notes what is at its place no more, with all inside.
func (u *untouching) leave(path string, v gjson.Result) {
	if len(v.Raw) < leastMoved {
		return
	}
	if _, ok := u.gone[v.Raw]; !ok && (v.Type == gjson.String || v.Type == gjson.JSON) {
		u.gone[v.Raw] = path
	}
	parts := inside(v)
	for _, key := range parts.keys {
		u.leave(under(path, key), parts.values[key])
	}
}

// find looks for what has come to a place among what has left another.
func (u *untouching) find(path string, v gjson.Result) {
	if from, ok := u.gone[v.Raw]; ok {
		u.found = append(u.found, Stretch{Path: path, From: from, Bytes: len(v.Raw)})
		return
	}
	parts := inside(v)
	for _, key := range parts.keys {
		u.find(under(path, key), parts.values[key])
	}
}

// parts are the values inside of another, by their steps of a path, in order.
type parts struct {
	keys   []string
	values map[string]gjson.Result
}

func inside(v gjson.Result) parts {
	m := parts{values: map[string]gjson.Result{}}
	if v.Type != gjson.JSON {
		return m
	}
	n := -1
	v.ForEach(func(key, value gjson.Result) bool {
		n++
		step := strconv.Itoa(n)
		if key.Type == gjson.String {
			step = Key(key.Str)
		}
		if _, twice := m.values[step]; !twice {
			m.keys, m.values[step] = append(m.keys, step), value
		}
		return true
	})
	return m
}

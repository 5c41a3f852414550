package explain

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// A Span is a value that a record had when it was read and has in the end, byte for byte.
type Span struct {
	Path  string `json:"path"`
	From  string `json:"from,omitempty"` // where it stood when it was read, if elsewhere
	Bytes int    `json:"bytes"`
}

// untouched returns the largest values that two JSON texts share byte for byte, at the same path or, if long enough, elsewhere.
func untouched(from, to []byte) []Span {
	u := &comparison{gone: map[string]string{}}
	u.compare("", gjson.ParseBytes(from), gjson.ParseBytes(to))
	for _, came := range u.came {
		u.findMoved(came.path, came.value)
	}
	return u.found
}

type comparison struct {
	found []Span
	gone  map[string]string // paths of values that are no longer where they were, by bytes
	came  []raw
}

type raw struct {
	path  string
	value gjson.Result
}

func (u *comparison) compare(path string, a, b gjson.Result) {
	switch {
	case a.Raw == b.Raw:
		u.found = append(u.found, Span{Path: path, Bytes: len(a.Raw)})
		return
	case a.IsObject() && b.IsObject() || a.IsArray() && b.IsArray():
	default:
		u.noteGone(path, a)
		u.came = append(u.came, raw{path, b})
		return
	}
	left, right := childrenOf(a), childrenOf(b)
	for _, key := range left.keys {
		if other, ok := right.values[key]; ok {
			u.compare(under(path, key), left.values[key], other)
		} else {
			u.noteGone(under(path, key), left.values[key])
		}
	}
	for _, key := range right.keys {
		if _, ok := left.values[key]; !ok {
			u.came = append(u.came, raw{under(path, key), right.values[key]})
		}
	}
}

// noteGone notes a value that is no longer at its path, with all values inside.
func (u *comparison) noteGone(path string, v gjson.Result) {
	if len(v.Raw) < leastMoved {
		return
	}
	if _, ok := u.gone[v.Raw]; !ok && (v.Type == gjson.String || v.Type == gjson.JSON) {
		u.gone[v.Raw] = path
	}
	parts := childrenOf(v)
	for _, key := range parts.keys {
		u.noteGone(under(path, key), parts.values[key])
	}
}

// findMoved looks for a value among those that have left their paths.
func (u *comparison) findMoved(path string, v gjson.Result) {
	if from, ok := u.gone[v.Raw]; ok {
		u.found = append(u.found, Span{Path: path, From: from, Bytes: len(v.Raw)})
		return
	}
	parts := childrenOf(v)
	for _, key := range parts.keys {
		u.findMoved(under(path, key), parts.values[key])
	}
}

// children are the values inside of another, in order, by their steps of a path.
type children struct {
	keys   []string
	values map[string]gjson.Result
}

func childrenOf(v gjson.Result) children {
	m := children{values: map[string]gjson.Result{}}
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

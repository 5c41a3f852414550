package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wI2L/jsondiff"
)

// MaxCompared is the size in bytes of the largest record of which two states are compared, and searched for what is personal.
const MaxCompared = 8 << 20

// mostElements is how long the arrays may be of which the longest common sequence is looked for: it takes their square.
const mostElements = 1000

// Patch gives the operations of RFC 6902 that make one JSON text into another.
func Patch(from, to []byte) (jsondiff.Patch, error) {
	a, err := decode(from)
	if err != nil {
		return nil, err
	}
	b, err := decode(to)
	if err != nil {
		return nil, err
	}
	var opts []jsondiff.Option
	if max(longestArray(a), longestArray(b)) <= mostElements {
		opts = append(opts, jsondiff.LCS())
	}
	return jsondiff.CompareWithoutMarshal(a, b, opts...)
}

// decode reads a JSON text. Numbers stay as they are spelled.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("want one value, have more")
	}
	return v, nil
}

func longestArray(v any) (n int) {
	switch v := v.(type) {
	case []any:
		n = len(v)
		for _, x := range v {
			n = max(n, longestArray(x))
		}
	case map[string]any:
		for _, x := range v {
			n = max(n, longestArray(x))
		}
	}
	return n
}

// What a change is.
const (
	Added   = '+'
	Removed = '-'
	Changed = '~'
	Moved   = '>'
)

// A change is one difference between two states of a record, at a path as gjson writes it. What was moved stood at From.
type Change struct {
	Kind       rune
	Path, From string
	Old, New   any
}

// Changes makes a patch fit for people: what was taken from one place and put to another is told as moved.
func Changes(patch jsondiff.Patch) []Change {
	m := mover{seed: maphash.MakeSeed(), sums: map[uint64][]*piece{}}
	var all []Change
	for _, op := range patch {
		if op.Type == jsondiff.OperationRemove {
			m.leaves(gjsonPath(op.Path), op.OldValue)
		}
	}
	for _, op := range patch {
		switch op.Type {
		case jsondiff.OperationAdd:
			all = m.comes(all, gjsonPath(op.Path), op.Value)
		case jsondiff.OperationReplace:
			all = append(all, Change{Kind: Changed, Path: gjsonPath(op.Path), Old: op.OldValue, New: op.Value})
		}
	}
	for _, p := range m.removed {
		all = p.goes(all)
	}
	return all
}

// A mover finds what was moved: values that were removed in one place and added in another.
type mover struct {
	seed    maphash.Seed
	removed []*piece
	sums    map[uint64][]*piece
}

// A piece is a value of what was removed.
type piece struct {
	path   string
	value  any
	pieces []*piece
	taken  bool // it stands elsewhere now
	open   bool // something in it does
}

// leastMoved is how long a string has to be to be told as moved. Shorter ones come to be in many places.
const leastMoved = 12

// leaves takes in a value that was removed.
func (m *mover) leaves(path string, v any) {
	p, _ := m.piece(path, v)
	m.removed = append(m.removed, p)
}

// piece makes a piece of a value and gives its sum.
func (m *mover) piece(path string, v any) (*piece, uint64) {
	p := &piece{path: path, value: v}
	sum := m.sum(v, func(step string, inner any) uint64 {
		q, sum := m.piece(under(path, step), inner)
		p.pieces = append(p.pieces, q)
		return sum
	})
	if canMove(v) {
		m.sums[sum] = append(m.sums[sum], p)
	}
	return p, sum
}

// canMove tells whether a value says enough to be known again.
func canMove(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) >= leastMoved
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// sum is a number that two equal values share. Those of the values inside come from inner.
func (m *mover) sum(v any, inner func(step string, v any) uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(m.seed)
	switch v := v.(type) {
	case []any:
		h.WriteByte('[')
		for i, x := range v {
			maphash.WriteComparable(&h, inner(strconv.Itoa(i), x))
		}
	case map[string]any:
		h.WriteByte('{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			h.WriteString(key)
			maphash.WriteComparable(&h, inner(Key(key), v[key]))
		}
	default:
		maphash.WriteComparable(&h, v)
	}
	return h.Sum64()
}

// comes appends what became of a value that was added: the parts of it that stood elsewhere were moved.
func (m *mover) comes(all []Change, path string, v any) []Change {
	var find func(path string, v any) ([]Change, bool, uint64)
	find = func(path string, v any) (inside []Change, some bool, sum uint64) {
		sum = m.sum(v, func(step string, inner any) uint64 {
			more, moves, sum := find(under(path, step), inner)
			inside, some = append(inside, more...), some || moves
			return sum
		})
		for _, p := range m.sums[sum] {
			if !p.taken && !p.open && reflect.DeepEqual(p.value, v) {
				return []Change{{Kind: Moved, Path: path, From: p.path, New: v}}, true, sum
			}
		}
		if !some {
			inside = []Change{{Kind: Added, Path: path, New: v}}
		}
		return inside, some, sum
	}
	found, _, _ := find(path, v)
	for _, c := range found {
		if c.Kind == Moved {
			m.take(c)
		}
	}
	return append(all, found...)
}

// take notes that a piece stands elsewhere now, so that it is not told as removed.
func (m *mover) take(c Change) {
	for _, p := range m.removed {
		p.take(c.From)
	}
}

func (p *piece) take(path string) bool {
	if p.path == path {
		p.taken = true
		return true
	}
	for _, q := range p.pieces {
		if (q.path == path || strings.HasPrefix(path, q.path+".")) && q.take(path) {
			p.open = true
			return true
		}
	}
	return false
}

// goes appends what was removed and stands nowhere else.
func (p *piece) goes(all []Change) []Change {
	switch {
	case p.taken:
		return all
	case p.open:
		for _, q := range p.pieces {
			all = q.goes(all)
		}
		return all
	}
	return append(all, Change{Kind: Removed, Path: p.path, Old: p.value})
}

// gjsonPath writes a JSON pointer as a gjson path, which is how paths stand everywhere else.
func gjsonPath(pointer string) (path string) {
	for i, step := range strings.Split(pointer, "/") {
		if i > 0 {
			path = under(path, Key(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)))
		}
	}
	return path
}

// Key writes a key as a step of a gjson path.
func Key(key string) string {
	if !strings.ContainsAny(key, `.*?|#@!{[\`) {
		return key
	}
	var b strings.Builder
	for _, c := range key {
		if strings.ContainsRune(`.*?|#@!{[\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func under(path, step string) string {
	if path == "" {
		return step
	}
	return path + "." + step
}

// Quoted is a value as JSON.
func Quoted(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "?"
	}
	return strings.TrimRight(b.String(), "\n")
}

// Middle cuts two texts to where they differ, with so many characters of what they share before and behind.
func Middle(a, b string, around int) (string, string) {
	r, s := []rune(a), []rune(b)
	head, tail := 0, 0
	for head < min(len(r), len(s)) && r[head] == s[head] {
		head++
	}
	for tail < min(len(r), len(s))-head && r[len(r)-1-tail] == s[len(s)-1-tail] {
		tail++
	}
	from, to := max(0, head-around), max(0, tail-around)
	cut := func(r []rune) string {
		text := string(r[from : len(r)-to])
		if from > 0 {
			text = "…" + text
		}
		if to > 0 {
			text += "…"
		}
		return text
	}
	return cut(r), cut(s)
}

package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/rundiff"
)

// MaxCompared is the size in bytes of the largest record that is compared, and searched for personal values.
const MaxCompared = 8 << 20

// decode reads a JSON text. Numbers stay as they are spelled.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("want one JSON value, have text behind it")
	}
	return v, nil
}

// Kinds of changes.
const (
	Added   = '+'
	Removed = '-'
	Changed = '~'
	Moved   = '>'
)

// A Change is one difference between two states of a record, at a gjson path in the second, or in the first when it was removed. A
// value that was moved was at From before. Was is its path in the first, unless it was added.
type Change struct {
	Kind            rune
	Path, From, Was string
	Old, New        any
}

// Changes makes differences readable: a value that was removed in one place and added in another was moved.
func Changes(pairs []rundiff.Pair) []Change {
	m := mover{seed: maphash.MakeSeed(), sums: map[uint64][]*removedValue{}}
	var all []Change
	for i := range pairs {
		if p := &pairs[i]; p.B == "" {
			r, _ := m.piece(gjsonPath(p.PathA), value(p.A))
			m.removed = append(m.removed, r)
		}
	}
	for i := range pairs {
		p := &pairs[i]
		path, was := gjsonPath(p.PathB), gjsonPath(p.PathA)
		switch {
		case p.Moved:
			all = append(all, Change{Kind: Moved, Path: path, From: was, Was: was, New: value(p.B)})
		case p.A == "":
			all = m.appendAdded(all, path, value(p.B))
		case p.B != "":
			all = append(all, Change{Kind: Changed, Path: path, Was: was, Old: value(p.A), New: value(p.B)})
		}
	}
	for _, p := range m.removed {
		all = p.appendRemoved(all)
	}
	return all
}

// value reads a JSON text that was checked. What encoding/json refuses, since it nests too deep, is shown as text.
func value(text string) any {
	v, err := decode([]byte(text))
	if err != nil {
		return text
	}
	return v
}

// A mover finds values that were moved: removed in one place and added in another.
type mover struct {
	seed    maphash.Seed
	removed []*removedValue
	sums    map[uint64][]*removedValue
}

// A removedValue is a value inside of what was removed, or all of it.
type removedValue struct {
	path   string
	value  any
	pieces []*removedValue
	taken  bool // it was moved
	open   bool // something in it does
}

// leastMoved is the length of the shortest string that counts as moved. Shorter ones occur in many places.
const leastMoved = 12

// piece returns a value that was removed, with all values inside, and its hash.
func (m *mover) piece(path string, v any) (*removedValue, uint64) {
	p := &removedValue{path: path, value: v}
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

// sum returns a hash that equal values share. inner hashes the values inside.
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

// appendAdded appends the changes of a value that was added: parts of it that were elsewhere before were moved.
func (m *mover) appendAdded(all []Change, path string, v any) []Change {
	var find func(path string, v any) ([]Change, bool, uint64)
	find = func(path string, v any) (inside []Change, some bool, sum uint64) {
		sum = m.sum(v, func(step string, inner any) uint64 {
			more, moves, sum := find(under(path, step), inner)
			inside, some = append(inside, more...), some || moves
			return sum
		})
		for _, p := range m.sums[sum] {
			if !p.taken && !p.open && reflect.DeepEqual(p.value, v) {
				return []Change{{Kind: Moved, Path: path, From: p.path, Was: p.path, New: v}}, true, sum
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
			for _, p := range m.removed {
				p.claim(c.From)
			}
		}
	}
	return append(all, found...)
}

// claim notes that the value at a path was moved, so that it does not count as removed.
func (p *removedValue) claim(path string) bool {
	if p.path == path {
		p.taken = true
		return true
	}
	for _, q := range p.pieces {
		if (q.path == path || strings.HasPrefix(path, q.path+".")) && q.claim(path) {
			p.open = true
			return true
		}
	}
	return false
}

func (p *removedValue) appendRemoved(all []Change) []Change {
	switch {
	case p.taken:
		return all
	case p.open:
		for _, q := range p.pieces {
			all = q.appendRemoved(all)
		}
		return all
	}
	return append(all, Change{Kind: Removed, Path: p.path, Was: p.path, Old: p.value})
}

// Key writes a key as a step of a gjson path.
func Key(key string) string { return special.ReplaceAllString(key, `\$0`) }

var special = regexp.MustCompile(`[.*?|#@!{[\\]`)

func under(path, step string) string {
	if path == "" {
		return step
	}
	return path + "." + step
}

// Quoted writes a value as JSON.
func Quoted(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "?"
	}
	return strings.TrimRight(b.String(), "\n")
}

// Middle cuts two texts to where they differ, with so many common characters before and behind.
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

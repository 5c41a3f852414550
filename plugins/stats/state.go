package stats

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/state"
	"github.com/sluicehq/sluice/sdk"
)

var _ sdk.Saver = (*sums)(nil)

// head names the layout of a state and the attributes that it belongs to.
func (s *sums) head() string {
	args, err := json.Marshal(s.cfg)
	if err != nil { // it has no value that JSON lacks
		panic(err)
	}
	return "stats 1 " + string(args)
}

// Save implements sdk.Saver.
func (s *sums) Save(to io.Writer) error {
	w := state.NewWriter(to, s.head())
	for _, n := range s.shapes.all() {
		w.Uint(uint64(*n))
	}
	s.all.save(w)
	for _, k := range s.kinds {
		w.Uint(uint64(len(k.groups)))
		for _, name := range slices.Sorted(maps.Keys(k.groups)) {
			w.Text(name)
			k.groups[name].save(w)
		}
	}
	return w.End()
}

// Restore implements sdk.Saver.
func (s *sums) Restore(from io.Reader) error {
	r := state.NewReader(from, s.head())
	for _, n := range s.shapes.all() {
		*n = number(r)
	}
	s.all.restore(r, s.cfg)
	for _, k := range s.kinds {
		for range r.Count(s.cfg.Groups + unlisted) {
			group := &tally{}
			k.groups[r.Text(maxName)] = group
			if group.restore(r, s.cfg); r.Err() != nil {
				return r.Err()
			}
		}
	}
	return r.End()
}

// unlisted is how many names there may be besides those that have sums of their own: None and Other.
const unlisted = 2

func number(r *state.Reader) int64 { return int64(r.Uint(math.MaxUint64)) }

func (s *shapes) all() []*int64 { return []*int64{&s.Canonical, &s.Chat, &s.Other} }

func (t *tally) save(w *state.Writer) {
	w.Uint(uint64(t.rows))
	for _, n := range t.turns {
		w.Uint(uint64(n))
	}
	w.Uint(uint64(t.calls))
	w.Uint(uint64(t.taught))
	w.Uint(uint64(len(t.actions)))
	for _, name := range slices.Sorted(maps.Keys(t.actions)) {
		w.Text(name)
		w.Uint(uint64(t.actions[name].Calls))
		w.Uint(uint64(t.actions[name].Taught))
	}
	t.tokens.save(w)
	t.characters.save(w)
}

func (t *tally) restore(r *state.Reader, cfg config) {
	t.rows = number(r)
	for i := range t.turns {
		t.turns[i] = number(r)
	}
	t.calls, t.taught = number(r), number(r)
	n := r.Count(cfg.Actions + unlisted)
	if n > 0 {
		t.actions = map[string]*Action{}
	}
	for range n {
		name := r.Text(maxName)
		t.actions[name] = &Action{Calls: number(r), Taught: number(r)}
		if r.Err() != nil {
			return
		}
	}
	t.tokens.restore(r)
	t.characters.restore(r)
}

func (l *lengths) save(w *state.Writer) {
	for _, n := range []int64{l.rows, l.sum, l.most, l.over} {
		w.Uint(uint64(n))
	}
	w.Uint(uint64(len(l.buckets)))
	before := -1
	for i, n := range l.buckets {
		if n != 0 {
			w.Uint(uint64(i - before))
			w.Uint(uint64(n))
			before = i
		}
	}
	w.Uint(0)
}

func (l *lengths) restore(r *state.Reader) {
	for _, n := range []*int64{&l.rows, &l.sum, &l.most, &l.over} {
		*n = number(r)
	}
	if n := r.Count(bucket(math.MaxInt64) + 1); n > 0 {
		l.buckets = make([]int64, n)
	}
	at := -1
	for {
		gap := r.Count(len(l.buckets) - 1 - at)
		if gap == 0 {
			return
		}
		at += gap
		l.buckets[at] = number(r)
	}
}

package stats

import (
	"math"
	"math/bits"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A tally sums up the rows of one group.
type tally struct {
	rows           int64
	turns          [canonical.Tool + 1]int64
	calls, history int64
	actions        map[string]*Action
	tokens         lengths // of the rows that have them
	characters     lengths // of the rows that have turns
}

func (t *tally) add(row *facts, cfg config) {
	t.rows++
	for role, n := range row.turns {
		t.turns[role] += n
	}
	t.calls += int64(len(row.calls))
	t.history += int64(len(row.history))
	for _, name := range row.calls {
		t.action(name, cfg.Actions).Calls++
	}
	for _, name := range row.history {
		t.action(name, cfg.Actions).History++
	}
	if row.shape != otherShape {
		t.characters.add(row.characters, cfg.CharacterLimit)
	}
	if row.tokens >= 0 {
		t.tokens.add(row.tokens, cfg.Limit)
	}
}

// action returns the sums of an action. The first names have their own.
func (t *tally) action(body jsontext.Body, limit int) *Action {
	a := t.actions[string(body)]
	if a != nil {
		return a
	}
	name := body.Text() // a copy when the body has escapes, else a view
	if a = t.actions[name]; a == nil && (len(t.actions) >= limit || len(name) > maxName) {
		name = Other
		a = t.actions[name]
	}
	if a == nil {
		if t.actions == nil {
			t.actions = map[string]*Action{}
		}
		a = &Action{}
		t.actions[string([]byte(name))] = a
	}
	return a
}

// lengths are how long rows are, in buckets: exact below 256, above that as many as keep a length within 1/128.
type lengths struct {
	rows, sum, most, over int64
	buckets               []int64
}

const exact, steps = 256, 128

func (l *lengths) add(n int64, limit int) {
	l.rows++
	l.sum += n
	l.most = max(l.most, n)
	if limit > 0 && n > int64(limit) {
		l.over++
	}
	at := bucket(n)
	if at >= len(l.buckets) {
		l.buckets = append(l.buckets, make([]int64, at+1-len(l.buckets))...)
	}
	l.buckets[at]++
}

// bucket is where a length counts.
func bucket(n int64) int {
	if n < exact {
		return int(n)
	}
	e := bits.Len64(uint64(n)) - 8
	return exact + (e-1)*steps + int(n>>e) - steps
}

// last is the longest length of a bucket.
func last(bucket int) int64 {
	if bucket < exact {
		return int64(bucket)
	}
	e := (bucket-exact)/steps + 1
	return (int64((bucket-exact)%steps+steps+1) << e) - 1
}

// quantile is the length that a share of the rows does not pass.
func (l *lengths) quantile(share float64) int64 {
	rank := int64(math.Ceil(share * float64(l.rows)))
	for i, n := range l.buckets {
		if rank -= n; rank <= 0 {
			return min(last(i), l.most)
		}
	}
	return l.most
}

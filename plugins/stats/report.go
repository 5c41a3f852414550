package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Report is the row that is written at the end.
type Report struct {
	Shapes     shapes                       `json:"shapes"`      // rows by shape
	TokensFrom string                       `json:"tokens_from"` // "usage", a vocabulary, "@LABEL" or "none"
	Limits     Limits                       `json:"limits"`
	All        Group                        `json:"all"`
	By         map[string]map[string]*Group `json:"by"` // kind of group, then name of the group
}

// ReadReport reads the row that the step has written.
func ReadReport(row []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(row, r); err != nil {
		return nil, fmt.Errorf("want a report of step stats: %w", err)
	}
	return r, nil
}

// Limits are those of the step's attributes; 0 is none.
type Limits struct {
	Tokens     int `json:"tokens"`
	Characters int `json:"characters"`
	Groups     int `json:"groups"`
	Actions    int `json:"actions"`
}

type shapes struct {
	Canonical int64 `json:"canonical"`
	Chat      int64 `json:"chatml"`
	Other     int64 `json:"other"` // they have no turns that could be found, and no lengths
}

func (s *shapes) add(what shape) {
	switch what {
	case canonicalShape:
		s.Canonical++
	case chatShape:
		s.Chat++
	default:
		s.Other++
	}
}

// A Group is the sums of some rows.
type Group struct {
	Rows        int64              `json:"rows"`
	Turns       map[string]int64   `json:"turns"`        // by role
	Calls       int64              `json:"calls"`        // in all turns
	TaughtCalls int64              `json:"taught_calls"` // of these in last answers
	Actions     map[string]*Action `json:"actions"`
	Tokens      *Lengths           `json:"tokens"` // null when no row has them
	Characters  *Lengths           `json:"characters"`
}

// An Action is how often it is called, and how often of that in last answers.
type Action struct {
	Calls  int64 `json:"calls"`
	Taught int64 `json:"taught"`
}

// Lengths sum up the lengths of rows. Min is at most 1/128 too short, P50, P95 and P99 are at most 1/128 too long, and the other
// figures are exact.
type Lengths struct {
	Rows  int64   `json:"rows"` // that have a length
	Sum   int64   `json:"sum"`
	Min   int64   `json:"min"`
	P50   int64   `json:"p50"`
	P95   int64   `json:"p95"`
	P99   int64   `json:"p99"`
	Max   int64   `json:"max"`
	Over  int64   `json:"over"` // rows over the limit
	Share float64 `json:"over_share"`

	// Bins count rows by the longest length of a bucket: each length below 16 has its own, and above that every power of two has
	// eight. All rows and splits have them, other groups do not.
	Bins map[string]int64 `json:"bins,omitempty"`
}

func (s *sums) report() *Report {
	r := &Report{
		Shapes: s.shapes, TokensFrom: s.cfg.Tokens, All: s.all.group(true), By: map[string]map[string]*Group{},
		Limits: Limits{Tokens: s.cfg.Limit, Characters: s.cfg.CharacterLimit, Groups: s.cfg.Groups, Actions: s.cfg.Actions},
	}
	for _, k := range s.kinds {
		groups := map[string]*Group{}
		for name, t := range k.groups {
			g := t.group(k.name == "split")
			groups[strings.ToValidUTF8(name, "\uFFFD")] = &g
		}
		r.By[k.name] = groups
	}
	return r
}

func (t *tally) group(binned bool) Group {
	g := Group{
		Rows: t.rows, Turns: map[string]int64{}, Calls: t.calls, TaughtCalls: t.taught, Actions: t.actions,
		Tokens: t.tokens.lengths(binned), Characters: t.characters.lengths(binned),
	}
	for role, n := range t.turns {
		if n > 0 {
			g.Turns[canonical.Role(role).String()] = n
		}
	}
	if g.Actions == nil {
		g.Actions = map[string]*Action{}
	}
	return g
}

func (l *lengths) lengths(binned bool) *Lengths {
	if l.rows == 0 {
		return nil
	}
	x := &Lengths{
		Rows: l.rows, Sum: l.sum, P50: l.quantile(0.5), P95: l.quantile(0.95), P99: l.quantile(0.99), Max: l.most,
		Over: l.over, Share: float64(l.over) / float64(l.rows),
	}
	x.Min = first(slices.IndexFunc(l.buckets, func(n int64) bool { return n > 0 }))
	if binned {
		x.Bins = l.bins()
	}
	return x
}

// bins returns the buckets with rows, eight for each power of two.
func (l *lengths) bins() map[string]int64 {
	all := map[string]int64{}
	for i, n := range l.buckets {
		if n == 0 {
			continue
		}
		bound := last(i)
		if e := bits.Len64(uint64(bound)) - 4; e > 0 {
			bound = (bound>>e+1)<<e - 1
		}
		all[strconv.FormatInt(bound, 10)] += n
	}
	return all
}

// A tally sums up the rows of one group.
type tally struct {
	rows          int64
	turns         [canonical.Tool + 1]int64
	calls, taught int64 // in all turns, in last answers
	actions       map[string]*Action
	tokens        lengths // of the rows that have them
	characters    lengths // of the rows that have turns
}

func (t *tally) add(row *facts, cfg config) {
	t.rows++
	for role, n := range row.turns {
		t.turns[role] += n
	}
	t.calls += int64(len(row.taught) + len(row.history))
	t.taught += int64(len(row.taught))
	for _, name := range row.taught {
		a := t.action(name, cfg.Actions)
		a.Calls, a.Taught = a.Calls+1, a.Taught+1
	}
	for _, name := range row.history {
		t.action(name, cfg.Actions).Calls++
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
	if a := t.actions[string(body)]; a != nil {
		return a
	}
	if t.actions == nil {
		t.actions = map[string]*Action{}
	}
	return named(t.actions, body.Text(), limit)
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

// first is the shortest length of a bucket.
func first(bucket int) int64 {
	if bucket < exact {
		return int64(bucket)
	}
	return last(bucket-1) + 1
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

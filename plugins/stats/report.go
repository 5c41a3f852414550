package stats

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// A Report is the row that is written at the end.
type Report struct {
	Shapes     shapes                       `json:"shapes"`      // rows by shape
	TokensFrom string                       `json:"tokens_from"` // "usage", a vocabulary, "@LABEL" or "none"
	Limits     Limits                       `json:"limits"`
	All        Group                        `json:"all"`
	By         map[string]map[string]*Group `json:"by"` // kind of group, then name of the group
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
	Rows         int64              `json:"rows"`
	Turns        map[string]int64   `json:"turns"`         // by role
	Calls        int64              `json:"calls"`         // in last answers
	HistoryCalls int64              `json:"history_calls"` // before them
	Actions      map[string]*Action `json:"actions"`
	Tokens       *Lengths           `json:"tokens"` // null when no row has them
	Characters   *Lengths           `json:"characters"`
}

// An Action is how often it is called in last answers and before them.
type Action struct {
	Calls   int64 `json:"calls"`
	History int64 `json:"history"`
}

// Lengths sum up the lengths of rows. P50 and P95 are at most 1/128 too long, the other figures are exact.
type Lengths struct {
	Rows  int64   `json:"rows"` // that have a length
	Sum   int64   `json:"sum"`
	P50   int64   `json:"p50"`
	P95   int64   `json:"p95"`
	Max   int64   `json:"max"`
	Over  int64   `json:"over"` // rows over the limit
	Share float64 `json:"over_share"`
}

func (s *sums) report() *Report {
	r := &Report{
		Shapes: s.shapes, TokensFrom: s.cfg.Tokens, All: s.all.group(), By: map[string]map[string]*Group{},
		Limits: Limits{Tokens: s.cfg.Limit, Characters: s.cfg.CharacterLimit, Groups: s.cfg.Groups, Actions: s.cfg.Actions},
	}
	for _, k := range s.kinds {
		groups := map[string]*Group{}
		for name, t := range k.groups {
			g := t.group()
			groups[strings.ToValidUTF8(name, "\uFFFD")] = &g
		}
		r.By[k.name] = groups
	}
	return r
}

func (t *tally) group() Group {
	g := Group{
		Rows: t.rows, Turns: map[string]int64{}, Calls: t.calls, HistoryCalls: t.history, Actions: t.actions,
		Tokens: t.tokens.lengths(), Characters: t.characters.lengths(),
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

func (l *lengths) lengths() *Lengths {
	if l.rows == 0 {
		return nil
	}
	return &Lengths{
		Rows: l.rows, Sum: l.sum, P50: l.quantile(0.5), P95: l.quantile(0.95), Max: l.most,
		Over: l.over, Share: float64(l.over) / float64(l.rows),
	}
}

package viewer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
	"github.com/sluicehq/sluice/host/plural"
)

// A block of a transcript is what one turn says, or a run of calls with their results.
type block struct {
	Number         int // of the turn, from 1; 0 for one without
	Anchor         bool
	Role, Spelling string
	Name           string
	Marks          []string
	Parts          []part
	Empty          bool
	JSON           string // address of the turn in the tree of the row
	Run            *callRun
}

// A callRun is several calls with nothing said between them, as a table.
type callRun struct {
	Calls    []call
	Summary  string
	Failed   int
	From, To int  // turns
	Open     bool // it is short
}

type call struct {
	Number    int // of the turn
	Anchor    bool
	Name, ID  string
	Arguments *cell
	Results   []cell
	Thought   *foldedText
	Failed    bool
}

// A cell shows the beginning of a value, and all of it when somebody asks.
type cell struct {
	Short []textPiece
	Whole *part // nil when the beginning is all
}

// Bounds of a table of calls.
const (
	leastRun  = 3  // calls from which on there is a table
	mostOpen  = 60 // calls of a table that is not folded
	shortCell = 90 // characters
)

// A spoken is a part of a turn, in the order of the row.
type spoken struct {
	turn, number int // index of the turn, and its number
	part         *conversation.Part
	left         int // parts of the turn that are left out
}

// blocks lays out turns, of which the first has a number; 0 for turns without numbers.
func (s *turnLayout) blocks(turns []conversation.Turn, first int) (all []block) {
	var stream []spoken
	for i := range turns {
		number := 0
		if first > 0 {
			number = first + i
		}
		parts := turns[i].Parts
		if len(parts) == 0 {
			stream = append(stream, spoken{turn: i, number: number})
		}
		for k := range parts[:min(len(parts), mostParts)] {
			stream = append(stream, spoken{i, number, &parts[k], max(0, len(parts)-mostParts)})
		}
	}
	last := -1 // the turn that has its anchor
	for at := 0; at < len(stream); {
		n, calls := runAt(stream[at:])
		if calls >= leastRun {
			all = append(all, block{Role: "run", Run: s.run(turns, stream[at:at+n], &last)})
			at += n
			continue
		}
		if n == 0 {
			n = 1
		}
		for _, x := range stream[at : at+n] {
			t := &turns[x.turn]
			if k := len(all) - 1; x.turn != last || k < 0 || all[k].Run != nil {
				all = append(all, s.block(t, x, x.turn != last))
			}
			last = x.turn
			b := &all[len(all)-1]
			if x.part == nil {
				b.Empty = true
			} else {
				b.Parts = append(b.Parts, s.part(x.part, t.Path))
			}
		}
		at += n
	}
	return all
}

func (s *turnLayout) block(t *conversation.Turn, x spoken, anchor bool) block {
	b := block{Number: x.number, Anchor: anchor && x.number > 0, Role: t.Role, Spelling: t.Spelling, Name: t.Name, Marks: t.Marks}
	if x.left > 0 {
		b.Marks = append(slices.Clone(b.Marks), plural.Of(x.left, "part")+" more, in the JSON")
	}
	if s.json != nil && t.Path != "" {
		b.JSON = s.json(t.Path)
	}
	return b
}

// runAt returns how many parts of a stream are calls, results, or thoughts ahead of a call, and how many of them are calls.
func runAt(stream []spoken) (n, calls int) {
	for i, x := range stream {
		if x.part == nil {
			break
		}
		switch x.part.Kind {
		case conversation.Call:
			calls++
			n = i + 1
		case conversation.Result:
			n = i + 1
		case conversation.Thought: // counts with the call behind it
		default:
			return n, calls
		}
	}
	return n, calls
}

// run lays out calls with their results. A result is that of the call whose ID it has, else of the first call without one.
func (s *turnLayout) run(turns []conversation.Turn, stream []spoken, last *int) *callRun {
	r := &callRun{From: stream[0].number, To: stream[len(stream)-1].number}
	var thought *foldedText
	names := map[string]int64{}
	for _, x := range stream {
		path := turns[x.turn].Path
		anchor := x.turn != *last && x.number > 0
		switch p := x.part; p.Kind {
		case conversation.Thought:
			y := foldText(p.Text, s.hit, s.more(path))
			thought = &y
		case conversation.Call:
			names[p.Name]++
			r.Calls = append(r.Calls, call{Number: x.number, Anchor: anchor, Name: p.Name, ID: p.ID, Arguments: s.cell(p, path), Thought: thought, Failed: p.Failed})
			*last, thought = x.turn, nil
		default:
			at := slices.IndexFunc(r.Calls, func(c call) bool { return p.ID != "" && c.ID == p.ID })
			if at < 0 {
				at = slices.IndexFunc(r.Calls, func(c call) bool { return len(c.Results) == 0 && (p.ID == "" || c.ID == "") })
			}
			if at < 0 {
				r.Calls = append(r.Calls, call{Number: x.number, Anchor: anchor, Name: p.Name, ID: p.ID})
				at = len(r.Calls) - 1
				*last = x.turn
			}
			c := &r.Calls[at]
			c.Results, c.Failed = append(c.Results, *s.cell(p, path)), c.Failed || p.Failed
		}
	}
	for _, c := range r.Calls {
		if c.Failed {
			r.Failed++
		}
	}
	var parts []string
	for _, name := range format.MostFirst(names) {
		if len(parts) == 5 {
			parts = append(parts, fmt.Sprintf("%d more tools", len(names)-5))
			break
		}
		text := format.Printable(format.Cut(name, 40))
		if n := names[name]; n > 1 {
			text += " × " + plural.Count(n)
		}
		parts = append(parts, text)
	}
	r.Summary, r.Open = strings.Join(parts, ", "), len(r.Calls) <= mostOpen
	return r
}

func (s *turnLayout) cell(p *conversation.Part, path string) *cell {
	text := p.Text
	if p.JSON != "" {
		text = strings.TrimSpace(p.JSON)
	}
	first, rest := cutAt(strings.Join(strings.Fields(text), " "), shortCell)
	c := &cell{}
	if rest != "" || strings.Contains(text, "\n") {
		y := s.part(p, path)
		c.Whole = &y
	}
	if rest != "" {
		first += "…"
	}
	c.Short = pieces(first, s.hit)
	return c
}

// firstWords returns the beginning of what a turn says, or what it calls.
func firstWords(t *conversation.Turn, most int) string {
	for _, kind := range []string{conversation.Text, conversation.Call, conversation.Result, conversation.Thought} {
		for _, p := range t.Parts {
			if p.Kind != kind {
				continue
			}
			text := p.Text
			if kind == conversation.Call {
				text = "calls " + p.Name
			} else if text == "" {
				text = p.JSON
			}
			first, rest := cutAt(strings.Join(strings.Fields(text[:runeStart(text, min(len(text), 8*most))]), " "), most)
			if rest != "" {
				first += "…"
			}
			return first
		}
	}
	return ""
}

package viewer

import (
	"cmp"
	"regexp"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
	"github.com/sluicehq/sluice/host/plural"
)

// A conversationLayout is a conversation as a template needs it: one page of its turns.
type conversationLayout struct {
	Reject     *conversation.Reject
	Tools      []tool
	Blocks     []block
	From, To   int // turns on this page, from 1
	Of         int
	Prev, Next string    // addresses of the pages around
	Index      []turnRef // of all turns, when they are more than a screen has
	Candidates []candidate
	Rest       []node
	Left       int // turns of candidates that are left out
	More       string
}

type tool struct {
	Name, Description string
	Schema            *node
}

type candidate struct {
	Name, Class string
	Blocks      []block
}

// A turnRef leads to a turn.
type turnRef struct {
	Number     int
	Role, Link string
	Says       []textPiece
}

// A part is a piece of a message. Folded says that it is shown when somebody asks.
type part struct {
	conversation.Part
	Passage *foldedText
	JSON    *node
	Folded  bool
	Note    string
}

// Bounds of what one page lays out of a conversation.
const (
	mostTurns   = 100
	mostIndexed = 1000
	mostPart    = 600 // characters of a result that is not folded
	mostParts   = 100
	mostTools   = 100
	mostBeside  = 100
	leastIndex  = 8    // turns from which on there is an index
	shortJSON   = 2000 // bytes of a value that is opened wholly
)

// A turnLayout lays out the turns of a row.
type turnLayout struct {
	hit  *regexp.Regexp
	more func(path string) string // the address of a value
	turn func(number int) string  // the address of a turn
	json func(path string) string // the address of a value in the tree of the row; nil where there is none
	lay  *layout
}

// page lays out the page of turns that has a certain one, from 1; 0 is the first that the search hits.
func (s *turnLayout) page(read *conversation.Conversation, turn int) *conversationLayout {
	s.lay = newLayout(s.hit, s.more)
	t := &conversationLayout{Reject: read.Reject, More: s.more(""), Of: len(read.Turns)}
	if turn == 0 {
		turn = s.firstHit(read.Turns)
	}
	first := (min(max(1, turn), max(1, t.Of)) - 1) / mostTurns * mostTurns
	last := min(t.Of, first+mostTurns)
	t.From, t.To = first+1, last
	t.Blocks = s.blocks(read.Turns[first:last], t.From)
	if first > 0 {
		t.Prev = s.turn(first + 1 - mostTurns)
	}
	if last < t.Of {
		t.Next = s.turn(last + 1)
	}
	if t.Of >= leastIndex {
		for i, x := range read.Turns[:min(t.Of, mostIndexed)] {
			t.Index = append(t.Index, turnRef{Number: i + 1, Role: x.Spelling, Link: s.turn(i + 1), Says: pieces(firstWords(&x, 60), nil)})
		}
	}
	for _, w := range read.Candidates {
		shown := w.Turns[:min(len(w.Turns), mostTurns)]
		t.Candidates = append(t.Candidates, candidate{w.Name, map[string]string{"chosen": "good", "rejected": "bad"}[w.Name], s.blocks(shown, 0)})
		t.Left += len(w.Turns) - len(shown)
	}
	for _, x := range read.Tools[:min(len(read.Tools), mostTools)] {
		y := tool{Name: format.Printable(x.Name), Description: format.Printable(format.Cut(x.Description, mostPart))}
		if x.Schema != "" {
			y.Schema = s.within(x.Schema, "")
			y.Schema.Open = false
		}
		t.Tools = append(t.Tools, y)
	}
	for _, m := range read.Rest[:min(len(read.Rest), mostBeside)] {
		t.Rest = append(t.Rest, *s.value(m.JSON, m.Key, m.Path))
	}
	return t
}

// firstHit returns the number of the first turn that the search hits, 0 for none.
func (s *turnLayout) firstHit(turns []conversation.Turn) int {
	if s.hit == nil {
		return 0
	}
	for i, t := range turns {
		for _, p := range t.Parts {
			if s.hit.MatchString(p.Text) || s.hit.MatchString(p.JSON) {
				return i + 1
			}
		}
	}
	return 0
}

func (s *turnLayout) part(p *conversation.Part, path string) part {
	y := part{Part: *p}
	long := max(len(p.Text), len(p.JSON))
	switch p.Kind {
	case conversation.Thought:
		y.Folded = true
	case conversation.Result, conversation.Aside:
		y.Folded = long > mostPart
	}
	if y.Folded {
		y.Note = plural.Of(len([]rune(cmp.Or(p.Text, p.JSON))), "character")
	}
	if p.Text != "" {
		x := foldText(p.Text, s.hit, s.more(path))
		y.Passage = &x
	}
	if p.JSON != "" && gjson.Valid(p.JSON) {
		if p.Path != "" {
			y.JSON = s.value(p.JSON, "", p.Path)
		} else {
			y.JSON = s.within(p.JSON, path)
		}
	}
	return y
}

func (s *turnLayout) value(text, key, path string) *node {
	s.lay.open = len(text) <= shortJSON
	n := s.lay.value(gjson.Parse(text), format.Printable(key), path, 1)
	return &n
}

// within lays out a value whose inner values cannot be addressed by paths.
func (s *turnLayout) within(text, path string) *node {
	lay := *s.lay
	lay.more, lay.open = func(string) string { return s.more(path) }, len(text) <= shortJSON
	n := lay.value(gjson.Parse(text), "", path, 1)
	s.lay.left = lay.left
	return &n
}

package viewer

import (
	"cmp"
	"regexp"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
)

// A conversationLayout is a conversation as a template needs it.
type conversationLayout struct {
	Shape      string
	Reject     *conversation.Reject
	Tools      []tool
	Turns      []turn
	Candidates []candidate
	Rest       []node
	Left       int // turns that are left out
	More       string
}

type tool struct {
	Name, Description string
	Schema            *node
}

type candidate struct {
	Name, Class string
	Turns       []turn
}

type turn struct {
	conversation.Turn
	Parts []part
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
	mostTurns  = 200
	mostPart   = 600 // characters of a result that is not folded
	mostParts  = 100
	mostTools  = 100
	mostBeside = 100
)

type turnLayout struct {
	hit  *regexp.Regexp
	more func(path string) string
	lay  *layout
}

func layOutConversation(read *conversation.Conversation, hit *regexp.Regexp, more func(path string) string) *conversationLayout {
	s := &turnLayout{hit: hit, more: more, lay: newLayout(hit, more)}
	t := &conversationLayout{Shape: read.Shape, Reject: read.Reject, More: more("")}
	left := mostTurns
	for _, w := range read.Candidates { // each has its share, and what comes before them has the rest
		shown := w.Turns[:min(len(w.Turns), mostTurns/(1+len(read.Candidates)))]
		t.Candidates = append(t.Candidates, candidate{w.Name, map[string]string{"chosen": "good", "rejected": "bad"}[w.Name], s.turns(shown)})
		left -= len(shown)
		t.Left += len(w.Turns) - len(shown)
	}
	shown := read.Turns[:min(len(read.Turns), left)]
	t.Turns = s.turns(shown)
	t.Left += len(read.Turns) - len(shown)
	for _, x := range read.Tools[:min(len(read.Tools), mostTools)] {
		y := tool{Name: format.Printable(x.Name), Description: format.Printable(format.Cut(x.Description, mostPart))}
		if x.Schema != "" {
			y.Schema = s.within(x.Schema, "")
			y.Schema.Open = false
		}
		t.Tools = append(t.Tools, y)
	}
	for _, m := range read.Rest[:min(len(read.Rest), mostBeside)] {
		t.Rest = append(t.Rest, *s.json(m.JSON, m.Key, m.Path))
	}
	return t
}

func (s *turnLayout) turns(from []conversation.Turn) (all []turn) {
	for _, x := range from {
		t := turn{Turn: x}
		for i, p := range x.Parts {
			if i == mostParts {
				t.Marks = append(t.Marks, format.Plural(len(x.Parts)-i, "part")+" more, in the JSON")
				break
			}
			t.Parts = append(t.Parts, s.part(&p, x.Path))
		}
		all = append(all, t)
	}
	return all
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
		y.Note = format.Plural(len([]rune(cmp.Or(p.Text, p.JSON))), "character")
	}
	if p.Text != "" {
		x := foldText(p.Text, mostHead, s.hit, s.more(path))
		y.Passage = &x
	}
	if p.JSON != "" && gjson.Valid(p.JSON) {
		if p.Path != "" {
			y.JSON = s.json(p.JSON, "", p.Path)
		} else {
			y.JSON = s.within(p.JSON, path)
		}
	}
	return y
}

func (s *turnLayout) json(text, key, path string) *node {
	n := s.lay.value(gjson.Parse(text), format.Printable(key), path, 1)
	return &n
}

// within lays out a value whose inner values cannot be addressed by paths.
func (s *turnLayout) within(text, path string) *node {
	lay := *s.lay
	lay.more = func(string) string { return s.more(path) }
	n := lay.value(gjson.Parse(text), "", path, 1)
	s.lay.left = lay.left
	return &n
}

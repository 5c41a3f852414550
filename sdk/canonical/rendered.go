package canonical

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A rendering holds the messages that plugin chatml writes of a row for no model in particular, so that rows which become one are known
// as one, however they were recorded. Rows that chatml rejects have messages too.
type rendering struct {
	row             *Row
	turns           []Turn // of row, without repeated system turns; those behind the head are the user's
	messages        []spoken
	texts, thoughts []jsontext.Body
	calls           []int // indices in row.Parts
	results         []int // of the turn that is read, not yet messages
	numbers         []int // of calls, by index in row.Parts, from 1
	open            bool  // the last message takes the next parts of an assistant's turn
	partial         bool  // a part's data are not in the messages

	instructed map[jsontext.Body]bool
}

// A spoken is one message.
type spoken struct {
	role                   Role
	texts, thoughts, calls span // in the rendering
	result                 int  // of a Tool: index in row.Parts
	run                    int  // the first of the results next to each other of which it is one, which is itself for other messages

	digest Digest // if it has been computed
	known  bool
}

type span struct{ from, to int }

func (s span) empty() bool { return s.from == s.to }

// begin starts with the system message: the turns at the head, joined by blank lines.
func (d *rendering) begin(r *Row) {
	d.row, d.open, d.partial = r, false, false
	d.messages, d.texts, d.thoughts, d.calls = jsontext.Reuse(d.messages), jsontext.Reuse(d.texts), jsontext.Reuse(d.thoughts), jsontext.Reuse(d.calls)
	d.turns = append(jsontext.Reuse(d.turns), r.Turns...)
	d.numbers = append(jsontext.Reuse(d.numbers), make([]int, len(r.Parts))...)
	clear(d.instructed)
	instructs := func(t Turn) bool { return t.Role == System || t.Role == Developer }
	head := slices.IndexFunc(d.turns, func(t Turn) bool { return !instructs(t) })
	for i := range d.turns {
		t := &d.turns[i]
		if !instructs(*t) {
			continue
		}
		if body, plain := r.TextOf(*t); plain && d.repeats(body) {
			t.From = t.To
		} else if head >= 0 && i > head {
			t.Role = User
		} else {
			if len(d.texts) > 0 {
				d.texts = append(d.texts, `\n\n`)
			}
			d.say(*t)
		}
	}
	if all := (span{0, len(d.texts)}); d.says(all) {
		d.add(spoken{role: System, texts: all})
	}
}

// repeats reports whether a system text came before, and remembers it.
func (d *rendering) repeats(body jsontext.Body) bool {
	if d.instructed[body] {
		return true
	}
	if d.instructed == nil {
		d.instructed = map[jsontext.Body]bool{}
	}
	d.instructed[body] = true
	return false
}

// turn adds the messages of one of the turns.
func (d *rendering) turn(t Turn) {
	switch t.Role {
	case Assistant:
		d.assistant(t)
		return
	case System, Developer:
		return
	}
	for i := t.From; i < t.To; i++ {
		if d.row.Parts[i].Kind == ResultPart {
			d.result(i)
			i += d.row.Parts[i].Sub
		}
	}
	m := spoken{role: t.Role, texts: span{len(d.texts), len(d.texts)}}
	d.say(t)
	if m.texts.to = len(d.texts); d.says(m.texts) {
		d.add(m)
	}
}

// add adds a message.
func (d *rendering) add(m spoken) {
	m.run = len(d.messages)
	d.messages = append(d.messages, m)
}

// say adds the texts of a turn that is not the assistant's.
func (d *rendering) say(t Turn) {
	for i := t.From; i < t.To; i++ {
		if p := &d.row.Parts[i]; p.Kind == ResultPart {
			i += p.Sub
		} else {
			d.text(p)
		}
	}
}

// text adds the text of a part, or a word for a medium. What else a text has no place for is left out.
func (d *rendering) text(p *Part) {
	switch p.Kind {
	case TextPart:
		d.texts = append(d.texts, p.Body)
	case MediaPart:
		d.texts, d.partial = append(d.texts, "[media]"), true
	case ReasoningPart, StepPart, AsidePart:
	default:
		d.partial = true
	}
}

func (d *rendering) result(i int) {
	p := &d.row.Parts[i]
	m := spoken{role: Tool, result: i, texts: span{len(d.texts), len(d.texts)}}
	for n := range p.Sub {
		d.text(&d.row.Parts[i+1+n])
	}
	m.texts.to = len(d.texts)
	at := len(d.messages)
	if m.run = at; p.Mate >= 0 && at > 0 && d.mate(at-1) >= 0 {
		m.run = d.messages[at-1].run
	}
	for at > m.run && d.mate(at-1) > p.Mate { // results are in the order of their calls
		at--
	}
	d.messages = slices.Insert(d.messages, at, m)
}

// mate returns the call that a message is the result of, or -1.
func (d *rendering) mate(i int) int {
	if m := &d.messages[i]; m.role == Tool {
		return d.row.Parts[m.result].Mate
	}
	return -1
}

// response adds the messages of the response. A result that nothing follows is none.
func (d *rendering) response() {
	history := len(d.messages)
	d.assistant(d.row.Response)
	for n := len(d.messages); n > history && d.messages[n-1].role == Tool; n-- {
		d.messages = d.messages[:n-1]
	}
}

// assistant adds the messages of an assistant's turn: text and calls, the results of tools, what was said then.
func (d *rendering) assistant(t Turn) {
	first := len(d.messages)
	d.open = d.continues(t)
	d.results = d.results[:0]
	env, folded := d.row.EnvelopeOf(t)
	for i := t.From; i < t.To; i++ {
		p := &d.row.Parts[i]
		switch p.Kind {
		case ResultPart:
			d.results = append(d.results, i)
			i += p.Sub
		case StepPart:
			d.answer()
			d.open = d.open && d.silent(first)
		case AsidePart:
		case CallPart:
			m := d.last()
			d.calls = append(d.calls, i)
			d.numbers[i] = len(d.calls)
			m.calls.to = len(d.calls)
		case ReasoningPart:
			d.answer()
			d.think(p.Body)
		case TextPart, MediaPart:
			d.answer()
			if m := d.last(); !m.calls.empty() && p.Body.Blank() {
				continue
			}
			if folded {
				d.think(env.Thought)
				d.texts = append(d.texts, env.Message)
			} else {
				d.speak(p)
			}
			d.last().texts.to = len(d.texts)
		default:
			d.answer()
			d.partial = true
		}
	}
	if d.answer(); d.silent(first) {
		d.messages = d.messages[:len(d.messages)-1]
	}
}

// goesOn reports whether a turn begins with what belongs to the messages before it: more calls, or more results.
func (d *rendering) goesOn(t Turn) bool {
	n := len(d.messages)
	if n > 0 && d.messages[n-1].role == Tool {
		return (t.Role == Tool || t.Role == User) && d.row.Has(t, ResultPart)
	}
	return d.continues(t)
}

// continues reports whether a turn goes on with the calls of the message before it, and says nothing before its own.
func (d *rendering) continues(t Turn) bool {
	n := len(d.messages)
	if n == 0 || t.Role != Assistant || t.Index == InResponse || d.messages[n-1].role != Assistant || d.messages[n-1].calls.empty() {
		return false
	}
	for i := t.From; i < t.To; i++ {
		if p := &d.row.Parts[i]; p.Kind != TextPart || !p.Body.Blank() {
			return p.Kind == CallPart
		}
	}
	return false
}

// answer adds the results that were read. What follows is another message.
func (d *rendering) answer() {
	for _, i := range d.results {
		d.result(i)
	}
	d.open = d.open && len(d.results) == 0
	d.results = d.results[:0]
}

// last returns the message that takes the next part of an assistant's turn.
func (d *rendering) last() *spoken {
	if !d.open {
		text, thought, call := len(d.texts), len(d.thoughts), len(d.calls)
		d.add(spoken{role: Assistant, texts: span{text, text}, thoughts: span{thought, thought}, calls: span{call, call}})
		d.open = true
	}
	m := &d.messages[len(d.messages)-1]
	m.known = false
	return m
}

// speak adds a text of the assistant. A thought between tags at the head of a message is no text.
func (d *rendering) speak(p *Part) {
	if m := d.last(); p.Kind == TextPart && m.texts.empty() {
		if thought, rest, ok := p.Thought(); ok {
			said := !m.thoughts.empty() && strings.TrimSpace(d.thoughts[m.thoughts.to-1].Text()) == strings.TrimSpace(thought.Text())
			if !said {
				d.think(thought)
			}
			d.texts = append(d.texts, rest)
			return
		}
	}
	d.text(p)
}

// think adds a thought, unless its provider gave it in no readable form.
func (d *rendering) think(body jsontext.Body) {
	m := d.last()
	if body == "" {
		return
	}
	if !m.thoughts.empty() {
		d.thoughts = append(d.thoughts, `\n\n`)
	}
	d.thoughts = append(d.thoughts, body)
	m.thoughts.to = len(d.thoughts)
}

// silent reports whether the last message says nothing and came after the first ones.
func (d *rendering) silent(first int) bool {
	n := len(d.messages) - 1
	if n < first {
		return false
	}
	m := &d.messages[n]
	return m.role == Assistant && m.calls.empty() && m.thoughts.empty() && !d.says(m.texts)
}

func (d *rendering) says(s span) bool {
	return slices.ContainsFunc(d.texts[s.from:s.to], func(body jsontext.Body) bool { return !body.Blank() })
}

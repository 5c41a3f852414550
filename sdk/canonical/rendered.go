package canonical

import (
	"iter"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Rendering groups the parts of a row into messages: it decides which parts become one message, in what order results come, and what
// says nothing and so is no message. Plugin chatml writes these messages, and a Content identifies them, so that rows which are written
// alike have one content. The two differ in what they show of a part: the caller walks through the parts of each turn in the order in which
// they are yielded, and says what of each part goes into the last message.
type Rendering struct {
	Turns    []Turn // of the row; the caller may change the roles of those that System yields
	Messages []Message
	Repeated int // how many turns of the system repeat one before

	row             *Row
	texts, thoughts []jsontext.Body // of the messages
	calls           []int           // of the messages
	results         []int           // of the turn at hand, not yet messages
	paragraph       int             // where in texts the last paragraph begins
	open            bool            // the last message takes the next parts of an assistant's turn
	instructed      map[jsontext.Body]bool
}

// A Message is one message of a Rendering.
type Message struct {
	Role            Role
	Turn            Turn            // where it is from
	Texts, Thoughts []jsontext.Body // to put one after another
	Calls           []int           // indices in Row.Parts
	Result          int             // of a Tool: likewise

	text, thought, call int // where Texts, Thoughts and Calls begin in those of all messages
	run                 int // the first of the results next to each other of which it is one, which is itself for other messages

	digest Digest // if it has been computed
	known  bool
}

// Says reports whether the texts of a message hold more than white space.
func (m *Message) Says() bool {
	return slices.ContainsFunc(m.Texts, func(body jsontext.Body) bool { return !body.Blank() })
}

// Begin begins with a row. It reuses d's memory.
func (d *Rendering) Begin(r *Row) {
	d.row, d.open, d.paragraph, d.Repeated = r, false, 0, 0
	d.Turns = append(jsontext.Reuse(d.Turns), r.Turns...)
	d.Messages, d.calls = jsontext.Reuse(d.Messages), jsontext.Reuse(d.calls)
	d.texts, d.thoughts = jsontext.Reuse(d.texts), jsontext.Reuse(d.thoughts)
}

// System opens the message of the system, and yields the turns that instruct the model by their index in Turns, but none that repeats a
// text. late reports whether a turn of somebody else comes before. Close ends the message.
func (d *Rendering) System() iter.Seq2[int, bool] {
	return func(yield func(i int, late bool) bool) {
		clear(d.instructed)
		d.Open(System, Turn{})
		late := false
		for i := range d.Turns {
			t := &d.Turns[i]
			if t.Role != System && t.Role != Developer {
				late = true
			} else if body, plain := d.row.TextOf(*t); plain && d.repeats(body) {
				t.From = t.To
				d.Repeated++
			} else if !yield(i, late) {
				return
			}
		}
	}
}

// repeats reports whether a text of the system came before, and remembers it.
func (d *Rendering) repeats(body jsontext.Body) bool {
	if d.instructed[body] {
		return true
	}
	if d.instructed == nil {
		d.instructed = map[jsontext.Body]bool{}
	}
	d.instructed[body] = true
	return false
}

// Paragraph separates what the system says next from what it said, by a blank line.
func (d *Rendering) Paragraph() {
	if len(d.texts) > 0 {
		d.add(`\n\n`)
	}
	d.paragraph = len(d.texts)
}

// Speech yields the parts of a user's or tool's turn: its results, which become messages of their own, then opens a message and yields the
// other parts. Close ends that.
func (d *Rendering) Speech(t Turn) iter.Seq[int] {
	return func(yield func(int) bool) {
		parts := d.row.Parts
		for i := t.From; i < t.To; i++ {
			if parts[i].Kind == ResultPart {
				if !yield(i) {
					return
				}
				i += parts[i].Sub
			}
		}
		d.Open(t.Role, t)
		for i := t.From; i < t.To; i++ {
			if parts[i].Kind == ResultPart {
				i += parts[i].Sub
			} else if !yield(i) {
				return
			}
		}
	}
}

// Assistant yields the parts of an assistant's turn, in an open message: thoughts, texts and calls, then the results of these, each of
// which becomes a message, then what was said behind them. Blank texts behind calls are left out, and so is a message without contents.
func (d *Rendering) Assistant(t Turn) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := len(d.Messages)
		d.open, d.results = d.Continues(t), d.results[:0]
		for i := t.From; i < t.To; i++ {
			p := &d.row.Parts[i]
			switch p.Kind {
			case ResultPart:
				d.results = append(d.results, i)
				i += p.Sub
				continue
			case CallPart, AsidePart:
			default:
				if !d.answer(yield) {
					return
				}
			}
			switch p.Kind {
			case StepPart:
				d.open = d.open && d.silent(first)
				continue
			case TextPart, MediaPart, ReasoningPart, CallPart:
				if !d.open {
					d.Open(Assistant, t)
					d.open = true
				}
				if p.Kind == TextPart && len(d.Last().Calls) > 0 && p.Body.Blank() {
					continue
				}
			}
			if !yield(i) {
				return
			}
		}
		if d.answer(yield) && d.silent(first) {
			d.Messages = d.Messages[:len(d.Messages)-1]
		}
	}
}

// answer yields the results that were read. What follows is another message.
func (d *Rendering) answer(yield func(int) bool) bool {
	for _, i := range d.results {
		if !yield(i) {
			return false
		}
	}
	d.open = d.open && len(d.results) == 0
	d.results = d.results[:0]
	return true
}

// Continues reports whether a turn goes on with the calls of the message before it, and says nothing before its own: parallel calls that
// were recorded one by one.
func (d *Rendering) Continues(t Turn) bool {
	if len(d.Messages) == 0 || t.Role != Assistant || t.Index == InResponse {
		return false
	}
	if m := d.Last(); m.Role != Assistant || len(m.Calls) == 0 {
		return false
	}
	for i := t.From; i < t.To; i++ {
		if p := &d.row.Parts[i]; p.Kind != TextPart || !p.Body.Blank() {
			return p.Kind == CallPart
		}
	}
	return false
}

// silent reports whether the last message says nothing and came after the first ones.
func (d *Rendering) silent(first int) bool {
	if len(d.Messages) <= first {
		return false
	}
	m := d.Last()
	return m.Role == Assistant && len(m.Calls) == 0 && len(m.Thoughts) == 0 && !m.Says()
}

// Open begins a message.
func (d *Rendering) Open(role Role, t Turn) *Message {
	d.Messages = append(d.Messages, Message{
		Role: role, Turn: t, text: len(d.texts), thought: len(d.thoughts), call: len(d.calls), run: len(d.Messages),
	})
	return d.Last()
}

// Close takes the last message away if it says nothing, and reports whether it says something.
func (d *Rendering) Close() bool {
	says := d.Last().Says()
	if !says {
		d.Messages = d.Messages[:len(d.Messages)-1]
	}
	return says
}

// Place puts the last message, which is a result, before the results of later calls next to it, and reports whether it moved:
// a template that shows no ids shows results as those of the calls in order.
func (d *Rendering) Place() (moved bool) {
	last := len(d.Messages) - 1
	m, mate := d.Messages[last], d.mate(last)
	if mate >= 0 && last > 0 && d.mate(last-1) >= 0 {
		m.run = d.Messages[last-1].run
	}
	at := last
	for at > m.run && d.mate(at-1) > mate {
		at--
	}
	copy(d.Messages[at+1:], d.Messages[at:last])
	d.Messages[at] = m
	return at < last
}

// mate returns the call that a message is the result of, or -1.
func (d *Rendering) mate(i int) int {
	if m := &d.Messages[i]; m.Role == Tool {
		return d.row.Parts[m.Result].Mate
	}
	return -1
}

// Trim takes results at the end away, down to that number of messages, and returns how many: nothing follows what a provider's own tool
// answered last.
func (d *Rendering) Trim(least int) (n int) {
	for len(d.Messages) > least && d.Last().Role == Tool {
		d.Messages = d.Messages[:len(d.Messages)-1]
		n++
	}
	return n
}

// Last returns the message that takes what is said next.
func (d *Rendering) Last() *Message { return &d.Messages[len(d.Messages)-1] }

// Say adds a text to the last message, behind join if it has a text in the same paragraph.
func (d *Rendering) Say(body, join jsontext.Body) {
	if join != "" && len(d.texts) > max(d.Last().text, d.paragraph) {
		d.add(join)
	}
	d.add(body)
}

func (d *Rendering) add(body jsontext.Body) {
	m := d.Last()
	d.texts = append(d.texts, body)
	m.Texts, m.known = d.texts[m.text:len(d.texts):len(d.texts)], false
}

// Call adds a call to the last message.
func (d *Rendering) Call(i int) {
	m := d.Last()
	d.calls = append(d.calls, i)
	m.Calls, m.known = d.calls[m.call:len(d.calls):len(d.calls)], false
}

// Think adds a thought to the last message, behind a blank line if it has one.
func (d *Rendering) Think(body jsontext.Body) {
	m := d.Last()
	if len(m.Thoughts) > 0 {
		d.thoughts = append(d.thoughts, `\n\n`)
	}
	d.thoughts = append(d.thoughts, body)
	m.Thoughts = d.thoughts[m.thought:len(d.thoughts):len(d.thoughts)]
}

// Thought cuts a thought between tags off a part that the last message takes, if that has no text before. It is ok for a thought that the
// message does not have yet.
func (d *Rendering) Thought(p *Part) (thought, rest jsontext.Body, ok bool) {
	m := d.Last()
	if p.Kind != TextPart || len(m.Texts) > 0 {
		return "", p.Body, false
	}
	if thought, rest, ok = p.Thought(); ok && len(m.Thoughts) > 0 {
		ok = strings.TrimSpace(m.Thoughts[len(m.Thoughts)-1].Text()) != strings.TrimSpace(thought.Text())
	}
	return thought, rest, ok
}

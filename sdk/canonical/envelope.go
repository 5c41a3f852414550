package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Envelope is a planner's answer {"thought", "toolCalls", "messageToUser"} in the text of a turn that also has the calls as
// parts. Rendering both would train every call twice.
type Envelope struct {
	Thought, Message jsontext.Body
	Answered         bool // a call has a result, so the calls must stay
	Other            bool // the calls in the text differ from the turn's
	Left             int  // how many members of its calls, such as arguments, differ from the turn's
	Members          int  // how many members other than these three it has
}

// EnvelopeOf reads the only text of a turn as an envelope. It is one when its calls are those of the turn, by name and order, and it
// says nothing else, so that nothing is lost when one of the two is removed. The parts of a turn without other calls are
// read from its envelope already.
func (r *Row) EnvelopeOf(t Turn) (env Envelope, ok bool) {
	var few [8]*Part
	text, texts, calls := jsontext.Body(""), 0, few[:0]
	for i := t.From; i < t.To; i++ {
		switch p := &r.Parts[i]; p.Kind {
		case TextPart, MediaPart:
			text = p.Body
			texts++
		case CallPart:
			calls = append(calls, p)
			env.Answered = env.Answered || p.Mate >= 0
		case ResultPart:
			i += p.Sub
		}
	}
	if t.Role != Assistant || t.Envelope != "" || texts != 1 || len(calls) == 0 {
		return env, false
	}
	p, ok := planIn(text)
	if !ok || !p.listed {
		return env, false
	}
	env.Thought, env.Message, env.Members = p.thought, p.message, p.left
	list := p.calls.Cursor()
	for range list.Elements() {
		var c Part
		_, left, _ := c.ReadCall(list.Value())
		if len(calls) == 0 || c.Name.Text() != calls[0].Name.Text() {
			env.Other = true
			return env, false
		}
		if env.Left += left; !sameValue(c.Value, calls[0].Value) {
			env.Left++
		}
		calls = calls[1:]
	}
	env.Other = len(calls) > 0
	return env, !env.Other
}

type plan struct {
	in               []inner // what it was read from
	thought, message jsontext.Body
	calls            jsontext.JSON
	listed           bool // has toolCalls
	left             int  // how many other members it has
}

// planIn reads a text that consists of a planner's envelope. A thought between tags and a code fence may surround it. An envelope
// with a thought may have other members, such as a confidence.
func planIn(body jsontext.Body) (p plan, ok bool) {
	at := opening(body)
	if at == len(body) || body[at] != '{' || len(body) > 6*jsontext.EmbeddedSize ||
		!strings.Contains(string(body), "toolCalls") && !strings.Contains(string(body), "messageToUser") ||
		strings.HasPrefix(string(body[space(body):]), "<think>") {
		return p, false
	}
	text := body[at:].Text()
	whole := jsontext.JSON(text).Cursor()
	value, ok := jsontext.Embedded(string(whole.Value()))
	rest := strings.TrimSpace(text[whole.At:])
	if !ok || rest != "" && (at == space(body) || rest != "```") {
		return p, false
	}
	from := found{inner: []inner{{body: body[at:], text: text}}}
	value = from.shorten(value)
	p.in = from.inner
	said := false
	for key, v := range value.Members() {
		switch kind := v.Kind(); {
		case key == "thought" && (kind == '"' || kind == 'n'):
			p.thought = v.Body()
		case key == "messageToUser" && (kind == '"' || kind == 'n'):
			p.message, said = v.Body(), true
		case key == "toolCalls" && (kind == '[' || kind == 'n'):
			p.calls, p.listed = v, true
		case key == "thought" || key == "messageToUser" || key == "toolCalls":
			return p, false
		case kind != 'n':
			p.left++
		}
	}
	return p, (p.listed || said) && (p.left == 0 || p.thought != "")
}

// unfold replaces an assistant's turn that consists of an envelope with the envelope's thought, message and calls. A planner that
// neither says nor calls anything leaves a thought alone.
func (rd *reader) unfold(t *Turn) {
	r := rd.row
	last := t.To - 1
	if t.Role != Assistant || last < t.From || t.To != len(r.Parts) || r.Parts[last].Kind != TextPart {
		return
	}
	text := r.Parts[last].Body
	p, ok := planIn(text)
	if !ok || !r.only(Turn{From: t.From, To: last}, ReasoningPart) {
		return
	}
	r.Parts = r.Parts[:last]
	if p.thought != "" {
		r.addPart(Part{Kind: ReasoningPart, Body: p.thought})
	}
	if !p.message.Blank() {
		r.addPart(Part{Kind: TextPart, Body: p.message})
	}
	// A faulty call leaves the text a text, and Names reads names from texts.
	faults, left := len(r.Faults), r.left
	calls := reader{Cursor: p.calls.Cursor(), row: r}
	if calls.Kind() == '[' {
		calls.calls("")
	}
	if len(r.Faults) > faults {
		r.Faults, r.left = r.Faults[:faults], left
		r.Parts = r.Parts[:last]
		r.addPart(Part{Kind: TextPart, Body: text})
		return
	}
	r.left[leftEnvelope] += p.left
	rd.found.inner, rd.found.sorted = append(rd.found.inner, p.in...), false
	t.To, t.Envelope, t.Unfolded, r.folded = len(r.Parts), text, last, true
}

// refold restores the text of a turn in the history whose calls have no results: nothing later shows that the calls were made.
func (r *Row) refold() {
	for i := range r.Turns {
		t := &r.Turns[i]
		if t.Envelope == "" || !r.Has(*t, CallPart) {
			continue
		}
		answered := false
		for _, p := range r.Parts[t.From:t.To] {
			answered = answered || p.Kind == CallPart && p.Mate >= 0
		}
		if !answered {
			p, _ := planIn(t.Envelope)
			r.left[leftEnvelope] -= p.left
			r.Parts[t.Unfolded] = Part{Kind: TextPart, Body: t.Envelope, Mate: -1}
			t.To, t.Envelope = t.Unfolded+1, ""
		}
	}
}

package canonical

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (rd *reader) calls(path string) {
	if kind := rd.Kind(); kind != '[' {
		rd.row.fault("bad_tool_call", path, "want an array, have %s", jsontext.KindName(kind))
		return
	}
	for i := range rd.Elements() {
		if !rd.full() {
			rd.call(path, i)
		}
	}
}

// call reads one call, in any spelling of Part.ReadCall. path is the path of the list that the call is element i of or, when i is negative, of
// the call.
func (rd *reader) call(path string, i int) {
	fault := func(format string, args ...any) {
		if i >= 0 {
			path += "." + strconv.Itoa(i)
		}
		rd.row.fault("bad_tool_call", path, format, args...)
	}
	if kind := rd.Kind(); kind != '{' {
		fault("want an object, have %s", jsontext.KindName(kind))
		rd.Skip()
		return
	}
	c := rd.callSpec()
	switch {
	case c.name.Blank():
		fault("want the name of a tool, have a call without a name")
	case c.fault != "":
		fault("%s", c.fault)
	default:
		rd.row.left[leftCall] += c.left
		rd.row.addPart(c.part())
	}
}

// pair sets Mate of every result and its call, by id or else by order. Speech of the user or assistant ends the search.
func (r *Row) pair() {
	var few [8]int
	pending := few[:0]
	for _, t := range r.Turns {
		if t.Role == User && !r.Has(t, ResultPart) {
			pending = pending[:0]
		}
		pending = r.pairTurn(t, pending)
	}
	r.pairTurn(r.Response, pending[:0])
	if r.folded {
		r.refold()
	}
	if r.denials {
		r.settleDenials()
	}
}

// settleDenials makes a user's denial the result of a call without one: the SDK states that only in its next request.
func (r *Row) settleDenials() {
	asked, waiting := map[jsontext.Body]jsontext.Body{}, map[jsontext.Body]int{} // ids of calls by approval; calls by id
	for i := range r.Parts {
		switch p := &r.Parts[i]; {
		case p.Kind == CallPart && p.Mate < 0:
			waiting[p.ID] = i
		case p.Kind == AsidePart && p.ID != "":
			asked[p.Name] = p.ID
		case p.Kind == AsidePart && p.Failed:
			call, ok := waiting[asked[p.Name]]
			if !ok {
				continue
			}
			c := &r.Parts[call]
			reason := p.Value.Body()
			*p = Part{ID: c.ID, Name: c.Name, Mate: call}
			p.deny(reason)
			c.Mate = i
			delete(waiting, c.ID)
		}
	}
}

// Unpaired returns what is wrong with part i of a turn that is a call of the history without a result, or a result without a call; nil for
// any other part. Reading a row finds no fault in it, since models are sent both.
func (r *Row) Unpaired(t Turn, i int) *Fault {
	fault := func(code, message string) *Fault { return &Fault{code, t.Path(), message} }
	p := &r.Parts[i]
	switch {
	case p.Mate >= 0 || t.Index == InResponse:
	case p.Kind == CallPart:
		return fault("dangling_call", "want a result for every tool call of the history, have a call without")
	case p.Kind == ResultPart:
		return fault("orphan_result", "want a call that this tool result answers")
	}
	return nil
}

// MaxWaiting is how many calls may wait for their results at one time. Every result searches all of them.
const MaxWaiting = 1000

func (r *Row) pairTurn(t Turn, pending []int) []int {
	begun := false
	for i := t.From; i < t.To; i++ {
		p := &r.Parts[i]
		switch p.Kind {
		case TextPart:
			if t.Role == Assistant && !begun && !p.Body.Blank() {
				pending = pending[:0]
			}
		case CallPart:
			begun = true
			if pending = append(pending, i); len(pending) == MaxWaiting+1 {
				r.fault("too_many_calls", t.Path(), "want at most %d calls without a result at a time, have at least one more", MaxWaiting)
			}
			pending = pending[:min(len(pending), MaxWaiting)]
		case ResultPart:
			begun = true
			at := r.callOf(p, pending)
			if at >= 0 {
				p.Mate = pending[at]
				r.Parts[pending[at]].Mate = i
				pending = append(pending[:at], pending[at+1:]...)
			}
			i += p.Sub
		}
	}
	return pending
}

// callOf returns the index in pending of the call that a result answers, or -1. Of calls with the same id that is the one with the name
// of the result.
func (r *Row) callOf(result *Part, pending []int) int {
	if result.ID != "" {
		first := -1
		for at, i := range pending {
			if c := &r.Parts[i]; c.ID.Is(result.ID) {
				if result.Name == "" || c.Name.Is(result.Name) {
					return at
				}
				if first < 0 {
					first = at
				}
			}
		}
		if first >= 0 {
			return first
		}
	}
	return slices.IndexFunc(pending, func(i int) bool {
		c := &r.Parts[i]
		return (c.ID == "" || result.ID == "") && (result.Name == "" || c.Name.Is(result.Name))
	})
}

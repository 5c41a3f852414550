package canonical

import (
	"cmp"
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

// call reads one call: {toolCallId, toolName, input}, {id, name, args}, {id, name, arguments} or {id, function: {name,
// arguments}}. Of several members with the same meaning the first of these spellings that is not empty wins. path is
// the path of the list that the call is element i of or, when i is negative, of the call.
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
	var name, id [3]jsontext.Body
	var input [4]jsontext.JSON
	for key := range rd.Members() {
		switch key {
		case "toolName":
			name[0], _ = rd.name(CallUse)
		case "name":
			name[1], _ = rd.name(CallUse)
		case "tool_name", "tool":
			rd.name(CallUse)
			rd.row.left[leftCall]++
		case "toolCallId":
			id[0], _ = rd.String()
		case "id":
			id[1], _ = rd.String()
		case "tool_call_id":
			id[2], _ = rd.String()
		case "input":
			input[0] = rd.Value()
		case "args":
			input[1] = rd.Value()
		case "arguments":
			input[2] = rd.Value()
		case "type":
			if !callTypes[string(rd.Value().Body())] {
				rd.row.left[leftCall]++
			}
		case "function":
			rd.function(&name[2], &input[3])
		default:
			rd.leave(leftCall)
		}
	}
	p := Part{Kind: CallPart, ID: cmp.Or(id[:]...), Name: cmp.Or(name[:]...), Value: cmp.Or(input[:]...)}
	if p.Name.Blank() {
		fault("want the name of a tool, have a call without a name")
		return
	}
	rd.row.left[leftCall] += p.others(name[:], input[:])
	rd.row.addPart(p)
}

// function reads the member "function" of a call: the name of the tool, and its input.
func (rd *reader) function(name *jsontext.Body, input *jsontext.JSON) {
	for key := range rd.Members() {
		switch key {
		case "name":
			*name, _ = rd.name(CallUse)
		case "toolName":
			rd.name(CallUse)
			rd.row.left[leftCall]++
		case "arguments":
			*input = rd.Value()
		default:
			rd.row.left[leftCall]++
		}
	}
}

// others counts the names and inputs of a call that are not those of p.
func (p *Part) others(names []jsontext.Body, inputs []jsontext.JSON) (n int) {
	for _, name := range names {
		if name != "" && !name.Is(p.Name) {
			n++
		}
	}
	for _, input := range inputs {
		if input.Truthy() && !sameValue(input, p.Value) {
			n++
		}
	}
	return n
}

// callTypes are the types of calls without a meaning of their own.
var callTypes = map[string]bool{"": true, "function": true, "tool-call": true, "tool_call": true, "tool_use": true, "function_call": true}

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

// callOf returns the index in pending of the call that a result answers, or -1.
func (r *Row) callOf(result *Part, pending []int) int {
	if result.ID != "" {
		if at := slices.IndexFunc(pending, func(i int) bool { return r.Parts[i].ID.Is(result.ID) }); at >= 0 {
			return at
		}
	}
	return slices.IndexFunc(pending, func(i int) bool {
		c := &r.Parts[i]
		return (c.ID == "" || result.ID == "") && (result.Name == "" || c.Name.Is(result.Name))
	})
}

package calls

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Heard returns a canonical row with the calls, results and thoughts that are marked in texts of the assistant as parts of their own, as
// plugin chatml shows it. JSON alone stays a text: planners answer in it. So do all calls in texts where the conversation goes on behind
// one and none has a result but what the user says. It counts what is mended and lost, and calls that stay text. The fault says why a
// text cannot be read, with code bad_call, bad_tool_call or open_thought.
func Heard(row *canonical.Row, count func(name string, n int)) (heard *canonical.Row, fault *canonical.Fault) {
	h := hearing{row: row, offer: offer{row: row}}
	heard, fault = row.Retold(h.read)
	if fault != nil {
		return nil, fault
	}
	if told := h.toldByUser(heard); told > 0 {
		h.ends, h.left, h.keeps = 0, 0, true
		heard, fault = row.Retold(h.read)
		count("call_in_text", told)
	}
	if h.ends > 0 {
		count("mended.end_mark", h.ends)
	}
	if h.left > 0 {
		count("loss.call_member", h.left)
	}
	return heard, fault
}

// toldByUser returns how many calls were read in texts, if the conversation goes on behind one of them and none has a result; else 0.
func (h *hearing) toldByUser(heard *canonical.Row) (n int) {
	if heard == h.row {
		return 0
	}
	goesOn := false
	in := func(was, t canonical.Turn, last bool) bool {
		if h.row.Has(was, canonical.CallPart) {
			return true
		}
		for _, p := range heard.Parts[t.From:t.To] {
			if p.Kind != canonical.CallPart {
				continue
			}
			if p.Mate >= 0 {
				return false
			}
			n++
			goesOn = goesOn || !last
		}
		return true
	}
	for i, t := range heard.Turns {
		if !in(h.row.Turns[i], t, false) {
			return 0
		}
	}
	if !in(h.row.Response, heard.Response, true) || !goesOn {
		return 0
	}
	return n
}

// ReadContent reads the content of a row as Heard returns it, so that rows which are shown alike have one. A row that is not shown, since
// a text cannot be read, has that of its texts.
func ReadContent(c *canonical.Content, row *canonical.Row) {
	if heard, fault := Heard(row, func(string, int) {}); fault == nil {
		row = heard
	}
	c.Read(row)
}

// A hearing reads the texts of one row.
type hearing struct {
	row   *canonical.Row
	offer offer
	keeps bool // calls stay text

	ends, left int // end marks that were cut off, and members of calls that are not read
}

// read returns the parts of a text, nil when it is one.
func (h *hearing) read(t canonical.Turn, body jsontext.Body) ([]canonical.Part, *canonical.Fault) {
	if !Marked(string(body)) {
		return nil, nil
	}
	text := body.Text()
	turns := []Turn{{Reading: Reading{Text: TrimEnd(text)}}}
	var err error
	start := strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[{"):
	case h.keeps:
		turns[0].Thought, turns[0].Text = Thought(turns[0].Text)
	default:
		turns, err = Turns(text, &h.offer)
	}
	switch {
	case errors.Is(err, ErrThought):
		return nil, &canonical.Fault{Code: "open_thought", Path: t.Path(), Message: err.Error()}
	case err != nil:
		return nil, &canonical.Fault{Code: "bad_call", Path: t.Path(), Message: fmt.Sprintf("want a tool call that parses: %v", err)}
	case turns[0].Text == text || slices.ContainsFunc(turns, told) || len(turns) == 1 && turns[0].Calls == nil && isCut(body, turns[0].Text):
		return nil, nil
	}
	if len(TrimEnd(text)) < len(text) {
		h.ends++
	}
	return h.partsOf(t, turns)
}

// told reports whether a turn has a result that is text, since it answers an action that is.
func told(t Turn) bool {
	return slices.ContainsFunc(t.Results, func(r Result) bool { return r.Told })
}

// isCut reports whether chatml leaves the same text of a body.
func isCut(body jsontext.Body, text string) bool {
	p := canonical.Part{Kind: canonical.TextPart, Body: body}
	_, rest, ok := p.Thought()
	return ok && strings.TrimSpace(rest.Text()) == strings.TrimSpace(text)
}

// partsOf returns the parts of what an assistant's text says. The turn may have the calls of the text beside it.
func (h *hearing) partsOf(t canonical.Turn, turns []Turn) ([]canonical.Part, *canonical.Fault) {
	parts := []canonical.Part{}
	for i, said := range turns {
		if i > 0 {
			parts = append(parts, canonical.Part{Kind: canonical.StepPart})
		}
		left := said.Left
		if said.Thought != "" && !h.hasSaid(t, said.Thought) {
			parts = append(parts, canonical.Part{Kind: canonical.ReasoningPart, Body: jsontext.BodyOf(said.Thought)})
		}
		if strings.TrimSpace(said.Text) != "" {
			parts = append(parts, canonical.Part{Kind: canonical.TextPart, Body: jsontext.BodyOf(said.Text)})
		}
		beside := h.row.Has(t, canonical.CallPart)
		for _, call := range said.Calls {
			switch {
			case call.Fault != "":
				return nil, &canonical.Fault{Code: "bad_tool_call", Path: t.Path(), Message: call.Fault}
			case beside && !h.hasCall(t, call.Name):
				return nil, &canonical.Fault{
					Code: "bad_call", Path: t.Path(),
					Message: fmt.Sprintf("want the calls of the text to be the turn's, have one of %q in the text", call.Name.Text()),
				}
			case beside:
				continue
			}
			left += call.Left
			parts = append(parts, canonical.Part{Kind: canonical.CallPart, ID: call.ID, Name: call.Name, Value: call.Args})
		}
		h.left += left
		for _, result := range said.Results {
			parts = append(parts, canonical.Part{Kind: canonical.ResultPart, ID: jsontext.BodyOf(result.ID), Name: jsontext.BodyOf(result.Name), Body: jsontext.BodyOf(result.Content)})
		}
	}
	return parts, nil
}

// hasSaid reports whether a turn has a thought.
func (h *hearing) hasSaid(t canonical.Turn, thought string) bool {
	return slices.ContainsFunc(h.row.Parts[t.From:t.To], func(p canonical.Part) bool {
		return p.Kind == canonical.ReasoningPart && strings.TrimSpace(p.Body.Text()) == thought
	})
}

func (h *hearing) hasCall(t canonical.Turn, name jsontext.Body) bool {
	return slices.ContainsFunc(h.row.Parts[t.From:t.To], func(p canonical.Part) bool { return p.Kind == canonical.CallPart && p.Name.Is(name) })
}

// An offer is what the reading of a text asks of its row.
type offer struct {
	row   *canonical.Row
	tools map[string]jsontext.JSON // schemas by name; nil until one is asked for
}

func (o *offer) schemas() map[string]jsontext.JSON {
	if o.tools == nil {
		o.tools = map[string]jsontext.JSON{}
		list, _ := canonical.ReadTools(o.row.Tools)
		for _, t := range list {
			o.tools[t.Name.Text()], _, _ = t.Schema()
		}
	}
	return o.tools
}

func (o *offer) Knows(tool string) bool {
	_, ok := o.schemas()[tool]
	return ok
}

func (o *offer) IsText(tool, parameter string) bool {
	return o.schemas()[tool].Get("properties").Get(parameter).Get("type") == `"string"`
}

func (o *offer) Mentions(mark string) bool {
	for _, t := range o.row.Turns {
		if t.Role == canonical.Assistant {
			return false
		}
		for _, p := range o.row.Parts[t.From:t.To] {
			if p.Kind == canonical.TextPart && strings.Contains(p.Body.Text(), mark) {
				return true
			}
		}
	}
	return false
}

package chatml

import (
	"errors"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	intext "github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// heard returns the row with the calls, results and thoughts that are marked in texts of the assistant as parts of their own. JSON alone
// stays a text: planners answer in it. With calls = "members" the row stays as it is.
func (c *conversation) heard(r *sdk.Record) (*canonical.Row, error) {
	if c.spoken == "members" {
		return c.row, nil
	}
	offered := offer{row: c.row}
	return c.row.Retold(func(t canonical.Turn, body jsontext.Body) ([]canonical.Part, error) {
		if !intext.Marked(string(body)) {
			return nil, nil
		}
		text := body.Text()
		turns := []intext.Turn{{Reading: intext.Reading{Text: intext.TrimEnd(text)}}}
		var err error
		if start := strings.TrimLeft(text, " \t\r\n"); !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[{") {
			turns, err = intext.Turns(text, &offered)
		}
		switch {
		case errors.Is(err, intext.ErrThought):
			return nil, sdk.Reject("open_thought", t.Path(), "%v", err)
		case err != nil:
			return nil, sdk.Reject("bad_call", t.Path(), "want a tool call that parses: %v", err)
		case turns[0].Text == text || slices.ContainsFunc(turns, told) || len(turns) == 1 && turns[0].Calls == nil && isCut(body, turns[0].Text):
			return nil, nil
		}
		if len(intext.TrimEnd(text)) < len(text) {
			r.Count("mended.end_mark", 1)
		}
		return c.partsOf(r, t, turns)
	})
}

// told reports whether a turn has a result that is text, since it answers an action that is.
func told(t intext.Turn) bool {
	return slices.ContainsFunc(t.Results, func(r intext.Result) bool { return r.Told })
}

// isCut reports whether speak leaves the same text of a body.
func isCut(body jsontext.Body, text string) bool {
	p := canonical.Part{Kind: canonical.TextPart, Body: body}
	_, rest, ok := p.Thought()
	return ok && strings.TrimSpace(rest.Text()) == strings.TrimSpace(text)
}

// partsOf returns the parts of what an assistant's text says. The turn may have the calls of the text beside it.
func (c *conversation) partsOf(r *sdk.Record, t canonical.Turn, turns []intext.Turn) ([]canonical.Part, error) {
	parts := []canonical.Part{}
	for i, said := range turns {
		if i > 0 {
			parts = append(parts, canonical.Part{Kind: canonical.StepPart})
		}
		left := said.Left
		if said.Thought != "" && !c.hasSaid(t, said.Thought) {
			parts = append(parts, canonical.Part{Kind: canonical.ReasoningPart, Body: jsontext.BodyOf(said.Thought)})
		}
		if strings.TrimSpace(said.Text) != "" {
			parts = append(parts, canonical.Part{Kind: canonical.TextPart, Body: jsontext.BodyOf(said.Text)})
		}
		beside := c.row.Has(t, canonical.CallPart)
		for _, call := range said.Calls {
			switch {
			case call.Fault != "":
				return nil, sdk.Reject("bad_tool_call", t.Path(), "%s", call.Fault)
			case beside && !c.hasCall(t, call.Name):
				return nil, sdk.Reject("bad_call", t.Path(), "want the calls of the text to be the turn's, have one of %q in the text", call.Name.Text())
			case beside:
				continue
			}
			left += call.Left
			parts = append(parts, canonical.Part{Kind: canonical.CallPart, ID: call.ID, Name: call.Name, Value: call.Args})
		}
		if left > 0 {
			r.Count("loss.call_member", left)
		}
		for _, result := range said.Results {
			parts = append(parts, canonical.Part{Kind: canonical.ResultPart, ID: jsontext.BodyOf(result.ID), Name: jsontext.BodyOf(result.Name), Body: jsontext.BodyOf(result.Content)})
		}
	}
	return parts, nil
}

// hasSaid reports whether a turn has a thought.
func (c *conversation) hasSaid(t canonical.Turn, thought string) bool {
	return slices.ContainsFunc(c.row.Parts[t.From:t.To], func(p canonical.Part) bool {
		return p.Kind == canonical.ReasoningPart && strings.TrimSpace(p.Body.Text()) == thought
	})
}

func (c *conversation) hasCall(t canonical.Turn, name jsontext.Body) bool {
	return slices.ContainsFunc(c.row.Parts[t.From:t.To], func(p canonical.Part) bool { return p.Kind == canonical.CallPart && p.Name.Is(name) })
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
			o.tools[t.Name.Text()] = t.Schema
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

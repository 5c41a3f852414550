package modelspec

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (c *converter) language() string {
	switch c.calls {
	case "consecutive", "array":
		return "json"
	}
	return c.calls
}

// call adds a call as a message in the format of its tool. from is the turn's first message: where a format takes several
// calls, those of a turn share a message.
func (c *converter) call(r *sdk.Record, t canonical.Turn, i, from int) error {
	p := &c.row.Parts[i]
	tool, err := c.toolOf(r, p.Name)
	if err != nil {
		return err
	}
	args, err := arguments(p.Value, t)
	if err != nil {
		return err
	}
	if p.ID != "" {
		r.Count("loss.call_id", 1)
	}
	m := message{Message: notation.Message{Role: notation.Assistant, Format: tool.format}, tool: tool.shown, call: true, first: len(c.open)}
	var content jsontext.Body
	c.open = append(c.open, i)
	switch c.calls {
	case "python":
		line, err := toolschema.AppendPythonCall(nil, tool.shown, args)
		if err != nil {
			return sdk.Reject("python_name", t.Path(), "%s", err)
		}
		m.tool, content = notation.PythonTool, jsontext.BodyOf(line)
	case "yaml":
		content = jsontext.BodyOf(notation.AppendYAML(nil, args))
	default:
		content = c.compact(args)
	}
	n := len(c.messages)
	several := c.calls != "consecutive" && c.calls != "yaml" // in one message
	if !several || n == from || !c.messages[n-1].call || c.messages[n-1].tool != m.tool {
		c.add(m, content)
		return nil
	}
	between := jsontext.Body(`\n`)
	if c.calls == "array" {
		between = ","
	}
	c.chunks = append(c.chunks, between, content)
	c.messages[n-1].to = len(c.chunks)
	return nil
}

// arguments returns the input of a call as JSON.
func arguments(value jsontext.JSON, t canonical.Turn) (jsontext.JSON, error) {
	body, quoted := value.Quoted()
	if quoted && !body.Blank() {
		var ok bool
		if value, ok = body.Embedded(); !ok {
			return "", sdk.Reject("bad_arguments", t.Path(), "want arguments that are JSON, have a string that is not")
		}
	} else if quoted {
		value = ""
	}
	if value == "" || value == "null" {
		return "{}", nil
	}
	return value, nil
}

// answer adds the collected results, each behind the message of its call, in the order of the calls, since a thread has no ids.
func (c *converter) answer(r *sdk.Record) error {
	if len(c.results) == 0 {
		return nil
	}
	byCall := func(a, b int) int { return c.row.Parts[a].Mate - c.row.Parts[b].Mate }
	slices.SortStableFunc(c.results, byCall)
	for n, i := range c.results {
		switch p := &c.row.Parts[i]; {
		case p.Mate < 0:
			return sdk.Reject("orphan_result", "request.messages", "want the call of every result before it, have a result without a call")
		case n >= len(c.open) || c.open[n] != p.Mate:
			return sdk.Reject("missing_result", "request.messages", "want results for all calls before one with a result, have a call without")
		}
	}
	if err := c.place(r); err != nil {
		return err
	}
	c.open = append(c.open[:0], c.open[len(c.results):]...)
	c.results = c.results[:0]
	return nil
}

// place puts each result behind the message of its call. The results of a message that has some already go to the end.
func (c *converter) place(r *sdk.Record) error {
	from := len(c.messages)
	for from > 0 && c.messages[from-1].call {
		from--
	}
	c.pending = append(c.pending[:0], c.messages[from:]...)
	c.messages = c.messages[:from]
	if len(c.pending) > 1 {
		r.Count("loss.parallel", 1)
	}
	given := 0
	for k, m := range c.pending {
		m.first = max(0, m.first-len(c.results))
		c.messages = append(c.messages, m)
		for ; k+1 < len(c.pending) && given < min(c.pending[k+1].first, len(c.results)); given++ {
			if err := c.result(r, c.results[given]); err != nil {
				return err
			}
		}
	}
	for ; given < len(c.results); given++ {
		if err := c.result(r, c.results[given]); err != nil {
			return err
		}
	}
	return nil
}

var errMissing = sdk.Reject("missing_result", "request.messages", "want results for all calls of a tool or for none, have results for some")

func (c *converter) result(r *sdk.Record, i int) error {
	p := &c.row.Parts[i]
	if p.Failed {
		r.Count("loss.failed", 1)
	}
	tool, err := c.toolOf(r, c.row.Parts[p.Mate].Name)
	if err != nil {
		return err
	}
	m := message{Message: notation.Message{Role: notation.Tool}, tool: tool.shown}
	if m.Later = c.ToolRole == "context"; m.Later {
		m.Name = tool.shown
	}
	if c.unanswered[tool.shown] {
		return errMissing
	}
	c.answered[tool.shown] = true
	content, err := c.resultContent(r, i)
	if err != nil {
		return err
	}
	c.add(m, content...)
	return nil
}

// giveUp leaves the open calls without a result. A tool that never gets one does not halt the model.
func (c *converter) giveUp() error {
	for _, i := range c.open {
		tool, err := c.toolOf(nil, c.row.Parts[i].Name)
		if err != nil {
			return err
		}
		if c.calls == "python" {
			tool.shown = notation.PythonTool
		}
		if c.answered[tool.shown] {
			return errMissing
		}
		c.unanswered[tool.shown] = true
	}
	c.open = c.open[:0]
	return nil
}

// halt drops what the model would not have written: the messages of a response, from index from on, behind a call that halts. By
// default, where calls of different tools cannot share a message, a tool does not halt whose calls got no results so far.
func (c *converter) halt(r *sdk.Record, from int) {
	for i := from; i+1 < len(c.messages) && c.Calls == "auto"; i++ {
		if m := &c.messages[i]; m.call && !c.answered[m.tool] {
			c.unanswered[m.tool] = true
		}
	}
	for i := len(c.messages) - 1; i >= from; i-- {
		m := &c.messages[i]
		if behind := len(c.messages) - 1 - i; behind > 0 && m.call && !c.unanswered[m.tool] {
			r.Count("loss.parallel_call", behind)
			c.messages = c.messages[:i+1]
		}
	}
}

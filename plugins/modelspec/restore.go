package modelspec

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// restore writes the thread that the row came from, by its outline. A row that no longer fits it is counted as
// "outline.stale" and converted like any other.
func (c *converter) restore(r *sdk.Record) (bool, error) {
	json := c.row.Metadata.Get(notation.OutlineKey)
	if json == "" {
		return false, nil
	}
	outline, ok := notation.ReadOutline(json)
	rs := restorer{row: c.row}
	if ok = ok && rs.collect() && rs.thread(outline); !ok {
		r.Count("outline.stale", 1)
		return false, nil
	}
	t := &rs.Thread
	if _, faults := notation.ReadFormats(t.Settings); len(faults) > 0 && t.Settings != "" {
		return false, sdk.Reject(faults[0].Code, "metadata."+notation.OutlineKey, "%s", faults[0].Message)
	}
	t.Shape = notation.RowShape
	if outline.Pair && !t.ReadPreference(outline.Prompt, c.row.Metadata.Get(notation.PreferenceKey)) {
		r.Count("loss.preference", 1)
	}
	return true, c.write(r, t)
}

// A restorer puts the contents of a row into the messages that they came from, each kind in its own order.
type restorer struct {
	notation.Thread
	row                                    *canonical.Row
	system, user, texts, thoughts, results []jsontext.Body
	calls                                  []calls.Call
}

// collect sorts the contents of the row by kind, and reports whether a thread can hold all of them.
func (rs *restorer) collect() bool {
	fails := func(t canonical.Turn) bool { return !rs.collectTurn(t) }
	return !slices.ContainsFunc(rs.row.Turns, fails) && rs.collectTurn(rs.row.Response)
}

// collectTurn adds the contents of a turn to those of their kind, and reports whether a thread can hold all of them.
func (rs *restorer) collectTurn(t canonical.Turn) bool {
	texts := &rs.system
	switch t.Role {
	case canonical.Assistant:
		texts = &rs.texts
	case canonical.User:
		texts = &rs.user
	}
	for _, p := range rs.row.Parts[t.From:t.To] {
		switch p.Kind {
		case canonical.TextPart:
			if p.Body != "" && !(t.Role == canonical.Assistant && p.Body.Blank()) {
				*texts = append(*texts, p.Body)
			}
		case canonical.ReasoningPart:
			rs.thoughts = append(rs.thoughts, p.Body)
		case canonical.CallPart:
			args, err := arguments(p.Value, t)
			if err != nil {
				return false
			}
			rs.calls = append(rs.calls, calls.Call{Name: p.Name, Args: jsontext.JSON(jsontext.AppendCompact(nil, args))})
		case canonical.ResultPart:
			if p.Sub > 0 || p.Value != "" {
				return false
			}
			rs.results = append(rs.results, p.Body)
		default:
			return false
		}
	}
	return true
}

func (rs *restorer) empty() bool {
	return len(rs.system)+len(rs.user)+len(rs.texts)+len(rs.thoughts)+len(rs.results)+len(rs.calls) == 0
}

// thread fills the outline. The row may end before the thread did, with the answer to train on.
func (rs *restorer) thread(o notation.Outline) bool {
	rs.Settings = o.Settings
	rs.Formats, _ = notation.ReadFormats(o.Settings)
	for i := range o.Messages {
		m := o.Messages[i]
		if rs.empty() && m.Parts > 0 && len(rs.Messages) > 0 {
			return true
		}
		if !rs.message(&m) || m.Ends && !rs.define(&m, o.Defined) {
			return false
		}
		rs.Messages = append(rs.Messages, m.Message)
	}
	return rs.empty()
}

func (rs *restorer) message(m *notation.OutlineMessage) bool {
	switch {
	case m.Calls > 0:
		return rs.call(m)
	case m.User || m.Role == notation.User:
		return take(&rs.user, m, false)
	case m.Instructs():
		return take(&rs.system, m, true)
	case m.Role == notation.Tool:
		if len(rs.results) == 0 {
			return false
		}
		m.Body, rs.results = rs.results[0], rs.results[1:]
		return true
	case m.Format == notation.Reasoning:
		return take(&rs.thoughts, m, true)
	}
	return take(&rs.texts, m, false)
}

// take takes the first text of a queue or, to split it, as many of its paragraphs as the message had.
func take(queue *[]jsontext.Body, m *notation.OutlineMessage, split bool) (ok bool) {
	if m.Parts == 0 || len(*queue) == 0 {
		return m.Parts == 0
	}
	rest := jsontext.Body("")
	if m.Body, ok = (*queue)[0], true; split {
		m.Body, rest, ok = notation.CutParagraphs(m.Body, m.Parts, m.Breaks)
	}
	if (*queue)[0] = rest; rest == "" {
		*queue = (*queue)[1:]
	}
	return ok
}

// call writes the content of as many calls as the message had, if they still call its tool.
func (rs *restorer) call(m *notation.OutlineMessage) bool {
	if len(rs.calls) < m.Calls {
		return false
	}
	made := rs.calls[:m.Calls]
	rs.calls = rs.calls[m.Calls:]
	tool, language := rs.Formats.ToolOf(m.Format)
	for _, c := range made {
		if name := c.Name.Text(); tool != notation.PythonTool && name != tool && (tool != "" || name != language) {
			return false
		}
	}
	m.Body = jsontext.BodyOf(notation.WriteCalls(language, m.Style, made))
	return true
}

// define adds the sections of a developer's text to the rest of it.
func (rs *restorer) define(m *notation.OutlineMessage, d *notation.Defined) bool {
	tools, fault := canonical.ReadTools(rs.row.Tools)
	if d == nil {
		return false
	}
	formats := map[string]string{}
	for _, f := range rs.Formats {
		tool, _ := notation.Split(f.Name)
		formats[tool] = f.Name
	}
	written := notation.Definitions{Sections: d.Sections, Ahead: d.Ahead, Rest: m.Text()}
	for i := range written.Sections {
		s := &written.Sections[i]
		schema := s.Language != ""
		switch {
		case s.Kind == notation.AnswerSection && schema:
			s.Schema = rs.row.Output
		case s.Kind != notation.ToolSection:
		case fault != nil || len(tools) == 0:
			return false
		default:
			s.Name, s.Description = tools[0].Name.Text(), tools[0].Description.Text()
			if schema {
				s.Schema, _, _ = tools[0].Schema()
			}
			if s.Format = formats[s.Name]; s.Format == "" {
				s.Format = formats[notation.PythonTool]
			}
			tools = tools[1:]
		}
		s.SetLanguage(s.Language)
	}
	m.Body = jsontext.BodyOf(written.Text())
	return true
}

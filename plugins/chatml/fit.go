package chatml

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// fit changes the messages so that the target's template can show them, or rejects the row with the name of the rule.
func (c *conversation) fit(r *sdk.Record) error {
	steps := []func(*sdk.Record) error{c.fitTools, c.fitCalls, c.fitSystem, c.fitOrder, c.fitText, c.fitMarks}
	for _, step := range steps {
		if err := step(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversation) fitTools(*sdk.Record) error {
	switch {
	case !c.noTools && !c.noCalls:
		return nil
	case c.nulled:
		return c.rejectCalls("show", "shows", "them beside null content only, which Transformers takes out")
	}
	return c.rejectCalls("do", "does", "not show them")
}

// templates begins a sentence about the templates of the target, or about the one template that was tried.
func (c *conversation) templates(they, it string) string {
	if c.target == autoTarget {
		return "this template " + it
	}
	return "the templates of " + c.target + " " + they
}

// rejectCalls rejects a row that has calls or results.
func (c *conversation) rejectCalls(they, it, rest string) error {
	for i := range c.messages {
		if m := &c.messages[i]; m.Role == canonical.Tool || len(m.Calls) > 0 {
			return sdk.Reject("target_tools", m.Turn.Path(), "want a row without tool calls: %s %s", c.templates(they, it), rest)
		}
	}
	return nil
}

// fitCalls separates calls from text and from each other.
func (c *conversation) fitCalls(r *sdk.Record) error {
	if c.beside == "keep" && c.parallel == "keep" {
		return nil
	}
	c.fitted = c.fitted[:0]
	for i := 0; i < len(c.messages); i++ {
		m := c.messages[i]
		if m.Role == canonical.Assistant && len(m.Calls) > 0 && m.Says() && c.beside != "keep" {
			if c.beside == "reject" {
				return sdk.Reject("text_beside_call", m.Turn.Path(), "want text or tool calls in one message: the template loses the text; text_beside_call = \"split\" makes two messages, \"drop\" leaves it out")
			}
			text := m
			text.Calls, m.Texts = nil, nil
			if c.beside == "drop" {
				r.Count("loss.text_beside_call", 1)
			} else {
				r.Count("repair.text_beside_call", 1)
				text.parted = true
				if c.reasoning == "inline" { // in the text, and not a second time with the call
					m.Thoughts = nil
				} else {
					text.Thoughts = nil
				}
				c.fitted = append(c.fitted, text)
			}
		}
		if len(m.Calls) < 2 || c.parallel == "keep" {
			c.fitted = append(c.fitted, m)
			continue
		}
		if c.parallel == "reject" {
			return sdk.Reject("parallel_calls", m.Turn.Path(), "want one tool call a message: parallel = \"split\" makes each its own turn with its result")
		}
		r.Count("repair.parallel_calls", 1)
		results := c.messages[i+1:]
		if n := slices.IndexFunc(results, func(m message) bool { return m.Role != canonical.Tool }); n >= 0 {
			results = results[:n]
		}
		if len(results) == 0 {
			return sdk.Reject("parallel_calls", m.Turn.Path(), "want one tool call a message, have %d without results", len(m.Calls))
		}
		c.serialise(m, results)
		i += len(results)
	}
	c.messages, c.fitted = c.fitted, c.messages
	return nil
}

// serialise makes a message of each call, followed by its result.
func (c *conversation) serialise(m message, results []message) {
	for _, result := range results { // of calls before this message
		if !slices.Contains(m.Calls, c.row.Parts[result.Result].Mate) {
			c.fitted = append(c.fitted, result)
		}
	}
	for n, call := range m.Calls {
		one := m
		one.Calls = m.Calls[n : n+1]
		if n > 0 {
			one.Texts, one.Thoughts = nil, nil
		}
		c.fitted = append(c.fitted, one)
		for _, result := range results {
			if c.row.Parts[result.Result].Mate == call {
				c.fitted = append(c.fitted, result)
			}
		}
	}
}

// fitSystem puts the system message into the first user message where the template has no place for it.
func (c *conversation) fitSystem(r *sdk.Record) error {
	if first := &c.messages[0]; c.switches && first.Role == canonical.System && holds(first.Texts, "think", "/think", "/no_think") {
		return sdk.Reject("system_switch", first.Turn.Path(), "want no /think in a system message: %s it out", c.templates("take", "takes"))
	}
	if c.rules.system != "fold" || c.messages[0].Role != canonical.System {
		return nil
	}
	i := slices.IndexFunc(c.messages, func(m message) bool { return m.Role == canonical.User })
	r.Count("repair.folded_system", 1)
	c.prepend(&c.messages[i], c.messages[0])
	c.messages = slices.Delete(c.messages, 0, 1)
	return nil
}

// prepend puts the text and reasoning of one message before those of another, with a blank line between.
func (c *conversation) prepend(m *message, before message) {
	m.Texts, m.Thoughts = joined(before.Texts, m.Texts), joined(before.Thoughts, m.Thoughts)
}

func joined(before, bodies []jsontext.Body) []jsontext.Body {
	if len(before) == 0 {
		return bodies
	}
	if len(bodies) == 0 {
		return before
	}
	return append(append(before, `\n\n`), bodies...)
}

// fitOrder joins neighbours of one role and requires a user at the beginning, where the template wants turns to alternate.
func (c *conversation) fitOrder(r *sdk.Record) error {
	if c.userFirst && c.row.Tools != "" {
		first := slices.IndexFunc(c.messages, func(m message) bool { return m.Role != canonical.System })
		if m := &c.messages[first]; m.Role != canonical.User {
			return sdk.Reject("user_first", m.Turn.Path(), "want a user to begin: %s tools into the first turn", c.templates("put", "puts"))
		}
	}
	if !c.alternate {
		return nil
	}
	c.fitted = c.fitted[:0]
	last, parted := canonical.NoRole, false // of the messages that the template counts
	for _, m := range c.messages {
		if m.Role == canonical.System || m.Role == canonical.Tool || len(m.Calls) > 0 {
			c.fitted = append(c.fitted, m)
			continue
		}
		switch before := len(c.fitted) - 1; {
		case last == canonical.NoRole && m.Role != canonical.User:
			return sdk.Reject("user_first", m.Turn.Path(), "want a user to begin: %s turns to alternate", c.templates("want", "wants"))
		case last != m.Role:
			c.fitted = append(c.fitted, m)
		case c.fitted[before].Role == m.Role && len(c.fitted[before].Calls) == 0:
			if c.untrained != "count" && c.fitted[before].Turn.Untrained != m.Turn.Untrained {
				return sdk.Reject("untrained_turn", m.Turn.Path(), "want to join turns that are both trained on or neither, have one of each")
			}
			r.Count("repair.joined_turns", 1)
			c.prepend(&m, c.fitted[before])
			c.fitted[before] = m
		case parted:
			return sdk.Reject("text_beside_call", m.Turn.Path(), "want no text with an earlier call: %s neither both in one message nor two messages; text_beside_call = \"drop\" leaves the text out", c.templates("show", "shows"))
		default:
			return sdk.Reject("alternate", m.Turn.Path(), "want user and assistant to take turns: %s otherwise", c.templates("raise", "raises"))
		}
		last, parted = m.Role, m.parted
	}
	c.messages, c.fitted = c.fitted, c.messages
	return nil
}

// fitText guards or rejects text that the template would cut.
func (c *conversation) fitText(*sdk.Record) error {
	if c.closeTag == "" {
		return nil
	}
	for i := range c.messages {
		m := &c.messages[i]
		if m.Role != canonical.Assistant || !holds(m.Texts, "think", "</think>") {
			continue
		}
		if c.closeTag == "reject" || c.reasoning == "inline" {
			return sdk.Reject("close_tag", m.Turn.Path(), "want no </think> in an assistant's text: %s it there", c.templates("cut", "cuts"))
		}
		m.guarded = true
	}
	return nil
}

// fitMarks rejects texts whose marks make the template raise.
func (c *conversation) fitMarks(*sdk.Record) error {
	if c.channels {
		for i := range c.messages {
			m := &c.messages[i]
			if m.Role == canonical.Assistant && (holds(m.Texts, "channel", channelMarks...) ||
				holds(m.Thoughts, "channel", channelMarks...)) {
				return sdk.Reject("channel_mark", m.Turn.Path(), "want no mark of a channel in what the assistant says or thinks: %s", c.templates("raise", "raises"))
			}
		}
	}
	if c.asks && !slices.ContainsFunc(c.messages, func(m message) bool { return m.Role == canonical.User && !c.responds(&m) }) {
		return sdk.Reject("no_user_turn", "request", "want a user turn that is not all <tool_response>: %s", c.templates("raise", "raises"))
	}
	return nil
}

// channelMarks begin the channels of an answer. An assistant's text that has them makes templates raise.
var channelMarks = []string{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}

// responds reports whether a message is a tool's response by its marks, from beginning to end.
func (c *conversation) responds(m *message) bool {
	bodies := m.Texts
	if !slices.ContainsFunc(bodies, func(body jsontext.Body) bool { return strings.Contains(string(body), "tool_response") }) {
		return false
	}
	var text strings.Builder
	for _, body := range bodies {
		text.WriteString(body.Text())
	}
	trimmed := strings.TrimFunc(text.String(), jsontext.IsSpace)
	return strings.HasPrefix(trimmed, "<tool_response>") && strings.HasSuffix(trimmed, "</tool_response>")
}

// holds reports whether texts have one of some words, which share a part that no escape is in.
func holds(texts []jsontext.Body, part string, words ...string) bool {
	return slices.ContainsFunc(texts, func(body jsontext.Body) bool {
		return strings.Contains(string(body), part) && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(body.Text(), word) })
	})
}

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
		if m := &c.messages[i]; m.role == canonical.Tool || !m.calls.empty() {
			return sdk.Reject("target_tools", m.turn.Path(), "want a row without tool calls: %s %s", c.templates(they, it), rest)
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
		if m.role == canonical.Assistant && !m.calls.empty() && c.says(m.texts) && c.beside != "keep" {
			if c.beside == "reject" {
				return sdk.Reject("text_beside_call", m.turn.Path(), "want text or tool calls in one message: the template loses the text; text_beside_call = \"split\" makes two messages, \"drop\" leaves it out")
			}
			text := m
			text.calls, m.texts = span{}, span{}
			if c.beside == "drop" {
				r.Count("loss.text_beside_call", 1)
			} else {
				r.Count("repair.text_beside_call", 1)
				text.parted = true
				if c.reasoning == "inline" { // in the text, and not a second time with the call
					m.thoughts = span{}
				} else {
					text.thoughts = span{}
				}
				c.fitted = append(c.fitted, text)
			}
		}
		if m.calls.to-m.calls.from < 2 || c.parallel == "keep" {
			c.fitted = append(c.fitted, m)
			continue
		}
		if c.parallel == "reject" {
			return sdk.Reject("parallel_calls", m.turn.Path(), "want one tool call a message: parallel = \"split\" makes each its own turn with its result")
		}
		r.Count("repair.parallel_calls", 1)
		results := c.messages[i+1:]
		if n := slices.IndexFunc(results, func(m message) bool { return m.role != canonical.Tool }); n >= 0 {
			results = results[:n]
		}
		if len(results) == 0 {
			return sdk.Reject("parallel_calls", m.turn.Path(), "want one tool call a message, have %d without results", m.calls.to-m.calls.from)
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
		if !slices.Contains(c.calls[m.calls.from:m.calls.to], c.row.Parts[result.result].Mate) {
			c.fitted = append(c.fitted, result)
		}
	}
	for n := m.calls.from; n < m.calls.to; n++ {
		one := m
		one.calls = span{n, n + 1}
		if n > m.calls.from {
			one.texts, one.thoughts = span{}, span{}
		}
		c.fitted = append(c.fitted, one)
		for _, result := range results {
			if c.row.Parts[result.result].Mate == c.calls[n] {
				c.fitted = append(c.fitted, result)
			}
		}
	}
}

// fitSystem puts the system message into the first user message where the template has no place for it.
func (c *conversation) fitSystem(r *sdk.Record) error {
	if first := &c.messages[0]; c.switches && first.role == canonical.System && holds(c.texts[first.texts.from:first.texts.to], "think", "/think", "/no_think") {
		return sdk.Reject("system_switch", first.turn.Path(), "want no /think in a system message: %s it out", c.templates("take", "takes"))
	}
	if c.rules.system != "fold" || c.messages[0].role != canonical.System {
		return nil
	}
	i := slices.IndexFunc(c.messages, func(m message) bool { return m.role == canonical.User })
	r.Count("repair.folded_system", 1)
	c.prepend(&c.messages[i], c.messages[0])
	c.messages = slices.Delete(c.messages, 0, 1)
	return nil
}

// prepend puts the text and reasoning of one message before those of another, with a blank line between.
func (c *conversation) prepend(m *message, before message) {
	c.texts, m.texts = joined(c.texts, before.texts, m.texts)
	c.thoughts, m.thoughts = joined(c.thoughts, before.thoughts, m.thoughts)
}

func joined(bodies []jsontext.Body, a, b span) ([]jsontext.Body, span) {
	if a.empty() {
		return bodies, b
	}
	from := a.from
	if a.to != len(bodies) { // an earlier join is at the end already
		from = len(bodies)
		bodies = append(bodies, bodies[a.from:a.to]...)
	}
	if !b.empty() {
		bodies = append(bodies, `\n\n`)
		bodies = append(bodies, bodies[b.from:b.to]...)
	}
	return bodies, span{from, len(bodies)}
}

// fitOrder joins neighbours of one role and requires a user at the beginning, where the template wants turns to alternate.
func (c *conversation) fitOrder(r *sdk.Record) error {
	if c.userFirst && c.row.Tools != "" {
		first := slices.IndexFunc(c.messages, func(m message) bool { return m.role != canonical.System })
		if m := &c.messages[first]; m.role != canonical.User {
			return sdk.Reject("user_first", m.turn.Path(), "want a user to begin: %s tools into the first turn", c.templates("put", "puts"))
		}
	}
	if !c.alternate {
		return nil
	}
	c.fitted = c.fitted[:0]
	last, parted := canonical.NoRole, false // of the messages that the template counts
	for _, m := range c.messages {
		if m.role == canonical.System || m.role == canonical.Tool || !m.calls.empty() {
			c.fitted = append(c.fitted, m)
			continue
		}
		switch before := len(c.fitted) - 1; {
		case last == canonical.NoRole && m.role != canonical.User:
			return sdk.Reject("user_first", m.turn.Path(), "want a user to begin: %s turns to alternate", c.templates("want", "wants"))
		case last != m.role:
			c.fitted = append(c.fitted, m)
		case c.fitted[before].role == m.role && c.fitted[before].calls.empty():
			if c.untrained != "count" && c.fitted[before].turn.Untrained != m.turn.Untrained {
				return sdk.Reject("untrained_turn", m.turn.Path(), "want to join turns that are both trained on or neither, have one of each")
			}
			r.Count("repair.joined_turns", 1)
			c.prepend(&m, c.fitted[before])
			c.fitted[before] = m
		case parted:
			return sdk.Reject("text_beside_call", m.turn.Path(), "want no text with an earlier call: %s neither both in one message nor two messages; text_beside_call = \"drop\" leaves the text out", c.templates("show", "shows"))
		default:
			return sdk.Reject("alternate", m.turn.Path(), "want user and assistant to take turns: %s otherwise", c.templates("raise", "raises"))
		}
		last, parted = m.role, m.parted
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
		if m.role != canonical.Assistant || !holds(c.texts[m.texts.from:m.texts.to], "think", "</think>") {
			continue
		}
		if c.closeTag == "reject" || c.reasoning == "inline" {
			return sdk.Reject("close_tag", m.turn.Path(), "want no </think> in an assistant's text: %s it there", c.templates("cut", "cuts"))
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
			if m.role == canonical.Assistant && (holds(c.texts[m.texts.from:m.texts.to], "channel", channelMarks...) ||
				holds(c.thoughts[m.thoughts.from:m.thoughts.to], "channel", channelMarks...)) {
				return sdk.Reject("channel_mark", m.turn.Path(), "want no mark of a channel in what the assistant says or thinks: %s", c.templates("raise", "raises"))
			}
		}
	}
	if c.asks && !slices.ContainsFunc(c.messages, func(m message) bool { return m.role == canonical.User && !c.responds(&m) }) {
		return sdk.Reject("no_user_turn", "request", "want a user turn that is not all <tool_response>: %s", c.templates("raise", "raises"))
	}
	return nil
}

// channelMarks begin the channels of an answer. An assistant's text that has them makes templates raise.
var channelMarks = []string{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}

// responds reports whether a message is a tool's response by its marks, from beginning to end.
func (c *conversation) responds(m *message) bool {
	bodies := c.texts[m.texts.from:m.texts.to]
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

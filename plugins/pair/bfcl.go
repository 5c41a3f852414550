package pair

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isBFCL tells whether the record is a question of the Berkeley leaderboard with its answer beside it: question a list of
// lists of messages, ground_truth a list (formats, 3.14).
func (p *adapter) isBFCL() bool {
	question, truth := p.value(p.question), p.value(p.truth)
	return question.Kind() == '[' && strings.HasPrefix(strings.TrimLeft(string(question[1:]), " \t\r\n"), "[") && truth.Kind() == '['
}

// bfcl fills the conversation: the messages of every round of the question, and the calls that answer it.
func (p *adapter) bfcl() error {
	if c, ok := p.first([]column{p.function}, present); ok {
		if err := p.row.SetTools(c.name, p.take(c)); err != nil {
			return err
		}
	}
	p.row.Path = p.question.name
	rounds, truth := elements(p.take(p.question)), elements(p.take(p.truth))
	if len(rounds) == 1 {
		truth = []jsontext.JSON{p.value(p.truth)}
	}
	if len(truth) != len(rounds) {
		return sdk.Reject("bad_answer", p.truth.name, "want an answer for each of %d rounds, have %d", len(rounds), len(truth))
	}
	for i, round := range rounds {
		for _, m := range elements(round) {
			role := canonical.RoleOf(canonical.RoleName(m.Get("role")))
			body, ok := m.Get("content").Quoted()
			if role == eliza.NoRole || !ok {
				return sdk.Reject("bad_message", p.question.name+"."+strconv.Itoa(i), "want messages with a role and a text, have another")
			}
			p.row.Add(role, i).Body = body
		}
		t := p.row.Add(eliza.Assistant, i)
		for _, answer := range elements(truth[i]) {
			if err := p.truths(t, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// truths adds the calls of one answer: an object of accepted arguments by function, or Python.
func (p *adapter) truths(t *canonical.Turn, answer jsontext.JSON) error {
	if body, ok := answer.Quoted(); ok {
		read, err := calls.Read("["+body.Text()+"]", p.row.Knows)
		if err != nil || len(read.Calls) == 0 {
			return sdk.Reject("bad_call", p.truth.name, "want a call in the string, have something else")
		}
		t.Calls = speech.Append(t.Calls, read.Calls...)
		return nil
	}
	c := jsontext.Cursor{JSON: answer}
	if c.Kind() != '{' {
		return sdk.Reject("bad_call", p.truth.name, "want calls as objects or texts, have another value")
	}
	for name := range c.Members() {
		args := appendAccepted(nil, c.Value())
		t.Calls = append(t.Calls, canonical.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)})
	}
	return nil
}

// appendAccepted appends arguments with the first of the values accepted for each. One that may be left out, which "" as
// the first stands for, is left out.
func appendAccepted(dst []byte, object jsontext.JSON) []byte {
	dst = append(dst, '{')
	n := 0
	c := jsontext.Cursor{JSON: object}
	for name := range c.Members() {
		accepted := elements(c.Value())
		if len(accepted) == 0 || accepted[0] == `""` {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, name), ':')
		if accepted[0].Kind() == '{' {
			dst = appendAccepted(dst, accepted[0])
		} else {
			dst = append(dst, accepted[0]...)
		}
	}
	return append(dst, '}')
}

func elements(list jsontext.JSON) (values []jsontext.JSON) {
	c := jsontext.Cursor{JSON: list}
	for range c.Elements() {
		values = append(values, c.Value())
	}
	return values
}

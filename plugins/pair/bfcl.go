package pair

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
)

// isBFCL tells whether the record is a question of the Berkeley leaderboard with its answer beside it: question a list of
// lists of messages, ground_truth a list (formats, 3.14).
func (p *adapter) isBFCL() bool {
	question, truth := p.value(p.question), p.value(p.truth)
	return strings.HasPrefix(question, "[") && strings.HasPrefix(strings.TrimLeft(question[1:], " \t\r\n"), "[") && strings.HasPrefix(truth, "[")
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
		truth = []string{p.value(p.truth)}
	}
	if len(truth) != len(rounds) {
		return sdk.Reject("bad_answer", p.truth.name, "want an answer for each of %d rounds, have %d", len(rounds), len(truth))
	}
	for i, round := range rounds {
		for _, m := range elements(round) {
			role := canonical.RoleOf(canonical.RoleName(jsontext.Lookup(m, "role")))
			body, ok := jsontext.Quoted(jsontext.Lookup(m, "content"))
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
func (p *adapter) truths(t *canonical.Turn, answer string) error {
	if body, ok := jsontext.Quoted(answer); ok {
		read, err := calls.Read("["+jsontext.Unquote(body)+"]", p.row.Knows)
		if err != nil || len(read.Calls) == 0 {
			return sdk.Reject("bad_call", p.truth.name, "want a call in the string, have something else")
		}
		t.Calls = speech.Append(t.Calls, read.Calls...)
		return nil
	}
	c := jsontext.Cursor{Text: answer}
	if c.Kind() != '{' {
		return sdk.Reject("bad_call", p.truth.name, "want calls as objects or texts, have another value")
	}
	for name := range c.Members() {
		args := appendAccepted(nil, c.Value())
		t.Calls = append(t.Calls, canonical.Call{Name: canonical.Body(name), Args: string(args)})
	}
	return nil
}

// appendAccepted appends arguments with the first of the values accepted for each. One that may be left out, which "" as
// the first stands for, is left out.
func appendAccepted(dst []byte, object string) []byte {
	dst = append(dst, '{')
	n := 0
	c := jsontext.Cursor{Text: object}
	for name := range c.Members() {
		accepted := elements(c.Value())
		if len(accepted) == 0 || accepted[0] == `""` {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, name), ':')
		if strings.HasPrefix(accepted[0], "{") {
			dst = appendAccepted(dst, accepted[0])
		} else {
			dst = append(dst, accepted[0]...)
		}
	}
	return append(dst, '}')
}

func elements(list string) (values []string) {
	c := jsontext.Cursor{Text: list}
	for range c.Elements() {
		values = append(values, c.Value())
	}
	return values
}

package pair

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isBFCL reports whether the record is a question of the Berkeley leaderboard with its answer beside it: question a list of
// lists of messages, ground_truth a list.
func (p *adapter) isBFCL() bool {
	rounds := elements(p.value("question"))
	return len(rounds) > 0 && rounds[0].Kind() == '[' && p.value("ground_truth").Kind() == '['
}

// bfcl fills the conversation: the messages of every round of the question, and the calls that answer it.
func (p *adapter) bfcl() error {
	p.row.Path, p.row.Shape = "question", "bfcl"
	if err := p.row.SetTools("function", p.take("function")); err != nil {
		return err
	}
	rounds, answer := elements(p.take("question")), p.value("ground_truth") // metadata keeps it, since it has several answers
	truth := elements(answer)
	if len(rounds) == 1 {
		truth = []jsontext.JSON{answer}
	}
	if len(truth) != len(rounds) {
		return sdk.Reject("bad_answer", "ground_truth", "want an answer for each of %d rounds, have %d", len(rounds), len(truth))
	}
	for i, round := range rounds {
		for _, m := range elements(round) {
			p.row.Leave("loss.message_member", m, "role", "content")
			role := canonical.RoleOf(canonical.RoleName(m.Get("role")))
			body, ok := m.Get("content").Quoted()
			if role == canonical.NoRole || !ok {
				return sdk.Reject("bad_message", "question."+strconv.Itoa(i), "want messages with a role and a text")
			}
			p.row.Add(role, i).Body = body
		}
		t := p.row.Add(canonical.Assistant, i)
		for _, answer := range elements(truth[i]) {
			if err := p.truths(t, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// truths adds the calls of one answer: an object of accepted arguments by function, or Python.
func (p *adapter) truths(t *build.Message, answer jsontext.JSON) error {
	if body, ok := answer.Quoted(); ok {
		read, err := calls.Read("["+body.Text()+"]", p.row.Knows)
		if err != nil || len(read.Calls) == 0 {
			return sdk.Reject("bad_call", "ground_truth", "want a call in the string, have something else")
		}
		t.Calls = append(t.Calls, read.Calls...)
		return nil
	}
	c := jsontext.Cursor{JSON: answer}
	if c.Kind() != '{' {
		return sdk.Reject("bad_call", "ground_truth", "want calls as objects or texts")
	}
	for name := range c.Members() {
		args := appendAccepted(nil, c.Value())
		t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)})
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

package chattext

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// turns reads the turns of a field, and keeps the rejected answer beside it.
func (a *adapter) turns(f field, d *dialect) ([]turn, error) {
	a.text = jsontext.AppendText(jsontext.Reuse(a.text), a.row.Kept(f.name).Body())
	n, asked := len(a.text), "" // before the answers; a field alone holds it too
	if f.second != "" {         // a column may be named ""
		a.text = jsontext.AppendText(a.text, a.row.Kept(f.second).Body())
		asked = jsontext.View(a.text[:n])
	}
	whole := jsontext.View(a.text)
	if asked != "" && len(whole) > n && d.words && !d.waits(asked) {
		return nil, sdk.Decline("want a prompt that waits for the assistant")
	}
	turns, err := d.continued(whole[:n], whole[n:])
	if err != nil {
		return nil, sdk.Reject("bad_text", f.name, "%v", err)
	}
	a.row.Forget(f.name)
	if f.second != "" {
		a.row.Forget(f.second)
	}
	if rejected, ok := a.row.Kept("rejected").Quoted(); ok {
		if answer, ok := d.answer(asked, rejected.Text(), turns); ok { // else it stays a column, since it answers something else
			a.row.Forget("rejected")
			a.row.Meta("preference", `{"rejected":`+jsontext.Quote(answer)+"}")
		}
	}
	return turns, nil
}

// waits reports whether a text in words is a conversation in which it is the assistant's turn. A question about a conversation, which
// may follow its last turn, is none.
func (d *dialect) waits(text string) bool {
	turns, err := d.split(text)
	return err == nil && slices.ContainsFunc(turns, isAnswer) && (!answers(turns) || turns[len(turns)-1].text == "")
}

// continued reads the turns of a text and of what continues it: the answer in the turn that the text leaves open, the answer alone, or
// the text once more with the answer.
func (d *dialect) continued(text, more string) ([]turn, error) {
	if rest, repeats := strings.CutPrefix(strings.TrimSpace(more), strings.TrimSpace(text)); repeats && text != "" {
		more = rest
	}
	turns, err := d.split(text + more)
	if text == "" || more == "" || err == nil && answers(turns) {
		return turns, err
	}
	asked, unread := d.split(text)
	if unread != nil {
		return turns, err
	}
	return append(asked, turn{role: "assistant", text: more, at: len(text)}), nil
}

// answers reports whether turns end with what the assistant says or calls.
func answers(turns []turn) bool { return len(turns) > 0 && isAnswer(turns[len(turns)-1]) }

func isAnswer(t turn) bool {
	return t.role == "call" || canonical.RoleOf(t.role) == canonical.Assistant
}

// answer returns the answer that continues a text, or that a whole conversation ends with, without the marks around it. Of a form that is
// more than a text it is returned as it is. It is not ok when the turns before it are not those before the other answer.
func (d *dialect) answer(asked, more string, other []turn) (answer string, ok bool) {
	if whole := asked + more; !d.opens(whole[start(whole):]) {
		return more, true
	}
	turns, err := d.continued(asked, more)
	if err != nil || !answers(turns) {
		return more, asked != ""
	}
	last := turns[len(turns)-1]
	same := slices.EqualFunc(turns[:len(turns)-1], other[:max(0, len(other)-1)], func(a, b turn) bool { return a.role == b.role && a.text == b.text })
	if last.role == "call" || len(last.calls) > 0 || last.thought != "" {
		return more, same || asked != ""
	}
	return last.text, same || asked != ""
}

package build

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// leftCalls are the calls that had no result when the conversation went on.
type leftCalls struct {
	calls int
	byID  map[string]pending // by their ids in the source, decoded: the last one of each
	late  []lateResult
}

// A lateResult is a result that came after the user, or the assistant, had gone on.
type lateResult struct{ turn, call int } // indexes of its turn and of its call's

func (l *leftCalls) leave(calls []pending) {
	l.calls += len(calls)
	for _, p := range calls {
		if p.was == "" {
			continue
		}
		if l.byID == nil {
			l.byID = map[string]pending{}
		}
		l.byID[p.was.Text()] = p
	}
}

// answersLate reports whether a result has the id of a call that was left behind. It is moved to that call.
func (c *Builder) answersLate(turn int) bool {
	t := &c.Turns[turn]
	if t.ID == "" || len(c.left.byID) == 0 {
		return false
	}
	id := t.ID.Text()
	p, ok := c.left.byID[id]
	if !ok {
		return false
	}
	delete(c.left.byID, id)
	c.left.calls--
	c.left.late = append(c.left.late, lateResult{turn, p.turn})
	c.Count("mended.late_result", 1)
	t.ID, t.Name = p.call.ID, cmp.Or(t.Name, p.call.Name)
	return true
}

// moveLate moves each late result behind its call and the results that are there.
func (c *Builder) moveLate() {
	late := c.left.late
	if len(late) == 0 {
		return
	}
	moved := map[int]bool{}
	for _, l := range late {
		moved[l.turn] = true
	}
	slices.SortStableFunc(late, func(a, b lateResult) int { return cmp.Compare(a.call, b.call) })
	turns := make([]Message, 0, len(c.Turns))
	for i := range c.Turns {
		if !moved[i] {
			turns = append(turns, c.Turns[i])
		}
		if i+1 < len(c.Turns) && c.Turns[i+1].Role == canonical.Tool && !moved[i+1] {
			continue // a result that came in time
		}
		for len(late) > 0 && late[0].call <= i {
			turns = append(turns, c.Turns[late[0].turn])
			late = late[1:]
		}
	}
	c.Turns = turns
}

package build

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type pending struct {
	was  jsontext.Body // its id in the source
	call *Call
	turn int // index of its turn
}

// settle brings the turns into the form in which they are written, and counts repairs and losses:
// "mended.call_id" (missing or not unique), "mended.arguments" (Python instead of JSON, or encoded twice), "mended.result_id" (paired by
// order), "mended.late_result" (behind what was said in the meantime), "orphan_result", "dangling_call", "loss.empty_turn" and "loss.call_member".
func (c *Builder) settle() error {
	c.settleSpoken()
	if err := c.unfold(); err != nil {
		return err
	}
	c.merge()
	var system systemText
	kept := c.Turns[:0]
	c.blank = c.blank[:0]
	for i := range c.Turns {
		t := &c.Turns[i]
		if t.Role == canonical.Developer {
			t.Role = canonical.System
		}
		switch {
		case t.Raw == "" && t.Role != canonical.Tool && len(t.Calls) == 0 && t.Body.Blank():
			if t.Role != canonical.System {
				c.Count("loss.empty_turn", 1)
				c.blank = append(c.blank, t.Role)
			}
			continue
		case t.Role == canonical.System && t.Raw == "" && len(kept) == 0:
			system.add(t.Body)
			continue
		}
		// Turns are swapped, so that a dropped one keeps its memory for calls.
		kept = kept[:len(kept)+1]
		kept[len(kept)-1], *t = *t, kept[len(kept)-1]
	}
	c.Turns = kept
	c.system = system.said.Body()
	c.noteIDs()
	for i := range c.Turns {
		if err := c.pair(i); err != nil {
			return err
		}
	}
	c.Count("dangling_call", c.left.calls)
	c.moveLate()
	return nil
}

// A systemText joins the system texts before the first turn, each once.
type systemText struct {
	said  Joiner
	known map[jsontext.Body]bool // the texts, and the paragraphs of each
}

func (s *systemText) add(text jsontext.Body) {
	whole := s.said.Body()
	if text == "" || text == whole {
		return
	}
	if whole != "" {
		if s.known == nil {
			s.known = map[jsontext.Body]bool{}
			s.note(whole)
		}
		if s.known[text] {
			return
		}
		s.note(text)
	}
	s.said.Add(BlankLine, text)
}

func (s *systemText) note(text jsontext.Body) {
	for paragraph := range strings.SplitSeq(string(text), string(BlankLine)) {
		s.known[jsontext.Body(paragraph)] = true
	}
}

// merge merges neighbouring assistant turns, if Merge is set.
func (c *Builder) merge() {
	if !c.Merge {
		return
	}
	var said, thought Joiner // of the turns that become the last one of kept
	kept := c.Turns[:0]
	for i := range c.Turns {
		t := &c.Turns[i]
		if n := len(kept); n > 0 && mergeable(t) && mergeable(&kept[n-1]) {
			last := &kept[n-1]
			said.Add(BlankLine, t.Body)
			thought.Add(BlankLine, t.Reasoning)
			last.Body, last.Reasoning = said.Body(), thought.Body()
			last.Calls = append(last.Calls, t.Calls...)
			last.NoTarget = last.NoTarget && t.NoTarget
			continue
		}
		said, thought = Joiner{alone: t.Body}, Joiner{alone: t.Reasoning}
		kept = kept[:len(kept)+1]
		kept[len(kept)-1], *t = *t, kept[len(kept)-1]
	}
	c.Turns = kept
}

func mergeable(t *Message) bool { return t.Role == canonical.Assistant && t.Raw == "" }

// pair makes call ids unique and finds the call of every result, before the user or the assistant's text goes on.
func (c *Builder) pair(at int) error {
	t := &c.Turns[at]
	if len(c.pending) > 0 && t.goesOn() {
		c.left.leave(c.pending)
		c.pending = c.pending[:0]
	}
	for i := range t.Calls {
		call := &t.Calls[i]
		if err := c.settleArgs(t, i); err != nil {
			return err
		}
		was := call.ID
		if was == "" || c.ids[was.Text()] != isComing {
			call.ID = c.newID()
			c.ids[call.ID.Text()] = isNew
			if was != "" {
				c.Count("mended.call_id", 1)
			}
		} else {
			c.ids[was.Text()] = isCalls
		}
		if len(c.pending) == canonical.MaxWaiting {
			return sdk.Reject("too_many_calls", c.pathOf(t), "want at most %d calls without a result at a time, have at least one more", canonical.MaxWaiting)
		}
		c.pending = append(c.pending, pending{was, call, at})
	}
	if t.Role == canonical.Tool && t.Raw == "" {
		return c.answer(at)
	}
	return nil
}

// goesOn reports whether no result of a call before the turn comes behind it.
func (t *Message) goesOn() bool {
	return t.Role == canonical.User || t.Role == canonical.Assistant && !t.Body.Blank()
}

// An idUse says what has an id.
type idUse uint8

const (
	isComing  idUse = iota // a call of the source, which was not paired yet
	isCalls                // a call of the source
	isNew                  // a call that had none of its own
	isResults              // a result; no call gets it
)

// answer finds the call that a result belongs to: by id, else by name and order, or by order where it has no name, but none that a result
// behind it belongs to by id. A result of a later call, or of one that waits for none, rejects the row.
func (c *Builder) answer(turn int) error {
	t := &c.Turns[turn]
	c.later.pass(turn, t)
	at := c.asked(t)
	if at < 0 && t.whole != "" && !c.isWrapped(t) {
		t.Body, t.ID, t.Name = t.whole, "", ""
	}
	if at < 0 && c.answersLate(turn) {
		return nil
	}
	use, given := c.ids[t.ID.Text()]
	if at < 0 && t.ID != "" && given && use == isComing {
		return sdk.Reject("bad_result", c.pathOf(t), "want a result behind its call, have it before")
	}
	if at < 0 && t.ID != "" && given && use == isCalls {
		return sdk.Reject("bad_result", c.pathOf(t), "want one result of each call, have a second one with its id")
	}
	if at < 0 && len(c.pending) > 0 {
		c.later.look(turn, c.Turns)
		at = slices.IndexFunc(c.pending, func(p pending) bool {
			return (t.Name == "" || p.call.Name.Is(t.Name)) && (p.was == "" || c.later.ids[p.was.Text()] == 0)
		})
		if at < 0 {
			return sdk.Reject("bad_result", c.pathOf(t), "want a result of a call that waits for one, have one more (calls that wait: %d)", len(c.pending))
		}
	}
	if at < 0 {
		c.Count("orphan_result", 1)
		if t.ID != "" && c.ids != nil {
			c.ids[t.ID.Text()] = isResults
		}
		if c.settings.orphansToUser {
			t.Role, t.ID, t.Name = canonical.User, "", ""
		}
		return nil
	}
	call := c.pending[at].call
	switch {
	case t.ID == "" || t.ID.Is(c.pending[at].was):
	case c.pending[at].was == "" && use == isComing: // only the result knows the id
		c.ids[t.ID.Text()] = isResults
		call.ID = t.ID
	default:
		c.Count("mended.result_id", 1)
	}
	t.ID = call.ID
	if t.Name == "" {
		t.Name = call.Name
	}
	if at == 0 { // the common case, results in order
		c.pending = c.pending[1:]
	} else {
		c.pending = slices.Delete(c.pending, at, at+1)
	}
	return nil
}

// pathOf returns the path of a turn in the record.
func (c *Builder) pathOf(t *Message) string { return c.Path + "." + strconv.Itoa(t.At) }

// asked returns the index in pending of the call that has the id of a result, or -1. Of several that is the one with its name.
func (c *Builder) asked(t *Message) int {
	if t.ID == "" {
		return -1
	}
	first := -1
	for at, p := range c.pending {
		if !p.was.Is(t.ID) {
			continue
		}
		if t.Name == "" || p.call.Name.Is(t.Name) {
			return at
		}
		if first < 0 {
			first = at
		}
	}
	return first
}

// isWrapped reports whether the id and the name of a result are about its call. A tool can return an object with such members itself.
func (c *Builder) isWrapped(t *Message) bool {
	if t.Name == "" {
		use, given := c.ids[t.ID.Text()]
		return given && use == isCalls
	}
	return c.Knows(t.Name.Text()) || slices.ContainsFunc(c.pending, func(p pending) bool { return p.call.Name.Is(t.Name) })
}

// laterResults are the results behind the one at hand, before the conversation goes on.
type laterResults struct {
	ids map[string]int // how many have each id
	to  int            // the turn where they end, as far as they were looked for
}

// look looks for them.
func (l *laterResults) look(turn int, turns []Message) {
	if turn < l.to {
		return
	}
	clear(l.ids)
	for l.to = turn + 1; l.to < len(turns) && !turns[l.to].goesOn(); l.to++ {
		if t := &turns[l.to]; t.Role == canonical.Tool && t.Raw == "" && t.ID != "" {
			if l.ids == nil {
				l.ids = map[string]int{}
			}
			l.ids[t.ID.Text()]++
		}
	}
}

// pass leaves out the result at hand.
func (l *laterResults) pass(turn int, t *Message) {
	if turn < l.to && t.ID != "" {
		l.ids[t.ID.Text()]--
	}
}

// noteIDs notes the ids of calls in the source, so that none of them is generated.
func (c *Builder) noteIDs() {
	for i := range c.Turns {
		for _, call := range c.Turns[i].Calls {
			if c.ids == nil {
				c.ids = map[string]idUse{}
			}
			c.ids[call.ID.Text()] = isComing
		}
	}
}

// newID returns an id that no call of the row has.
func (c *Builder) newID() jsontext.Body {
	for {
		id := "call_" + strconv.Itoa(c.serial)
		c.serial++
		if _, given := c.ids[id]; !given {
			return jsontext.Body(id)
		}
	}
}

// settleArgs checks that a call has a name, and that its arguments are an object or a string that holds one.
func (c *Builder) settleArgs(t *Message, i int) error {
	call := &t.Calls[i]
	if call.Name.Blank() {
		return sdk.Reject("bad_tool_call", c.pathOf(t), "want the name of a tool in every call, have a call without a name")
	}
	if call.Fault != "" {
		return sdk.Reject("bad_tool_call", c.pathOf(t), "%s", call.Fault)
	}
	c.Count("loss.call_member", call.Left)
	args := call.Args
	switch {
	case args == "" || args == "null":
		call.Args = "{}"
		return nil
	case args[0] == '{':
		return nil
	}
	body, isText := args.Quoted()
	if !isText {
		return c.badArguments(t, i, jsontext.KindName(args.Kind()))
	}
	text := strings.TrimSpace(body.Text())
	if strings.HasPrefix(text, `"`) { // encoded once too often
		if inner, ok := jsontext.Embedded(text); ok && strings.HasPrefix(strings.TrimSpace(inner.Text()), "{") {
			text = strings.TrimSpace(inner.Text())
			call.Args = inner
			c.Count("mended.arguments", 1)
		}
	}
	switch {
	case text == "", text == "null":
		call.Args = "{}"
		return nil
	case text[0] != '{':
		return c.badArguments(t, i, "a string that holds something else")
	}
	if _, ok := jsontext.Embedded(text); ok {
		return nil
	}
	mended, rest, err := calls.Literal(nil, text)
	if err != nil || strings.TrimSpace(rest) != "" {
		return c.badArguments(t, i, "a string that is not JSON")
	}
	c.Count("mended.arguments", 1)
	call.Args = jsontext.JSON(mended)
	return nil
}

func (c *Builder) badArguments(t *Message, i int, have string) error {
	path := c.pathOf(t) + ".tool_calls." + strconv.Itoa(i)
	return sdk.Reject("bad_arguments", path, "want an object or a string that holds one, have %s", have)
}

// object returns the arguments of a settled call as an object.
func object(args jsontext.JSON) jsontext.JSON {
	if body, ok := args.Quoted(); ok {
		inner, _ := body.Embedded()
		return inner
	}
	return args
}

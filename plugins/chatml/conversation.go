package chatml

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	intext "github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A message is one message of the row to write.
type message struct {
	canonical.Message
	parted  bool // text whose calls are in the message after it
	guarded bool // an empty reasoning is written, so that the template leaves the text alone
}

// A conversation turns a row into messages. Its memory is reused for the next row.
type conversation struct {
	rules
	row      *canonical.Row
	shown    canonical.Rendering
	messages []message // of shown, as far as they were made to fit
	fitted   []message
	ids      []jsontext.Body                  // of calls, by index in row.Parts
	used     map[string]int                   // ids that calls have, decoded; how often each was asked for
	avoid    map[string]int                   // ids that calls must not have
	buf      []byte                           // the row as far as it is written
	long     jsontext.Longs                   // of buf
	columns  [len(mediaKinds)][]jsontext.JSON // media of the row as far as it is written
	scratch  []byte
	halves   int // of characters, that were replaced in the row as far as it is written
	lists    [canonical.KnownTools]toolList
}

// build makes the messages: one system message first, the results of a user turn before its text, one message for each
// result, the response last.
func (c *conversation) build(r *sdk.Record) error {
	if c.spoken != "members" {
		heard, fault := intext.Heard(c.row, r.Count)
		if fault != nil {
			return sdk.Reject(fault.Code, fault.Path, "%s", fault.Message)
		}
		c.row = heard
	}
	row := c.row
	if len(row.Faults) > 0 {
		f := row.Faults[0]
		return sdk.Reject(f.Code, f.Path, "%s", f.Message)
	}
	if err := c.pairs(); err != nil {
		return err
	}
	if n := c.number(); n > 0 {
		r.Count("mended.call_id", n)
	}
	if err := c.system(r); err != nil {
		return err
	}
	if row.Forced() {
		r.Count("loss.tool_choice", 1)
	}
	if row.Output != "" {
		r.Count("loss.response_schema", 1)
	}
	row.Left(r.Count)
	for _, t := range c.shown.Turns {
		if err := c.turn(r, t); err != nil {
			return err
		}
	}
	history := len(c.shown.Messages)
	if err := c.assistant(r, row.Response); err != nil {
		return err
	}
	if n := c.shown.Trim(history); n > 0 {
		r.Count("loss.trailing_result", n)
	}
	if len(c.shown.Messages) == history || len(c.shown.Last().Calls) == 0 && !c.shown.Last().Says() {
		return sdk.Reject("empty_response", "response", "want text or a tool call")
	}
	c.messages = slices.Grow(c.messages[:0], len(c.shown.Messages))[:len(c.shown.Messages)]
	asked := false
	for i := range c.messages {
		m := &c.messages[i]
		m.Message, m.parted, m.guarded = c.shown.Messages[i], false, false
		asked = asked || m.Role == canonical.User
	}
	if !asked {
		return sdk.Reject("no_user_turn", "request", "want a user turn")
	}
	return nil
}

// pairs rejects calls of the history without a result.
func (c *conversation) pairs() error {
	if c.dangling != "reject" {
		return nil
	}
	for _, t := range c.row.Turns {
		for i := t.From; i < t.To; i++ {
			if p := &c.row.Parts[i]; p.Kind == canonical.CallPart && p.Mate < 0 {
				return sdk.Reject("dangling_call", t.Path(), "want a result for every tool call of the history")
			}
		}
	}
	return nil
}

// turn adds the messages of one turn of the history.
func (c *conversation) turn(r *sdk.Record, t canonical.Turn) error {
	if t.Name != "" && t.Role != canonical.Tool {
		r.Count("loss.name", 1)
	}
	switch t.Role {
	case canonical.Assistant:
		switch {
		case !t.Untrained:
		case c.untrained == "count":
			r.Count("loss.weight", 1)
		case c.untrained == "reject":
			return sdk.Reject("untrained_turn", t.Path(), "want answers that may all be trained on")
		}
		return c.assistant(r, t)
	case canonical.System, canonical.Developer: // system has placed these
		return nil
	}
	placed := false // parts of the turn are in results or in a count
	for i := range c.shown.Speech(t) {
		p := &c.row.Parts[i]
		placed = placed || p.Kind != canonical.TextPart && p.Kind != canonical.MediaPart
		var err error
		if p.Kind == canonical.ResultPart {
			err = c.result(r, i, t)
		} else {
			err = c.say(r, p, t)
		}
		if err != nil {
			return err
		}
	}
	switch says := c.shown.Close(); {
	case !says && !placed:
		r.Count("loss.empty_turn", 1)
	case says && t.Role == canonical.Tool:
		return sdk.Reject("unknown_part", t.Path(), "want tool results only, have text too")
	}
	return nil
}

// result adds a tool message.
func (c *conversation) result(r *sdk.Record, i int, t canonical.Turn) error {
	p := &c.row.Parts[i]
	if p.Mate < 0 {
		return sdk.Reject("orphan_result", t.Path(), "want a call for every tool result: orphan_results = \"user\" of the adapter keeps the row")
	}
	for _, body := range []jsontext.Body{p.Body, jsontext.Body(p.Value)} {
		if err := c.tagged(body, t); err != nil {
			return err
		}
	}
	if p.Failed {
		r.Count("loss.error_flag", 1)
	}
	if !p.Name.Blank() && !p.Name.Is(c.row.Parts[p.Mate].Name) {
		r.Count("mended.result_name", 1)
	}
	c.shown.Open(canonical.Tool, t).Result = i
	for n := i + 1; n <= i+p.Sub; n++ {
		if err := c.say(r, &c.row.Parts[n], t); err != nil {
			return err
		}
	}
	if c.shown.Place() {
		r.Count("repair.result_order", 1)
	}
	return nil
}

// say adds a text, or the placeholder of a medium. Other parts are left out.
func (c *conversation) say(r *sdk.Record, p *canonical.Part, t canonical.Turn) error {
	body := p.Body
	switch p.Kind {
	case canonical.TextPart:
		if err := c.tagged(body, t); err != nil {
			return err
		}
	case canonical.MediaPart:
		if c.keepsMedia() {
			ref, err := c.medium(r, p, t)
			if err != nil {
				return err
			}
			body = ref
			break
		}
		if c.media == "reject" {
			return sdk.Reject("media", t.Path(), "want text, have a part of type %s: media = \"parts\" keeps it by reference, \"placeholder\" as a word", p.Body)
		}
		r.Count("loss.media", 1)
		body = placeholders[p.Body]
	default:
		return c.leave(r, p, t)
	}
	c.shown.Say(body, c.join)
	return nil
}

var placeholders = map[jsontext.Body]jsontext.Body{"image": "[image]", "audio": "[audio]", "video": "[video]", "file": "[file]"}

// leave counts parts that a text row has no place for, and rejects parts of an unknown type.
func (c *conversation) leave(r *sdk.Record, p *canonical.Part, t canonical.Turn) error {
	switch p.Kind {
	case canonical.StepPart:
	case canonical.AsidePart:
		r.Count("loss."+string(p.Body), 1)
	case canonical.ReasoningPart:
		r.Count("loss.reasoning", 1)
	default:
		return sdk.Reject("unknown_part", t.Path(), "want text, reasoning, calls, results or media, have %s", p.Seen())
	}
	return nil
}

// number sets a unique id for each call of the conversation, and counts the ids that it changed.
func (c *conversation) number() (mended int) {
	c.ids = slices.Grow(c.ids[:0], len(c.row.Parts))[:len(c.row.Parts)]
	if c.used == nil {
		c.used = map[string]int{}
	}
	clear(c.used)
	n := 0
	for i := range c.row.Parts {
		p := &c.row.Parts[i]
		if p.Kind != canonical.CallPart {
			continue
		}
		id := p.ID
		if c.shortIDs && !isShortID(id) {
			id = ""
		}
		for k := 1 + c.used[id.Text()]; id != "" && c.used[id.Text()] > 0; k++ {
			c.used[p.ID.Text()] = k
			if id = p.ID + jsontext.Body("_"+strconv.Itoa(k)); c.shortIDs {
				id = ""
			}
		}
		for id == "" || c.used[id.Text()] > 0 || c.avoid[id.Text()] > 0 {
			if id = jsontext.Body("call_" + strconv.Itoa(n)); c.shortIDs {
				id = shortID(n)
			}
			n++
		}
		if p.ID != "" && id != p.ID {
			mended++
		}
		c.ids[i] = id
		c.used[id.Text()]++
	}
	return mended
}

func isShortID(id jsontext.Body) bool {
	isOther := func(c byte) bool { return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') }
	return len(id) == 9 && !slices.ContainsFunc([]byte(id), isOther)
}

func shortID(n int) jsontext.Body {
	digits := strconv.Itoa(n)
	return jsontext.Body("call00000"[:9-len(digits)] + digits)
}

// system makes one message of the system and developer turns at the head, without repeats, and applies late_system to
// later ones.
func (c *conversation) system(r *sdk.Record) error {
	c.shown.Begin(c.row)
	for i, late := range c.shown.System() {
		t := &c.shown.Turns[i]
		if late && c.lateSystem == "reject" {
			return sdk.Reject("late_system", t.Path(), "want system messages at the head only: late_system = \"user\" or \"merge\" keeps the row")
		}
		if late {
			r.Count("repair.late_system", 1)
		}
		if late && c.lateSystem == "user" {
			t.Role = canonical.User
			continue
		}
		c.shown.Paragraph()
		for n := t.From; n < t.To; n++ {
			if err := c.say(r, &c.row.Parts[n], *t); err != nil {
				return err
			}
		}
	}
	c.shown.Close()
	if n := c.shown.Repeated; n > 0 {
		r.Count("repair.repeated_system", n)
	}
	return nil
}

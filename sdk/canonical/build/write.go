package build

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (c *Builder) write() error {
	last, first, user := -1, -1, false
	for i := range c.Turns {
		switch t := &c.Turns[i]; {
		case t.Role == canonical.User:
			user = true
		case t.Role == canonical.Assistant && !t.NoTarget && user:
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	switch {
	case !user:
		return sdk.Reject("no_user_turn", c.Path, "want a turn of the user that says something, have %s", c.speakers())
	case last < 0:
		return sdk.Reject("no_target", c.Path, "want a turn of the assistant after one of the user, have %s", c.speakers())
	case c.Turns[last].Raw != "":
		return sdk.Reject("media", c.Path+"."+strconv.Itoa(c.Turns[last].At), "want a target of text and calls, have one with other parts")
	}
	c.Count("loss.trailing_turn", len(c.Turns)-1-last)
	if c.settings.each {
		c.ShareTrajectory()
	} else {
		first = last
	}
	user = false
	counts := c.settings.each && c.identity[stepIndex] == ""
	for i := range c.Turns[:last+1] {
		t := &c.Turns[i]
		user = user || t.Role == canonical.User
		isTarget := i >= first && user && t.Role == canonical.Assistant && !t.NoTarget
		switch {
		case isTarget && t.Raw != "":
			c.Count("loss.media_target", 1)
		case isTarget:
			if counts {
				c.identity[stepIndex] = jsontext.JSON(strconv.Itoa(i))
			}
			c.appendRow(t, i == last)
			c.emit(c.record.Derive(c.row, c.rowLong...))
		}
		c.appendHistory(t)
	}
	return nil
}

// speakers names the turns by their roles: first those that say something, then the empty ones.
func (c *Builder) speakers() string {
	const most = 6
	n, said := 0, ""
	add := func(role canonical.Role, what string) {
		switch n++; {
		case n == 1:
			said = role.String() + what
		case n <= most:
			said += ", " + role.String() + what
		}
	}
	for i := range c.Turns {
		what := ""
		if c.Turns[i].NoTarget {
			what = " (not to be trained on)"
		}
		add(c.Turns[i].Role, what)
	}
	for _, role := range c.blank {
		add(role, " (without text or calls)")
	}
	if n == 0 && c.system != "" {
		add(canonical.System, "")
	}
	if n > most {
		said += " and " + strconv.Itoa(n-most) + " more"
	}
	return cmp.Or(said, "no turns")
}

// ShareTrajectory sets one trajectoryId for all rows of a record, as member and label, so that a split cannot part them: the
// row's own, or else a hash of the record. It returns the id. Emit calls it before it writes a row for each turn; an adapter
// whose records hold several rows calls it before the first and sets the id in all.
func (c *Builder) ShareTrajectory() jsontext.Body {
	body, ok := c.identity[0].Quoted()
	if !ok || body.Blank() {
		sum := sha256.Sum256(jsontext.Bytes(string(sdk.Reading(c.record, (*spelling).read).record)))
		body = jsontext.Body(hex.EncodeToString(sum[:12]))
		c.identity[0] = jsontext.JSON(`"` + body + `"`)
	}
	c.record.SetLabel(trajectoryID, body.Text())
	return body
}

// appendRow writes the row whose response is t into c.row and c.rowLong; c.history holds the messages before it.
func (c *Builder) appendRow(t *Message, last bool) {
	if t.Name != "" { // a response has no name
		c.Count("loss.name", 1)
	}
	long := longs{c.rowLong[:0]}
	b := append(c.row[:0], `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{`...)
	if c.system != "" {
		b = append(long.appendText(b, `"system":`, c.system), ',')
	}
	b = append(b, `"messages":[`...)
	for _, l := range c.historyLong {
		long.Longs = append(long.Longs, jsontext.Long{At: len(b) + l.At, Piece: l.Piece})
	}
	b = append(append(b, c.history...), ']')
	b = long.appendMember(b, "tools", c.tools.list)
	b = long.appendMember(b, "toolChoice", c.ToolChoice)
	b = long.appendMember(b, "responseSchema", c.ResponseSchema)
	b = long.appendText(b, `},"response":{"text":`, t.Body)
	if t.Reasoning != "" {
		b = long.appendText(b, `,"reasoning":`, t.Reasoning)
	}
	for i, call := range t.Calls {
		b = open(b, i, `,"toolCalls":[`)
		b = appendText(b, `{"toolCallId":`, call.ID)
		b = appendText(b, `,"toolName":`, call.Name)
		b = append(long.Append(append(b, `,"input":`...), string(object(call.Args))), '}')
	}
	if len(t.Calls) > 0 {
		b = append(b, ']')
	}
	switch {
	case last && c.FinishReason != "":
		b = appendText(b, `,"finishReason":`, c.FinishReason)
	case len(t.Calls) > 0:
		b = append(b, `,"finishReason":"tool_calls"`...)
	}
	if last {
		b = long.appendMember(b, "usage", c.Usage)
	}
	b = append(b, '}')
	for i, name := range identityNames {
		b = long.appendMember(b, name, c.identity[i])
	}
	b = slices.Grow(b, c.metadataSize())
	for i, m := range c.metadata {
		b = open(b, i, `,"metadata":{`)
		b = append(appendText(b, "", m.Key), ':')
		b = long.Append(b, string(m.Value))
	}
	if len(c.metadata) > 0 {
		b = append(b, '}')
	}
	c.row, c.rowLong = append(b, '}'), long.Longs
}

// metadataSize returns about how many bytes the metadata becomes, 0 where it has few members.
func (c *Builder) metadataSize() (n int) {
	if len(c.metadata) <= fewMembers {
		return 0
	}
	for _, m := range c.metadata {
		if n += len(m.Key) + len(`"":,`); len(m.Value) < jsontext.LongPiece {
			n += len(m.Value)
		}
	}
	return n + len(`,"metadata":{}}`)
}

// appendHistory writes a turn as a message that is not the response.
func (c *Builder) appendHistory(t *Message) {
	long := longs{c.historyLong}
	if len(c.history)+len(c.historyLong) > 0 {
		c.history = append(c.history, ',')
	}
	if t.Raw != "" {
		c.history = long.Append(c.history, string(t.Raw))
	} else {
		c.history = long.appendTurn(c.history, t)
	}
	c.historyLong = long.Longs
}

func (long *longs) appendTurn(b []byte, t *Message) []byte {
	b = append(append(append(b, `{"role":"`...), t.Role.String()...), '"')
	if t.Role == canonical.Tool && t.ID != "" {
		b = appendText(b, `,"tool_call_id":`, t.ID)
	}
	if t.Name != "" {
		b = appendText(b, `,"name":`, t.Name)
	}
	if t.Failed && t.Role == canonical.Tool {
		return append(long.appendFailure(b, t), '}')
	}
	if t.NoTarget && t.Role == canonical.Assistant {
		b = append(b, `,"weight":0`...)
	}
	b = long.appendText(b, `,"content":`, t.Body)
	if t.Reasoning != "" {
		b = long.appendText(b, `,"reasoning":`, t.Reasoning)
	}
	for i, call := range t.Calls {
		b = open(b, i, `,"tool_calls":[`)
		b = appendText(b, `{"id":`, call.ID)
		b = appendText(b, `,"type":"function","function":{"name":`, call.Name)
		b = append(long.Append(append(b, `,"arguments":`...), string(call.Args)), "}}"...)
	}
	if len(t.Calls) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendFailure appends the content of a failed tool turn in the only spelling for failures: a part whose output is error-text.
func (long *longs) appendFailure(dst []byte, t *Message) []byte {
	dst = append(dst, `,"content":[{"type":"tool-result"`...)
	if t.ID != "" {
		dst = appendText(dst, `,"toolCallId":`, t.ID)
	}
	if t.Name != "" {
		dst = appendText(dst, `,"toolName":`, t.Name)
	}
	return append(long.appendText(dst, `,"output":{"type":"error-text","value":`, t.Body), "}}]"...)
}

// longs are the long texts of a row, which the record copies itself.
type longs struct{ jsontext.Longs }

func (long *longs) appendText(dst []byte, prefix string, body jsontext.Body) []byte {
	return append(long.Append(append(append(dst, prefix...), '"'), string(body)), '"')
}

// appendMember appends a member that is not the first, unless the value is "".
func (long *longs) appendMember(dst []byte, name string, value jsontext.JSON) []byte {
	if value == "" {
		return dst
	}
	return long.Append(append(append(append(dst, `,"`...), name...), `":`...), string(value))
}

// appendMember appends a member that is not the first, unless the value is "".
func appendMember(dst []byte, name string, value jsontext.JSON) []byte {
	if value == "" {
		return dst
	}
	return append(append(append(append(dst, `,"`...), name...), `":`...), value...)
}

func appendText(dst []byte, prefix string, body jsontext.Body) []byte {
	dst = append(append(dst, prefix...), '"')
	return append(append(dst, body...), '"')
}

// open appends the text before element i of a list: its opening, or a comma.
func open(dst []byte, i int, opening string) []byte {
	if i > 0 {
		opening = ","
	}
	return append(dst, opening...)
}

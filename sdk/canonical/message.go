package canonical

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (rd *reader) messages(turns []Turn, path string) []Turn {
	for i := range rd.Elements() {
		if len(turns) >= MaxParts { // such as messages without content
			rd.tooMany()
			continue
		}
		if rd.full() {
			continue
		}
		if kind := rd.Kind(); kind != '{' {
			rd.row.fault("bad_message", path+"."+strconv.Itoa(i), "want an object, have %s", jsontext.KindName(kind))
			continue
		}
		rd.within, rd.index = path, i
		t := rd.message(path, i)
		if t.Role != NoRole {
			turns = append(turns, t)
		}
	}
	return turns
}

// A draft holds the members of one message. Its content is read into parts at once.
type draft struct {
	role, name, refusal                         jsontext.Body
	roleValue, idValue                          jsontext.JSON
	calls, invocations, function, reasoning, ui jsontext.JSON
	attachments                                 jsontext.JSON
	content                                     jsontext.JSON // JSON; its parts are in the row already
	named                                       bool          // name is a tool's in any role, and is in found
	untrained                                   bool
}

// message reads one message: plain, with the parts of a model message, or a UI message.
func (rd *reader) message(path string, index int) Turn {
	r := rd.row
	t := Turn{From: len(r.Parts), Index: index}
	texts := len(rd.found.texts)
	d := rd.draft()
	t.Name, t.Untrained = d.name, d.untrained
	if t.Role = rowRole(d.role); t.Role == NoRole {
		r.fault("bad_role", path+"."+strconv.Itoa(index)+".role", "want system, developer, user, assistant or tool, have %s", jsontext.Seen(d.roleValue))
		r.Parts = r.Parts[:t.From]
		rd.postponeValue(inParts, d.ui)
		rd.postponeValue(inInvocations, d.invocations)
		rd.postponeValue(inCalls, d.calls)
		rd.postponeValue(inCall, d.function)
		return t
	}
	if d.ui.Kind() == '[' && !d.ui.Empty() { // the parts of a UI message repeat its content
		own := slices.Clone(r.Parts[t.From:])
		r.Parts = r.Parts[:t.From]
		rd.at(d.ui).parts()
		r.left[leftAgain] += unsaid(own, r.Parts[t.From:])
		if d.invocations != "" {
			rd.again(t, func() { rd.at(d.invocations).invocations(len(r.Parts), "") })
			rd.postponeValue(inInvocations, d.invocations)
		}
	} else if d.invocations != "" {
		rd.at(d.invocations).invocations(t.From, path+"."+strconv.Itoa(index))
	}
	t.To = len(r.Parts)
	if d.reasoning != "" && !r.Has(t, ReasoningPart) {
		rd.at(d.reasoning).reasoning()
		slices.Reverse(r.Parts[t.From:t.To]) // rotate: reasoning goes first
		slices.Reverse(r.Parts[t.To:])
		slices.Reverse(r.Parts[t.From:])
	} else if d.reasoning != "" {
		rd.again(t, func() { rd.at(d.reasoning).reasoning() })
	}
	if d.calls != "" && !r.Has(t, CallPart) {
		rd.at(d.calls).calls(path + "." + strconv.Itoa(index) + ".tool_calls")
	} else if d.calls != "" {
		rd.again(t, func() { rd.at(d.calls).calls("") })
		rd.postponeValue(inCalls, d.calls)
	}
	if d.refusal != "" {
		r.addPart(Part{Kind: TextPart, Body: d.refusal})
	}
	if d.function.Kind() == '{' {
		rd.at(d.function).call(path+"."+strconv.Itoa(index)+".function_call", -1)
	}
	attached := rd.at(d.attachments)
	for range attached.Elements() {
		if rd.full() {
			break
		}
		r.addPart(Part{Kind: MediaPart, Body: "file", Value: attached.Value()})
	}
	t.To = len(r.Parts)
	rd.found.setRole(t.Role, texts)
	if rd.unfold(&t); t.Role == Tool {
		if !d.named {
			rd.found.add(ResultUse, d.name)
		}
		id, ok := ReadID(d.idValue)
		if !ok {
			r.fault("bad_tool_call", path+"."+strconv.Itoa(index), "want an id that is a string or a number, have %s under tool_call_id", jsontext.KindName(d.idValue.Kind()))
		}
		t.To = r.asResult(t, id, d.name, cmp.Or(d.content, d.ui))
	} else if d.content != "" && !strings.Contains(`"[{n`, string(d.content[:1])) {
		r.fault("bad_content", path+"."+strconv.Itoa(index)+".content", "want a string or parts, have %s", jsontext.KindName(d.content[0]))
	}
	return t
}

// again counts the parts that do reads and that the turn, which has parts of their kind, does not show.
func (rd *reader) again(t Turn, do func()) {
	shown := len(rd.row.Parts)
	repeated := rd.apart(do)
	rd.row.left[leftAgain] += unsaid(repeated, rd.row.Parts[t.From:shown])
}

// draft reads the members of a message, and its content into parts.
func (rd *reader) draft() (d draft) {
	r := rd.row
	from := len(r.Parts)
	for key := range rd.Members() {
		switch key {
		case "role":
			d.roleValue = rd.Value()
			d.role = d.roleValue.Body()
		case "content":
			r.Parts = r.Parts[:from]
			start := rd.At
			rd.content()
			d.content = rd.JSON[start:rd.At]
		case "refusal":
			d.refusal, _ = rd.String()
			rd.found.addText(d.refusal)
		case "parts":
			d.ui = rd.Value()
		case "tool_calls", "toolCalls", "toolcalls":
			d.calls = rd.calling(d.calls)
		case "toolInvocations":
			d.invocations = rd.Value()
		case "function_call":
			d.function = rd.Value()
		case "reasoning", "reasoning_content", "reasoningText", "thinking":
			d.reasoning = rd.thinking(d.reasoning, leftMessage)
		case "experimental_attachments":
			d.attachments = rd.Value()
		case "tool_call_id", "toolCallId":
			d.idValue = rd.Value()
		case "name":
			d.name, _ = rd.String()
			d.named = false
		case "toolName":
			d.name, d.named = rd.name(ResultUse)
		case "weight", "train", "loss":
			switch v := rd.Value(); v {
			case "0", "0.0", "false":
				d.untrained = true
			case "1", "1.0", "true", "null":
			default:
				r.left[leftMessage]++
			}
		default:
			rd.leave(leftMessage)
		}
	}
	return d
}

// asResult makes one result of the content of a tool message without result parts: a text, parts, or else JSON.
func (r *Row) asResult(t Turn, id jsontext.Body, name jsontext.Body, whole jsontext.JSON) (to int) {
	if r.Has(t, ResultPart) || t.From < t.To && r.only(t, AsidePart) { // an approval is no result
		if at := next(r.Parts[:t.To], t.From, ResultPart); at < t.To && !(name == "" || name.Is(r.Parts[at].Name)) {
			r.left[leftMessage]++
		}
		return t.To
	}
	result := Part{Kind: ResultPart, ID: id, Name: name, Mate: -1}
	switch {
	case r.Has(t, UnknownPart):
		result.Value = whole
	case t.To-t.From == 1 && r.Parts[t.From].Kind == TextPart:
		result.Body = r.Parts[t.From].Body
	default:
		result.Sub = t.To - t.From
		r.Parts = slices.Insert(r.Parts, t.From, result)
		return t.To + 1
	}
	r.Parts = append(r.Parts[:t.From], result)
	return len(r.Parts)
}

// content reads a string, parts, or a single part. Any other value becomes an Unknown part.
func (rd *reader) content() {
	r := rd.row
	switch rd.Kind() {
	case '"':
		body, _ := rd.String()
		rd.found.addText(body)
		r.addPart(Part{Kind: TextPart, Body: body})
	case '[':
		rd.parts()
	case '{':
		rd.part()
	case 'n':
		rd.Skip()
	default:
		r.addPart(Part{Kind: UnknownPart, Value: rd.Value()})
	}
}

// MaxParts is how many parts of a row are read. It bounds their memory, which is larger than the shortest JSON of a part. A
// row with more parts has the fault "too_many_parts".
const MaxParts = 1 << 18

// full reports whether the row has as many parts as it may have.
func (rd *reader) full() bool {
	if len(rd.row.Parts) < MaxParts {
		return false
	}
	rd.tooMany()
	return true
}

func (rd *reader) tooMany() {
	rd.row.fault("too_many_parts", "", "want at most %d parts of messages, have at least one more", MaxParts)
}

func (rd *reader) parts() {
	for range rd.Elements() {
		if !rd.full() {
			rd.content()
		}
	}
}

// reasoning reads a string or a list of reasoning parts.
func (rd *reader) reasoning() {
	r := rd.row
	switch rd.Kind() {
	case '"':
		body, _ := rd.String()
		r.addPart(Part{Kind: ReasoningPart, Body: body})
	case '[':
		for range rd.Elements() {
			if !rd.full() {
				rd.reasoning()
			}
		}
	case '{':
		for key := range rd.Members() {
			switch key {
			case "text", "thinking", "value": // value: a text with its annotations, as the Assistants interface has it
				rd.reasoning()
			case "type":
				if known, ok := partKinds[rd.decoded()]; !ok || known.kind != ReasoningPart && known.kind != TextPart {
					r.left[leftPart]++
				}
			default:
				rd.leave(leftPart)
			}
		}
	case 'n':
	default:
		r.left[leftPart]++
	}
}

// thinking returns the next value as thoughts, unless another member has some. Different thoughts are counted as left.
func (rd *reader) thinking(other jsontext.JSON, where int) jsontext.JSON {
	v := rd.Value()
	switch {
	case !v.Truthy():
		return other
	case other == "":
		return v
	case !sameValue(other, v):
		rd.row.left[where]++
	}
	return other
}

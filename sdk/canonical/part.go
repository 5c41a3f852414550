package canonical

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// fields are the members that are read of a part, be it a message part or a UI part.
type fields struct {
	kind                              string        // decoded
	typed                             jsontext.Body // kind, not decoded
	plain                             jsontext.Body // the member "name"
	text, id, name, state             jsontext.Body
	members, left                     int // all, and those that are not read
	hasText                           bool
	args                              choice
	unknown                           string // a member that is an object and may be the arguments
	badID                             string // what an id is that is none, and where
	rawInput, output, result, failed  jsontext.JSON
	errorText                         jsontext.JSON
	invocation, content, listed, step jsontext.JSON
	approval                          approval
}

// An approval asks the user about a call, or answers that.
type approval struct {
	id, reason jsontext.Body
	denied     bool
}

// partKinds are the types of parts: content parts of AI SDK 4 to 6, UI parts of 4 to 6, and the blocks of the OpenAI and
// Anthropic interfaces. Those with tool are calls, results or both, so that their name is a tool's.
var partKinds = map[string]struct {
	kind Kind
	body jsontext.Body // Body of a MediaPart or AsidePart
	tool bool
}{
	"text": {kind: TextPart}, "input_text": {kind: TextPart}, "output_text": {kind: TextPart}, "refusal": {kind: TextPart},
	"reasoning": {kind: ReasoningPart}, "thinking": {kind: ReasoningPart},
	"redacted-reasoning": {kind: ReasoningPart}, "redacted_thinking": {kind: ReasoningPart},

	"tool-call": {CallPart, "", true}, "tool_use": {CallPart, "", true}, "server_tool_use": {CallPart, "", true},
	"tool-result": {ResultPart, "", true}, "tool_result": {ResultPart, "", true}, "tool-error": {ResultPart, "", true},
	"tool-invocation": {UnknownPart, "", true}, "dynamic-tool": {UnknownPart, "", true}, "function_call": {UnknownPart, "", true},
	"step-start": {kind: StepPart},

	"image": {MediaPart, "image", false}, "image_url": {MediaPart, "image", false}, "input_image": {MediaPart, "image", false},
	"audio_url": {MediaPart, "audio", false},
	"image-url": {MediaPart, "image", false}, "image-data": {MediaPart, "image", false}, "image-file-id": {MediaPart, "image", false},
	"audio": {MediaPart, "audio", false}, "input_audio": {MediaPart, "audio", false},
	"video": {MediaPart, "video", false}, "video_url": {MediaPart, "video", false},
	"file": {MediaPart, "file", false}, "document": {MediaPart, "file", false}, "media": {MediaPart, "file", false},
	"file-data": {MediaPart, "file", false}, "file-url": {MediaPart, "file", false}, "file-id": {MediaPart, "file", false},
	"file-reference": {MediaPart, "file", false}, "reasoning-file": {MediaPart, "file", false},

	"source": {AsidePart, "source", false}, "source-url": {AsidePart, "source", false}, "source-document": {AsidePart, "source", false},
	"tool-approval-request": {AsidePart, "approval", false}, "tool-approval-response": {AsidePart, "approval", false},
	"custom": {AsidePart, "data", false},
}

// HasType reports whether a part with that member "type" is of the kind.
func (k Kind) HasType(name jsontext.Body) bool {
	if name == "" || !kindInitials[k][name[0]] && name[0] != '\\' {
		return false
	}
	known, ok := partKinds[name.Text()]
	return ok && known.kind == k
}

// kindInitials are the first bytes of the types of each kind.
var kindInitials = func() (all [UnknownPart + 1][256]bool) {
	for name, known := range partKinds {
		all[known.kind][name[0]] = true
	}
	return all
}()

var states = map[string]bool{
	"": true, "call": true, "partial-call": true, "result": true, "done": true, "streaming": true,
	"input-streaming": true, "input-available": true, "output-available": true, "output-error": true, "output-denied": true,
	"approval-requested": true, "approval-responded": true,
}

// addPart adds a part. It has no mate until pair finds one: a Mate of 0 would be the first part.
func (r *Row) addPart(p Part) {
	p.Mate = -1
	r.Parts = append(r.Parts, p)
}

func (rd *reader) part() {
	r := rd.row
	start := rd.At
	f := rd.fields()
	known, ok := partKinds[f.kind]
	ui := strings.HasPrefix(f.kind, "tool-")
	if ui = ui && (!ok || f.state != "" && f.name == ""); ui { // the tool may be named "call"
		rd.found.add(CallUse, f.uiName())
	}
	if known.tool {
		rd.found.add(CallUse, f.plain)
	}
	if f.invocation != "" && f.kind != "tool-invocation" {
		rd.postponeValue(inCall, f.invocation)
	}
	p := Part{Kind: known.kind}
	switch {
	case ui && (f.state != "" && f.name == "" || f.id != ""):
		f.name = f.uiName()
		rd.invocation(f)
		return
	case f.kind == "tool-invocation":
		r.left[leftPart] += f.left
		if f.invocation == "" {
			r.left[leftPart]++
			return
		}
		inner := rd.at(f.invocation).fields()
		rd.found.add(CallUse, inner.plain)
		rd.invocation(inner)
		return
	case f.kind == "dynamic-tool":
		rd.invocation(f)
		return
	case !ok && strings.HasPrefix(f.kind, "data-"):
		p.Kind, p.Body = AsidePart, "data"
	case !ok && f.members == 1 && f.hasText:
		p.Kind, p.Body = TextPart, f.text
	case !ok || known.kind == UnknownPart:
		p.Kind, p.Body, p.Value = UnknownPart, jsontext.BodyOf(f.kind), rd.JSON[start:rd.At]
	case known.kind == ResultPart:
		rd.result(f)
		return
	case known.kind == TextPart || known.kind == ReasoningPart:
		p.Body = f.text
	case known.kind == CallPart:
		if n := len(r.Parts); n > 0 && r.Parts[n-1].Kind == ResultPart { // asked for after that result had come
			r.addPart(Part{Kind: StepPart})
		}
		rd.called(f)
		r.left[leftPart] += f.unshownBy(CallPart)
		return
	case known.body == "approval":
		p.Body, p.Name = known.body, f.approval.id
		if p.ID = f.id; f.kind == "tool-approval-response" {
			r.denials = r.denials || f.approval.denied
			p.ID, p.Failed, p.Value = "", f.approval.denied, `"`+jsontext.JSON(f.approval.reason)+`"`
		}
	default:
		if p.Body = known.body; p.Body == "source" || p.Kind == MediaPart {
			p.Value = rd.JSON[start:rd.At]
		}
	}
	r.addPart(p)
	r.left[leftPart] += f.unshownBy(p.Kind)
}

// unshownBy counts the members that a part of a kind does not show.
func (f *fields) unshownBy(kind Kind) int {
	switch kind {
	case MediaPart, AsidePart, UnknownPart: // rows do not show these
		return 0
	case CallPart, StepPart:
		return f.left + unshown(f.text, f.output, f.result, f.content, f.listed, f.errorText)
	}
	return f.left + unshown(f.name, f.args.value, f.rawInput, f.output, f.result, f.content, f.listed, f.errorText)
}

// unshown counts those of some contents of a part that are not empty: its kind shows none of them.
func unshown(body jsontext.Body, values ...jsontext.JSON) (n int) {
	if !body.Blank() {
		n++
	}
	for _, v := range values {
		if v.Truthy() {
			n++
		}
	}
	return n
}

// uiName returns the tool in the type "tool-NAME" of a UI part.
func (f *fields) uiName() jsontext.Body {
	body := f.typed
	for range len("tool-") { // each character may be escaped
		n, _ := unit(body)
		body = body[n:]
	}
	return body
}

func (rd *reader) fields() (f fields) {
	for key := range rd.Members() {
		f.members++
		switch key {
		case "type":
			f.typed, _ = rd.String()
			f.kind = f.typed.Text()
		case "text", "reasoning", "thinking", "refusal":
			body, ok := rd.text()
			if !ok {
				break
			}
			if f.text != "" && body != "" && f.text != body {
				f.left++
			}
			f.text, f.hasText = body, true
			rd.found.addText(body)
		case "toolCallId", "tool_use_id", "tool_call_id", "id":
			v := rd.Value()
			if body, ok := ReadID(v); !ok {
				f.badID = cmp.Or(f.badID, jsontext.KindName(v.Kind())+" under "+key)
			} else if body != "" && (f.id == "" || key != "id") {
				f.id = body
			}
		case "toolName", "tool_name":
			if body, ok := rd.name(CallUse); ok {
				f.name = body
			}
		case "name":
			if body, ok := rd.String(); ok {
				f.plain, f.name = cmp.Or(f.plain, body), cmp.Or(f.name, body)
			}
		case "rawInput":
			f.rawInput = rd.Value()
		case "output":
			f.output = rd.Value()
		case "result":
			f.result = rd.Value()
		case "content", "error":
			f.content = rd.Value()
		case "experimental_content":
			f.listed = rd.Value()
		case "step":
			f.step = rd.Value()
		case "approvalId":
			f.approval.id, _ = rd.String()
		case "approved":
			f.approval.denied = rd.Value() == "false"
		case "reason":
			f.approval.reason, _ = rd.String()
		case "approval":
			f.approval = rd.fields().approval
		case "isError", "is_error":
			f.failed = rd.Value()
		case "state":
			if f.state, _ = rd.String(); !states[string(f.state)] {
				f.left++
			}
		case "errorText":
			f.errorText = rd.Value()
		case "toolInvocation":
			f.invocation = rd.Value()
		case "functionCall", "functionResponse", "function_call":
			rd.postpone(inCall)
			f.left++
		default:
			if rank := argumentsRank(key); rank > 0 {
				f.args.offer("", key, rank, rd.Value())
				break
			}
			kind := rd.Kind()
			if kind != 'n' {
				f.left++
			}
			if kind == '{' && f.unknown == "" && mayBeArguments(key) && !rd.Value().Empty() {
				f.unknown = key
			}
		}
	}
	return f
}

// text reads a text, or, as Mistral writes thoughts, parts of text.
func (rd *reader) text() (body jsontext.Body, ok bool) {
	if kind := rd.Kind(); rd.row == nil || kind != '[' && kind != '{' {
		return rd.String()
	}
	for _, p := range rd.apart(rd.reasoning) {
		body += p.Body
	}
	return body, true
}

// called adds the call of a part.
func (rd *reader) called(f fields) {
	r := rd.row
	if fault := faultIn(&f.args, cmp.Or(f.args.value, f.rawInput), f.unknown); fault != "" {
		r.fault("bad_tool_call", rd.path(), "%s", fault)
	}
	if f.badID != "" {
		r.fault("bad_tool_call", rd.path(), "want an id that is a string or a number, have %s", f.badID)
	}
	if f.rawInput.Truthy() && !sameValue(f.input(), f.rawInput) {
		r.left[leftPart]++
	}
	rd.namesInArguments(f.name, f.input())
	r.addPart(Part{Kind: CallPart, ID: f.id, Name: f.name, Value: f.input()})
}

// input returns the arguments of a call: those that were read, or else the text that the model wrote.
func (f *fields) input() jsontext.JSON {
	if f.args.value == "" || f.args.value == "null" {
		return f.rawInput
	}
	return f.args.value
}

// invocation reads a UI part: a call, and its result when there is one.
func (rd *reader) invocation(f fields) {
	r := rd.row
	r.left[leftPart] += f.left + unshown(f.text, f.content, f.listed)
	rd.called(f)
	p := Part{Kind: ResultPart, ID: f.id, Name: f.name}
	switch {
	case f.state == "output-error":
		r.left[leftPart] += unshown("", f.output, f.result)
		p.Failed, p.Body = true, f.errorText.Body()
		r.addPart(p)
	case f.state == "output-denied" || f.state == "approval-responded" && f.approval.denied:
		r.left[leftPart] += unshown("", f.output, f.result, f.errorText)
		p.deny(f.approval.reason)
		r.addPart(p)
	default:
		r.left[leftPart] += unshown("", f.errorText)
		if shown := rd.shown(f.output, f.result); shown != "" {
			r.addResult(p, shown)
		}
	}
}

// invocations reads the toolInvocations of a UI message, whose own text follows the results of its tools.
func (rd *reader) invocations(from int, path string) {
	r := rd.row
	own := slices.Clone(r.Parts[from:])
	r.Parts = r.Parts[:from]
	var step jsontext.JSON
	for range rd.Elements() {
		if rd.full() {
			continue
		}
		if rd.Kind() != '{' {
			r.fault("bad_tool_call", path+".toolInvocations", "want objects, have %s", jsontext.KindName(rd.Kind()))
			continue
		}
		f := rd.fields()
		rd.found.add(CallUse, f.plain)
		if step != "" && f.step != step {
			r.addPart(Part{Kind: StepPart})
		}
		step = f.step
		rd.invocation(f)
	}
	if r.Has(Turn{From: from, To: len(r.Parts)}, ResultPart) {
		from = len(r.Parts)
	}
	r.Parts = slices.Insert(r.Parts, from, own...)
}

package eliza

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// fields are the members of a part, message part or UI part, that mean something here.
type fields struct {
	kind                                    string // decoded
	text, id, name, state, errorText        jsontext.Body
	members                                 int
	hasText                                 bool
	input, rawInput, output, result, failed jsontext.JSON
	invocation, content, listed, step       jsontext.JSON
	approval                                approval
}

// An approval is what a user was asked about a call, or what the user said to that.
type approval struct {
	id, reason jsontext.Body
	denied     bool
}

// part reads one part of a message. Spellings: content parts of AI SDK 4 to 6, UI parts of 4 to 6, and the blocks
// of the OpenAI and Anthropic interfaces.
func (rd *reader) part() {
	r := rd.row
	start := rd.At
	f := rd.fields()
	if name, ui := strings.CutPrefix(f.kind, "tool-"); ui && f.state != "" && f.name == "" { // the tool may be named "call"
		f.name = jsontext.Body(name)
		rd.invocation(f)
		return
	}
	switch f.kind {
	case "text", "input_text", "output_text", "refusal":
		r.Parts = append(r.Parts, Part{Kind: Text, Body: f.text, Mate: -1})
	case "reasoning", "thinking", "redacted-reasoning", "redacted_thinking":
		r.Parts = append(r.Parts, Part{Kind: Reasoning, Body: f.text, Mate: -1})
	case "tool-call", "tool_use", "server_tool_use":
		if n := len(r.Parts); n > 0 && r.Parts[n-1].Kind == Result { // asked for after that result had come
			r.Parts = append(r.Parts, Part{Kind: Step, Mate: -1})
		}
		r.Parts = append(r.Parts, Part{Kind: Call, ID: f.id, Name: f.name, Value: f.input, Mate: -1})
	case "tool-result", "tool_result", "tool-error":
		rd.result(f)
	case "tool-invocation":
		if f.invocation != "" {
			rd.invocation(rd.at(f.invocation).fields())
		}
	case "dynamic-tool":
		rd.invocation(f)
	case "step-start":
		r.Parts = append(r.Parts, Part{Kind: Step, Mate: -1})
	case "image", "image_url", "input_image", "image-url", "image-data", "image-file-id":
		r.Parts = append(r.Parts, Part{Kind: Media, Body: "image", Mate: -1})
	case "audio", "input_audio":
		r.Parts = append(r.Parts, Part{Kind: Media, Body: "audio", Mate: -1})
	case "video", "video_url":
		r.Parts = append(r.Parts, Part{Kind: Media, Body: "video", Mate: -1})
	case "file", "document", "media", "file-data", "file-url", "file-id", "file-reference", "reasoning-file":
		r.Parts = append(r.Parts, Part{Kind: Media, Body: "file", Mate: -1})
	case "source", "source-url", "source-document":
		r.Parts = append(r.Parts, Part{Kind: Aside, Body: "source", Mate: -1})
	case "tool-approval-request":
		r.Parts = append(r.Parts, Part{Kind: Aside, Body: "approval", ID: f.id, Name: f.approval.id, Mate: -1})
	case "tool-approval-response":
		r.denials = r.denials || f.approval.denied
		r.Parts = append(r.Parts, Part{Kind: Aside, Body: "approval", Name: f.approval.id, Value: `"` + jsontext.JSON(f.approval.reason) + `"`, Failed: f.approval.denied, Mate: -1})
	case "custom":
		r.Parts = append(r.Parts, Part{Kind: Aside, Body: "data", Mate: -1})
	default:
		switch name, ui := strings.CutPrefix(f.kind, "tool-"); {
		case ui && f.id != "":
			f.name = jsontext.Body(name)
			rd.invocation(f)
		case strings.HasPrefix(f.kind, "data-"):
			r.Parts = append(r.Parts, Part{Kind: Aside, Body: "data", Mate: -1})
		case f.members == 1 && f.hasText:
			r.Parts = append(r.Parts, Part{Kind: Text, Body: f.text, Mate: -1})
		default:
			r.Parts = append(r.Parts, Part{Kind: Unknown, Body: jsontext.BodyOf(f.kind), Value: rd.JSON[start:rd.At], Mate: -1})
		}
	}
}

func (rd *reader) fields() (f fields) {
	for key := range rd.Members() {
		f.members++
		switch key {
		case "type":
			f.kind = rd.decoded()
		case "text", "reasoning", "thinking", "refusal":
			if body, ok := rd.String(); ok {
				f.text, f.hasText = body, true
			}
		case "toolCallId", "tool_use_id", "tool_call_id", "id":
			if body, ok := rd.String(); ok && (f.id == "" || key != "id") {
				f.id = body
			}
		case "toolName", "name":
			if body, ok := rd.String(); ok && (f.name == "" || key == "toolName") {
				f.name = body
			}
		case "input", "args", "arguments":
			if f.input == "" || key == "input" {
				f.input = rd.Value()
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
			f.state, _ = rd.String()
		case "errorText":
			f.errorText, _ = rd.String()
		case "toolInvocation":
			f.invocation = rd.Value()
		}
	}
	return f
}

// result adds the result of a tool call: output of type text, json, error-text, error-json, content or
// execution-denied, or the older result, or the content of an Anthropic block.
func (rd *reader) result(f fields) {
	r := rd.row
	p := Part{Kind: Result, ID: f.id, Name: f.name, Failed: f.failed == "true" || f.kind == "tool-error", Mate: -1}
	switch {
	case f.output != "":
		rd.at(f.output).output(p)
	case f.listed.Kind() == '[':
		rd.at(f.listed).list(p)
	case f.result != "":
		r.addResult(p, f.result)
	case f.content.Kind() == '[':
		rd.at(f.content).list(p)
	default:
		r.addResult(p, f.content)
	}
}

// addResult adds a result that is one value: a string is text, anything else stays JSON.
func (r *Row) addResult(p Part, value jsontext.JSON) {
	if body, ok := value.Quoted(); ok {
		p.Body = body
	} else {
		p.Value = value
	}
	r.Parts = append(r.Parts, p)
}

// output reads the output of a result. What has no known type, or more members than it should, is the value itself.
func (rd *reader) output(p Part) {
	r := rd.row
	whole := rd.Value()
	var kind string
	var value jsontext.JSON
	var reason jsontext.Body
	known := true
	out := rd.at(whole)
	for key := range out.Members() {
		switch key {
		case "type":
			kind = out.decoded()
		case "value":
			value = out.Value()
		case "reason":
			reason, _ = out.String()
		default:
			known = known && key == "providerOptions"
		}
	}
	if !known {
		kind = ""
	}
	switch kind {
	case "text", "error-text":
		p.Failed = p.Failed || kind == "error-text"
		r.addResult(p, value)
	case "json", "error-json": // a string stays JSON, as the SDK sends it
		p.Failed = p.Failed || kind == "error-json"
		p.Value = value
		r.Parts = append(r.Parts, p)
	case "content":
		rd.at(value).list(p)
	case "execution-denied":
		p.deny(reason)
		r.Parts = append(r.Parts, p)
	default:
		r.addResult(p, whole)
	}
}

// deny makes a result say that the tool was not run.
func (p *Part) deny(reason jsontext.Body) {
	p.Kind, p.Failed = Result, true
	if p.Body = reason; reason == "" {
		p.Body = "execution denied"
	}
}

// list reads content parts as the content of a result.
func (rd *reader) list(p Part) {
	r := rd.row
	at := len(r.Parts)
	r.Parts = append(r.Parts, p)
	rd.parts()
	r.Parts[at].Sub = len(r.Parts) - at - 1
}

// invocation reads a UI part: a call, and its result when there is one.
func (rd *reader) invocation(f fields) {
	r := rd.row
	if f.input == "" || f.input == "null" {
		f.input = f.rawInput
	}
	r.Parts = append(r.Parts, Part{Kind: Call, ID: f.id, Name: f.name, Value: f.input, Mate: -1})
	p := Part{Kind: Result, ID: f.id, Name: f.name, Mate: -1}
	switch {
	case f.state == "output-error":
		p.Failed, p.Body = true, f.errorText
		r.Parts = append(r.Parts, p)
	case f.state == "output-denied" || f.state == "approval-responded" && f.approval.denied:
		p.deny(f.approval.reason)
		r.Parts = append(r.Parts, p)
	case f.output != "":
		r.addResult(p, f.output)
	case f.result != "":
		r.addResult(p, f.result)
	}
}

// invocations reads the toolInvocations of a UI message, whose own text comes after what its tools answered.
func (rd *reader) invocations(from int, path string) {
	r := rd.row
	own := append([]Part(nil), r.Parts[from:]...)
	r.Parts = r.Parts[:from]
	var step jsontext.JSON
	for range rd.Elements() {
		if rd.Kind() != '{' {
			r.fault("bad_tool_call", path+".toolInvocations", "want objects, have %s", kindName(rd.Kind()))
			continue
		}
		f := rd.fields()
		if step != "" && f.step != step {
			r.Parts = append(r.Parts, Part{Kind: Step, Mate: -1})
		}
		step = f.step
		rd.invocation(f)
	}
	if r.Has(Turn{From: from, To: len(r.Parts)}, Result) {
		r.Parts = append(r.Parts, own...)
		return
	}
	calls := append([]Part(nil), r.Parts[from:]...)
	r.Parts = append(append(r.Parts[:from], own...), calls...)
}

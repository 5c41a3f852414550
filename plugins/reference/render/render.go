// Package render writes the rows {messages, tools} of the Python renderer, byte for byte, before its redaction.
package render

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/plugins/internal/pyjson"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Reasons why the renderer makes no row, whatever other shape the record may have.
const (
	ReasonAuxiliary = "auxiliary row"
	ReasonBoundary  = "boundary is an array or object"
	ReasonInteger   = "an integer has more than 4300 digits"
)

// appendRow appends the row that the renderer makes of a canonical row. When it makes none, reason says why.
func appendRow(dst []byte, record jsontext.JSON) (row []byte, reason string) {
	if record.Kind() != '{' {
		return dst, "not an object"
	}
	var format, boundary, request, response, split, quality, metadata jsontext.JSON
	record.Fill([]string{"format", "boundary", "request", "response", "split", "quality", "metadata"},
		[]*jsontext.JSON{&format, &boundary, &request, &response, &split, &quality, &metadata}, nil)
	switch {
	case format.Text() != canonical.Format:
		return dst, "another format"
	case Auxiliary(split, quality, metadata):
		return dst, ReasonAuxiliary
	case !python.Reads(record):
		return dst, ReasonInteger
	case boundary.Kind() == '{' || boundary.Kind() == '[':
		return dst, ReasonBoundary
	case !slices.Contains(canonical.Boundaries, boundary.Text()):
		return dst, "another boundary"
	case request.Kind() != '{':
		return dst, "request is not an object"
	case response.Kind() != '{':
		return dst, "response is not an object"
	}
	carried := metadata.Get(carriedKey)
	r := renderer{dst: append(dst, `{"messages": [`...), carried: carried.Kind() == '{'}
	tools := r.request(request)
	if !r.user {
		return dst, "no user turn"
	}
	if answer := carried.Get("message"); answer != "" {
		r.message(answer)
	} else if !r.response(response) {
		return dst, "empty response"
	}
	r.dst = append(r.dst, ']')
	if tools != "" {
		r.dst = pyjson.AppendDumps(append(r.dst, `, "tools": `...), tools, pyjson.Layout{})
	}
	return append(r.dst, '}'), ""
}

// Auxiliary reports whether the renderer takes a row of any shape for one of the repair loop, by its members as JSON.
func Auxiliary(split, quality, metadata jsontext.JSON) bool {
	if quality.Kind() != '{' {
		quality = metadata.Get("quality")
	}
	name := Split(split, metadata)
	return name == "repair" || name == "repair_eval" || quality.Get("success") == "false" ||
		quality.Get("requiresRepair") == "true" || quality.Get("rating").Text() == "repair"
}

// Split returns the split of a row in lower case: its own, or else the one in metadata.
func Split(split, metadata jsontext.JSON) string {
	if name := split.Word(); name != "" {
		return name
	}
	return metadata.Get("split").Word()
}

// A renderer writes the messages of one row.
type renderer struct {
	dst     []byte
	carried bool          // every message stays
	n       int           // messages so far
	user    bool          // there is a message of the user
	first   jsontext.JSON // the content of a system message at the beginning, as sorted Python JSON
}

func (r *renderer) request(request jsontext.JSON) (tools jsontext.JSON) {
	var system, messages, prompt jsontext.JSON
	request.Fill([]string{"system", "messages", "prompt", "tools"}, []*jsontext.JSON{&system, &messages, &prompt, &tools}, nil)
	if body, ok := system.Quoted(); ok && body != "" {
		r.text("system", body)
		r.first = contentOf(system)
	}
	for _, message := range messages.Elements() {
		r.message(message)
	}
	if body, ok := prompt.Quoted(); ok && !body.Blank() {
		r.text("user", body)
		r.user = true
	}
	return tools
}

func (r *renderer) response(response jsontext.JSON) bool {
	var text, calls jsontext.JSON
	response.Fill([]string{"text", "toolCalls"}, []*jsontext.JSON{&text, &calls}, nil)
	list := appendCalls(nil, calls)
	body, _ := text.Quoted()
	if body.Blank() {
		if body = ""; len(list) == 0 {
			return false
		}
	}
	r.text("assistant", body)
	if len(list) > 0 {
		r.dst = append(append(append(r.dst[:len(r.dst)-1], `, "tool_calls": [`...), list...), "]}"...)
	}
	return true
}

func (r *renderer) text(role string, body jsontext.Body) {
	r.open(role)
	r.dst = pyjson.AppendDumps(append(r.dst, `, "content": `...), body.JSON(), pyjson.Layout{})
	r.dst = append(r.dst, '}')
}

func (r *renderer) open(role string) {
	if r.n > 0 {
		r.dst = append(r.dst, ", "...)
	}
	r.n++
	r.dst = append(append(append(r.dst, `{"role": "`...), role...), '"')
}

// contentOf returns a content as JSON that is equal for equal contents.
func contentOf(content jsontext.JSON) jsontext.JSON {
	return jsontext.JSON(pyjson.AppendDumps(nil, cmp.Or(content, "null"), pyjson.Layout{SortKeys: true}))
}

// message appends the normal form of a message, if it has one, but no system message that repeats the first message.
func (r *renderer) message(value jsontext.JSON) {
	m := readMessage(value)
	calls := appendCalls(nil, m.calls)
	if m.role == "" || !r.carried && len(calls) == 0 && !m.says() {
		return
	}
	if m.role == "system" && !r.carried {
		content := contentOf(m.members[0])
		if r.n > 0 && r.first == content {
			return
		}
		if r.n == 0 {
			r.first = content
		}
	}
	r.user = r.user || m.role == "user"
	r.open(m.role)
	for i, name := range memberNames {
		if m.members[i] != "" {
			r.dst = append(append(append(r.dst, `, "`...), name...), `": `...)
			r.dst = pyjson.AppendDumps(r.dst, m.members[i], pyjson.Layout{})
		}
	}
	if len(calls) > 0 {
		r.dst = append(append(append(r.dst, `, "tool_calls": [`...), calls...), ']')
	}
	r.dst = append(r.dst, '}')
}

// carriedKey is the member of metadata by which Append knows a row of Adapter: a name that no corpus uses, unlike "reference", since
// it changes what becomes of the row.
const carriedKey = "sluice_carried"

// Carried is what the Python renderer makes of another shape than the canonical one, as it goes from an adapter to Append. It is
// written as a canonical row, so that other steps can read and change it, with an object at metadata.sluice_carried that makes
// Append keep its messages.
type Carried struct {
	Messages []jsontext.JSON // all but the answer
	Tools    jsontext.JSON   // "" for none
	Answer   jsontext.JSON   // the assistant's message at the end
	Whole    bool            // Answer has more than a response can hold, and is at metadata.sluice_carried.message too
}

// Adapter returns a step that emits the rows which read fills, one for each record, whose memory is reused.
func Adapter(read func(row *Carried, record jsontext.JSON) error) sdk.Processor {
	var row Carried
	var buf []byte
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		if err := read(&row, jsontext.Of(r.JSON())); err != nil {
			return err
		}
		buf = row.append(buf[:0])
		emit(r.Derive(buf))
		return nil
	})
}

// append appends the canonical row.
func (c *Carried) append(dst []byte) []byte {
	dst = append(dst, `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"messages":[`...)
	for _, m := range c.Messages {
		dst = append(jsontext.AppendComma(dst), m...)
	}
	dst = append(dst, ']')
	if c.Tools != "" {
		dst = append(append(dst, `,"tools":`...), c.Tools...)
	}
	content, calls := c.Answer.Get("content"), c.Answer.Get("tool_calls")
	if content.Kind() != '"' {
		content = `""`
	}
	dst = append(append(dst, `},"response":{"text":`...), content...)
	if calls.Kind() == '[' {
		dst = append(append(dst, `,"toolCalls":`...), calls...)
	}
	dst = append(dst, `},"metadata":{"`+carriedKey+`":{`...)
	if c.Whole {
		dst = append(append(dst, `"message":`...), c.Answer...)
	}
	return append(dst, "}}}"...)
}

// New returns a step that emits the row of the Python renderer.
func New() sdk.Processor {
	var row []byte
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		var reason string
		row, reason = appendRow(jsontext.Reuse(row), jsontext.Of(r.JSON()))
		if reason != "" {
			return sdk.Reject("not_rendered", "", "want a row the reference renders: %s", reason)
		}
		if bytes.Contains(row, []byte("Infinity")) && !isJSON(row) {
			return sdk.Reject("not_rendered", infinite(jsontext.Of(r.JSON())), "want numbers that a double holds: the reference writes a greater one as Infinity, which is no JSON")
		}
		emit(r.Derive(row))
		return nil
	})
}

func isJSON(text []byte) bool {
	err := jsontext.Check(text, jsontext.EmbeddedDepth)
	return err == nil || err.Code != jsontext.InvalidJSON
}

// infinite returns the path of the first member of a canonical row that Python writes with Infinity.
func infinite(record jsontext.JSON) string {
	isInfinite := func(v jsontext.JSON) bool { return v != "" && !isJSON(pyjson.AppendDumps(nil, v, pyjson.Layout{})) }
	request := record.Get("request")
	for i, message := range request.Get("messages").Elements() {
		m := readMessage(message)
		for n, member := range m.members {
			if m.role != "" && isInfinite(member) {
				return "request.messages." + strconv.Itoa(i) + "." + memberNames[n]
			}
		}
	}
	if isInfinite(request.Get("tools")) {
		return "request.tools"
	}
	return ""
}

// NewCheck returns a step that emits the canonical rows which the Python renderer renders, unchanged. That renderer tries the
// other shapes on a row that fails, so the step declines such a row.
func NewCheck() sdk.Processor {
	var row []byte
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		var reason string
		row, reason = appendRow(row[:0], jsontext.Of(r.JSON()))
		switch reason {
		case "":
			emit(r)
			return nil
		case ReasonAuxiliary:
			return sdk.Reject("auxiliary", "", "want a row for training, have one of the repair loop")
		case ReasonBoundary, ReasonInteger:
			return sdk.Reject("reference_error", "", "want a row the reference can read: %s", reason)
		}
		return sdk.Decline(reason)
	})
}

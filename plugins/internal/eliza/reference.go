package eliza

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// What the existing Python renderer makes of a row. Its redaction is not here.
//
// Rows that an adapter carried here from another shape say so with an object at metadata.reference. Of those every
// message stays, as it is in the shape the adapter read, and metadata.reference.message, when there, is the
// assistant message at the end in place of the response.

// Reasons why the Python renderer gives no row, whatever other shape the record may have too.
const (
	ReasonAuxiliary = "auxiliary row"
	ReasonBoundary  = "boundary is an array or object"
	ReasonInteger   = "an integer has more than 4300 digits"
)

// AppendReference appends the row {messages, tools} as the Python renderer writes it. When that gives no row, reason
// says why.
func AppendReference(dst []byte, record jsontext.JSON) (row []byte, reason string) {
	top := jsontext.Cursor{JSON: record}
	if top.Kind() != '{' {
		return dst, "not an object"
	}
	var f struct{ format, boundary, request, response, split, quality, metadata jsontext.JSON }
	for key := range top.Members() {
		switch key {
		case "format":
			f.format = top.Value()
		case "boundary":
			f.boundary = top.Value()
		case "request":
			f.request = top.Value()
		case "response":
			f.response = top.Value()
		case "split":
			f.split = top.Value()
		case "quality":
			f.quality = top.Value()
		case "metadata":
			f.metadata = top.Value()
		}
	}
	switch {
	case f.format.Text() != Format:
		return dst, "another format"
	case ReferenceAuxiliary(f.split, f.quality, f.metadata):
		return dst, ReasonAuxiliary
	case !python.Reads(record):
		return dst, ReasonInteger
	case f.boundary.Kind() == '{' || f.boundary.Kind() == '[':
		return dst, ReasonBoundary
	case !slices.Contains(Boundaries, f.boundary.Text()):
		return dst, "another boundary"
	case f.request.Kind() != '{':
		return dst, "request is not an object"
	case f.response.Kind() != '{':
		return dst, "response is not an object"
	}
	carried := f.metadata.Get("reference")
	r := reference{dst: append(dst, `{"messages": [`...), carried: carried.Kind() == '{'}
	tools := r.request(f.request)
	if !r.user {
		return dst, "no user turn"
	}
	if message := carried.Get("message"); message != "" {
		r.message(message)
	} else if !r.response(f.response) {
		return dst, "empty response"
	}
	r.dst = append(r.dst, ']')
	if tools != "" {
		r.dst = python.AppendDumps(append(r.dst, `, "tools": `...), tools, python.Layout{})
	}
	return append(r.dst, '}'), ""
}

// Boundaries are the values of the member "boundary".
var Boundaries = []string{"vercel_ai_sdk.generateText", "vercel_ai_sdk.streamText"}

// ReferenceAuxiliary tells whether the Python renderer takes a row of any shape for repair fodder, by its members split,
// quality and metadata as JSON.
func ReferenceAuxiliary(split, quality, metadata jsontext.JSON) bool {
	name := strings.ToLower(strings.TrimFunc(split.Text(), jsontext.IsSpace))
	if name == "" {
		name = strings.ToLower(strings.TrimFunc(metadata.Get("split").Text(), jsontext.IsSpace))
	}
	if quality.Kind() != '{' {
		quality = metadata.Get("quality")
	}
	return name == "repair" || name == "repair_eval" || quality.Get("success") == "false" ||
		quality.Get("requiresRepair") == "true" || quality.Get("rating").Text() == "repair"
}

type reference struct {
	dst     []byte
	carried bool
	n       int           // messages so far
	user    bool          // one is the user's
	first   jsontext.JSON // content of the first message, when it is a system message, as sorted Python JSON
}

func (r *reference) request(request jsontext.JSON) (tools jsontext.JSON) {
	var system, messages, prompt jsontext.JSON
	c := jsontext.Cursor{JSON: request}
	for key := range c.Members() {
		switch key {
		case "system":
			system = c.Value()
		case "messages":
			messages = c.Value()
		case "prompt":
			prompt = c.Value()
		case "tools":
			tools = c.Value()
		}
	}
	if body, ok := system.Quoted(); ok && body != "" {
		r.text("system", body)
		r.first = contentOf(system)
	}
	list := jsontext.Cursor{JSON: messages}
	for range list.Elements() {
		r.message(list.Value())
	}
	if body, ok := prompt.Quoted(); ok && !body.Blank() {
		r.text("user", body)
		r.user = true
	}
	return tools
}

func (r *reference) response(response jsontext.JSON) bool {
	var text, calls jsontext.JSON
	c := jsontext.Cursor{JSON: response}
	for key := range c.Members() {
		switch key {
		case "text":
			text = c.Value()
		case "toolCalls":
			calls = c.Value()
		}
	}
	list := appendReferenceCalls(nil, calls)
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

// text appends a message of a role and a content.
func (r *reference) text(role string, body jsontext.Body) {
	r.open(role)
	r.dst = python.AppendDumps(append(r.dst, `, "content": `...), jsontext.JSON(`"`+body+`"`), python.Layout{})
	r.dst = append(r.dst, '}')
}

func (r *reference) open(role string) {
	if r.n > 0 {
		r.dst = append(r.dst, ", "...)
	}
	r.n++
	r.dst = append(append(append(r.dst, `{"role": "`...), role...), '"')
}

// contentOf gives a content in a form that is equal for equal contents.
func contentOf(content jsontext.JSON) jsontext.JSON {
	if content == "" {
		content = "null"
	}
	return jsontext.JSON(python.AppendDumps(nil, content, python.Layout{SortKeys: true}))
}

// message appends a message in its normal form, or nothing when it has none.
func (r *reference) message(message jsontext.JSON) {
	var snake, camel jsontext.JSON
	var role string
	var kept [4]jsontext.JSON // content, parts, name, tool_call_id
	c := jsontext.Cursor{JSON: message}
	for key := range c.Members() {
		switch key {
		case "role":
			role = c.Value().Word()
		case "content":
			kept[0] = c.Value()
		case "parts":
			kept[1] = c.Value()
		case "name":
			kept[2] = c.Value()
		case "tool_call_id":
			kept[3] = c.Value()
		case "tool_calls":
			snake = c.Value()
		case "toolCalls":
			camel = c.Value()
		}
	}
	if role == "model" {
		role = "assistant"
	}
	if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role) {
		return
	}
	if snake == "" || snake == "null" {
		snake = camel
	}
	calls := appendReferenceCalls(nil, snake)
	if body, isText := kept[0].Quoted(); !r.carried && len(calls) == 0 && kept[1]+kept[2]+kept[3] == "" &&
		(kept[0] == "" || kept[0] == "null" || isText && body.Blank()) {
		return
	}
	if role == "system" && !r.carried {
		content := contentOf(kept[0])
		if r.n > 0 && r.first == content {
			return
		}
		if r.n == 0 {
			r.first = content
		}
	}
	r.user = r.user || role == "user"
	r.open(role)
	for i, name := range []string{"content", "parts", "name", "tool_call_id"} {
		if kept[i] != "" {
			r.dst = append(append(append(r.dst, `, "`...), name...), `": `...)
			r.dst = python.AppendDumps(r.dst, kept[i], python.Layout{})
		}
	}
	if len(calls) > 0 {
		r.dst = append(append(append(r.dst, `, "tool_calls": [`...), calls...), ']')
	}
	r.dst = append(r.dst, '}')
}

// appendReferenceCalls appends the calls of a list that are valid.
func appendReferenceCalls(dst []byte, calls jsontext.JSON) []byte {
	list := jsontext.Cursor{JSON: calls}
	for i := range list.Elements() {
		if list.Kind() != '{' {
			continue
		}
		members := python.Members(list.Value())
		get := func(name string) jsontext.JSON {
			if i := slices.IndexFunc(members, func(m python.Member) bool { return m.Key == name }); i >= 0 {
				return members[i].Value
			}
			return ""
		}
		function := get("function")
		name := firstTruthy(get("toolName"), get("name"), function.Get("name"))
		if body, ok := name.Quoted(); !ok || body.Blank() {
			continue
		}
		input := first([]jsontext.JSON{get("input"), get("args"), get("arguments"), function.Get("arguments")})
		id := firstTruthy(get("toolCallId"), get("id"))
		if len(dst) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, `{"id": `...)
		if id == "" {
			dst = append(strconv.AppendInt(append(dst, `"call_`...), int64(i), 10), '"')
		} else {
			dst = jsontext.AppendString(dst, python.Str(id))
		}
		dst = python.AppendDumps(append(dst, `, "type": "function", "function": {"name": `...), name, python.Layout{})
		dst = append(dst, `, "arguments": `...)
		dst = append(appendReferenceArguments(dst, input), "}}"...)
	}
	return dst
}

func firstTruthy(values ...jsontext.JSON) jsontext.JSON {
	for _, v := range values {
		if python.Truthy(v) {
			return v
		}
	}
	return ""
}

func appendReferenceArguments(dst []byte, input jsontext.JSON) []byte {
	switch {
	case input == "" || input == "null":
		return append(dst, `"{}"`...)
	case input[0] == '"':
		return python.AppendDumps(dst, input, python.Layout{})
	}
	text := python.AppendDumps(nil, input, python.Layout{SortKeys: true})
	return append(jsontext.AppendEscaped(append(dst, '"'), text), '"')
}

package eliza

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
)

// What the existing Python renderer makes of a row (render-and-adapters, 1.2 to 1.9). Its redaction is not here.
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
func AppendReference(dst []byte, record string) (row []byte, reason string) {
	top := jsontext.Cursor{Text: record}
	if top.Kind() != '{' {
		return dst, "not an object"
	}
	var f struct{ format, boundary, request, response, split, quality, metadata string }
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
	case jsontext.Decoded(f.format) != Format:
		return dst, "another format"
	case ReferenceAuxiliary(f.split, f.quality, f.metadata):
		return dst, ReasonAuxiliary
	case !jsontext.PythonReads(record):
		return dst, ReasonInteger
	case strings.HasPrefix(f.boundary, "{") || strings.HasPrefix(f.boundary, "["):
		return dst, ReasonBoundary
	case !slices.Contains(Boundaries, jsontext.Decoded(f.boundary)):
		return dst, "another boundary"
	case !strings.HasPrefix(f.request, "{"):
		return dst, "request is not an object"
	case !strings.HasPrefix(f.response, "{"):
		return dst, "response is not an object"
	}
	carried := jsontext.Lookup(f.metadata, "reference")
	r := reference{dst: append(dst, `{"messages": [`...), carried: strings.HasPrefix(carried, "{")}
	tools := r.request(f.request)
	if !r.user {
		return dst, "no user turn"
	}
	if message := jsontext.Lookup(carried, "message"); message != "" {
		r.message(message)
	} else if !r.response(f.response) {
		return dst, "empty response"
	}
	r.dst = append(r.dst, ']')
	if tools != "" {
		r.dst = jsontext.AppendPython(append(r.dst, `, "tools": `...), tools, jsontext.Python{})
	}
	return append(r.dst, '}'), ""
}

// Boundaries are the values of the member "boundary" (canonical-record, Minimal accepted shape).
var Boundaries = []string{"vercel_ai_sdk.generateText", "vercel_ai_sdk.streamText"}

// ReferenceAuxiliary tells whether the Python renderer takes a row of any shape for repair fodder, by its members split,
// quality and metadata as JSON (render-and-adapters, 1.3).
func ReferenceAuxiliary(split, quality, metadata string) bool {
	name := strings.ToLower(strings.TrimFunc(jsontext.Decoded(split), jsontext.IsSpace))
	if name == "" {
		name = strings.ToLower(strings.TrimFunc(jsontext.Decoded(jsontext.Lookup(metadata, "split")), jsontext.IsSpace))
	}
	if !strings.HasPrefix(quality, "{") {
		quality = jsontext.Lookup(metadata, "quality")
	}
	return name == "repair" || name == "repair_eval" || jsontext.Lookup(quality, "success") == "false" ||
		jsontext.Lookup(quality, "requiresRepair") == "true" || jsontext.Decoded(jsontext.Lookup(quality, "rating")) == "repair"
}

type reference struct {
	dst     []byte
	carried bool
	n       int    // messages so far
	user    bool   // one is the user's
	first   string // content of the first message, when it is a system message, as sorted Python JSON
}

func (r *reference) request(request string) (tools string) {
	var system, messages, prompt string
	c := jsontext.Cursor{Text: request}
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
	if body, ok := jsontext.Quoted(system); ok && body != "" {
		r.text("system", body)
		r.first = contentOf(system)
	}
	list := jsontext.Cursor{Text: messages}
	for range list.Elements() {
		r.message(list.Value())
	}
	if body, ok := jsontext.Quoted(prompt); ok && !jsontext.Blank(body) {
		r.text("user", body)
		r.user = true
	}
	return tools
}

func (r *reference) response(response string) bool {
	var text, calls string
	c := jsontext.Cursor{Text: response}
	for key := range c.Members() {
		switch key {
		case "text":
			text = c.Value()
		case "toolCalls":
			calls = c.Value()
		}
	}
	list := appendReferenceCalls(nil, calls)
	body, _ := jsontext.Quoted(text)
	if jsontext.Blank(body) {
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
func (r *reference) text(role, body string) {
	r.open(role)
	r.dst = jsontext.AppendPython(append(r.dst, `, "content": `...), `"`+body+`"`, jsontext.Python{})
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
func contentOf(content string) string {
	if content == "" {
		content = "null"
	}
	return string(jsontext.AppendPython(nil, content, jsontext.Python{SortKeys: true}))
}

// message appends a message in its normal form, or nothing when it has none (render-and-adapters, 1.7).
func (r *reference) message(message string) {
	var role, snake, camel string
	var kept [4]string // content, parts, name, tool_call_id
	c := jsontext.Cursor{Text: message}
	for key := range c.Members() {
		switch key {
		case "role":
			role = strings.ToLower(strings.TrimFunc(jsontext.Decoded(c.Value()), jsontext.IsSpace))
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
	if body, isText := jsontext.Quoted(kept[0]); !r.carried && len(calls) == 0 && kept[1]+kept[2]+kept[3] == "" &&
		(kept[0] == "" || kept[0] == "null" || isText && jsontext.Blank(body)) {
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
			r.dst = jsontext.AppendPython(r.dst, kept[i], jsontext.Python{})
		}
	}
	if len(calls) > 0 {
		r.dst = append(append(append(r.dst, `, "tool_calls": [`...), calls...), ']')
	}
	r.dst = append(r.dst, '}')
}

// appendReferenceCalls appends the calls of a list that are valid (render-and-adapters, 1.8 and 1.9).
func appendReferenceCalls(dst []byte, calls string) []byte {
	list := jsontext.Cursor{Text: calls}
	for i := range list.Elements() {
		if list.Kind() != '{' {
			continue
		}
		members := jsontext.MembersOf(list.Value())
		get := func(name string) string {
			if i := slices.IndexFunc(members, func(m jsontext.Member) bool { return m.Key == name }); i >= 0 {
				return members[i].Value
			}
			return ""
		}
		function := get("function")
		name := firstTruthy(get("toolName"), get("name"), jsontext.Lookup(function, "name"))
		if body, ok := jsontext.Quoted(name); !ok || jsontext.Blank(body) {
			continue
		}
		input := first([]string{get("input"), get("args"), get("arguments"), jsontext.Lookup(function, "arguments")})
		id := firstTruthy(get("toolCallId"), get("id"))
		if len(dst) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, `{"id": `...)
		if id == "" {
			dst = append(strconv.AppendInt(append(dst, `"call_`...), int64(i), 10), '"')
		} else {
			dst = jsontext.AppendString(dst, jsontext.PythonStr(id))
		}
		dst = jsontext.AppendPython(append(dst, `, "type": "function", "function": {"name": `...), name, jsontext.Python{})
		dst = append(dst, `, "arguments": `...)
		dst = append(appendReferenceArguments(dst, input), "}}"...)
	}
	return dst
}

func firstTruthy(values ...string) string {
	for _, v := range values {
		if jsontext.Truthy(v) {
			return v
		}
	}
	return ""
}

func appendReferenceArguments(dst []byte, input string) []byte {
	switch {
	case input == "" || input == "null":
		return append(dst, `"{}"`...)
	case input[0] == '"':
		return jsontext.AppendPython(dst, input, jsontext.Python{})
	}
	text := jsontext.AppendPython(nil, input, jsontext.Python{SortKeys: true})
	return append(jsontext.AppendEscaped(append(dst, '"'), text), '"')
}

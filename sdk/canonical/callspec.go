package canonical

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ReadCall reads a call in any spelling into p: {toolCallId, toolName, input}, {id, name, args}, {id, function: {name, arguments}}. Of
// several members with one meaning the first that is not empty counts. It returns the member that the arguments are from, how many other
// members the object has, and as fault, "want ..., have ...", why what was called cannot be told: two members say different things, or
// there are no arguments but an object under an unknown name. Any other value than an object has no Name.
func (p *Part) ReadCall(object jsontext.JSON) (key string, left int, fault string) {
	rd := &reader{Cursor: object.Cursor()}
	c := rd.callSpec()
	*p = c.part()
	return c.key, c.left, c.fault
}

// A callSpec is what an object says of a tool call.
type callSpec struct {
	id, name jsontext.Body // empty when the object has none
	args     jsontext.JSON // as they are, object or string; "" for none
	key      string        // the member that args are from
	left     int           // how many other members the object has
	fault    string        // why it cannot be told what was called, or ""
}

func (c *callSpec) part() Part {
	return Part{Kind: CallPart, ID: c.id, Name: c.name, Value: c.args, Mate: -1}
}

func (rd *reader) callSpec() callSpec {
	var m callMembers
	rd.callMembers(&m, "")
	rd.namesInArguments(m.name.value.Body(), m.args.value)
	c := callSpec{id: m.id.value.Body(), name: m.name.value.Body(), args: m.args.value, key: m.args.key, left: m.left + m.id.others}
	if m.args.within == "custom." && c.args.Kind() == '"' { // a text, as a tool of OpenAI without a schema takes it
		c.args = `{"input":` + c.args + "}"
	}
	if c.name == "" {
		c.name = m.tool.Body()
	} else if m.tool != "" && !m.tool.Body().Is(c.name) {
		c.left++
	}
	switch {
	case m.badID != "":
		c.fault = "want an id that is a string or a number, have " + m.badID
	case m.name.others > 0:
		c.fault = "want one name of a tool, have different ones under " + m.name.keys()
	default:
		c.fault = faultIn(&m.args, m.args.value, m.unknown)
	}
	return c
}

// faultIn says why the arguments of a call cannot be told: there are different ones, or none and an unknown object; "" if they can.
func faultIn(c *choice, args jsontext.JSON, unknown string) string {
	switch {
	case c.others > 0:
		return "want one set of arguments, have different ones under " + c.keys()
	case unknown != "" && args.Inner().Kind() != '{':
		return "want the arguments under a name that is known, have an object under " + unknown
	}
	return ""
}

// callMembers are the members of a call, by meaning.
type callMembers struct {
	name, id, args choice
	tool           jsontext.JSON // the member "tool": a name, unless there is another, as of the server that has the tool
	unknown        string        // a member that is an object and may be the arguments
	badID          string        // what an id is that is none, and where
	left           int
}

// callMembers reads the next value, which is the call, or the object in a member of it.
func (rd *reader) callMembers(m *callMembers, within string) {
	for key := range rd.Members() {
		rank := argumentsRank(key)
		switch {
		case rank > 0:
			m.args.offer(within, key, rank, rd.Value())
		case key == "name" || key == "toolName" || key == "tool_name":
			m.name.offer(within, key, 1, rd.nameOfCall())
		case key == "tool":
			m.tool = cmp.Or(m.tool, rd.nameOfCall())
		case idRank(key) > 0:
			v := rd.Value()
			id, ok := ReadID(v)
			switch {
			case !ok:
				m.badID = cmp.Or(m.badID, jsontext.KindName(v.Kind())+" under "+within+key)
			case v.Kind() == '"':
				m.id.offer(within, key, idRank(key), v)
			case id != "":
				m.id.offer(within, key, idRank(key), id.JSON())
			}
		case key == "type":
			if !callTypes[string(rd.Value().Body())] {
				m.left++
			}
		case (key == "function" || key == "custom") && within == "" && rd.Kind() == '{':
			rd.callMembers(m, key+".")
		case key == "index": // in the list of calls
			rd.Skip()
		default:
			kind := rd.Kind()
			if kind != 'n' {
				m.left++
			}
			if kind == '{' && m.unknown == "" && mayBeArguments(key) && !rd.Value().Empty() {
				m.unknown = within + key
			}
		}
	}
}

// nameOfCall returns the next value if it is the name of a tool, or else "".
func (rd *reader) nameOfCall() jsontext.JSON {
	v := rd.Value()
	body, ok := v.Quoted()
	if !ok || body.Blank() {
		return ""
	}
	rd.found.add(CallUse, body)
	return v
}

// A choice is one of several members that have the same meaning.
type choice struct {
	value                jsontext.JSON
	within, key          string
	rank                 int
	others               int // how many say something else
	otherWithin, another string
}

// offer takes a value if there was none that says anything, or if its rank is lower than that of the one there was.
func (c *choice) offer(within, key string, rank int, v jsontext.JSON) {
	if within != "" {
		rank += 1 << 8 // members beside the function come first
	}
	switch {
	case v == "" || c.value != "" && saysNothing(v):
		return
	case c.value == "" || saysNothing(c.value):
	case !sameValue(c.value, v):
		c.others++
		c.otherWithin, c.another = within, key
		if rank >= c.rank {
			return
		}
		c.otherWithin, c.another = c.within, c.key
	case rank >= c.rank:
		return
	}
	c.value, c.within, c.key, c.rank = v, within, key, rank
}

func (c *choice) keys() string { return c.within + c.key + " and " + c.otherWithin + c.another }

// saysNothing reports whether a value is missing, null or empty, or a string that holds such a value.
func saysNothing(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	if !ok {
		return v == "" || v == "null" || v.Empty()
	}
	inner, _ := body.Embedded()
	return body.Blank() || inner == "null" || inner.Empty()
}

// argumentsRank returns the precedence of a member that holds the arguments of a call, 0 for any other.
func argumentsRank(key string) int {
	switch key {
	case "input":
		return 1
	case "args":
		return 2
	case "arguments":
		return 3
	case "parameters", "params":
		return 4
	case "kwargs", "tool_args", "tool_input", "toolArgs", "toolInput":
		return 5
	}
	return 0
}

// ReadID returns the id of a call, or of the call that a result answers: the body of a string, or a number as it is written, which some
// corpora have instead. Missing and null are no id. It is not ok for any other value, which nothing can be paired by.
func ReadID(value jsontext.JSON) (id jsontext.Body, ok bool) {
	switch value.Kind() {
	case '"':
		return value.Body(), true
	case 0, 'n':
		return "", true
	case '{', '[', 't', 'f':
		return "", false
	}
	return jsontext.Body(value), true
}

// idRank returns the precedence of a member that holds the id of a call, 0 for any other.
func idRank(key string) int {
	switch key {
	case "call_id": // of the OpenAI Responses interface, whose id is the item's
		return 1
	case "toolCallId", "tool_call_id":
		return 2
	case "id":
		return 3
	}
	return 0
}

// mayBeArguments reports whether an object under an unknown key can be what a tool was called with. Providers put signatures of
// thoughts, prices and their own settings beside calls, and tracers the results.
func mayBeArguments(key string) bool {
	switch key {
	case "caller", "cache_control", "result", "results", "output", "response", "error", "usage", "step", "timing":
		return false
	}
	low := strings.ToLower(key)
	for _, word := range [...]string{"meta", "provider", "options", "extra", "experimental", "signature", "annotation"} {
		if strings.Contains(low, word) {
			return false
		}
	}
	return true
}

// callTypes are the types of calls without a meaning of their own.
var callTypes = map[string]bool{"": true, "function": true, "tool-call": true, "tool_call": true, "tool_use": true, "function_call": true, "custom": true}

package messages

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A record holds the members of a record that the forms read, as JSON. The row keeps all others.
type record struct {
	lists    []jsontext.JSON // by index in the preset's keys
	list     int             // the list that is read
	members  [memberCount]jsontext.JSON
	names    [memberCount]string // the name that each member had
	media    string              // the name of a member that holds images or the like
	span     bool                // a member has the name of one of a span of tracing
	compares bool                // it has the first column of a pair of answers
	opening  opening             // of the list that was looked at last
}

// A member is the meaning of one or more names of members.
type member uint8

const (
	// The row keeps these where the form does not read them.
	prompt member = iota
	completion
	chosen
	rejected
	label
	input
	output
	request
	response
	preferred
	nonPreferred
	params
	action
	target
	// These are settings, which every form reads.
	system
	tools
	functions
	toolChoice
	finish
	usage
	format
	schema
	media
	memberCount
)

// spellings are the names of each member. Where a record has several, the first one counts.
var spellings = [memberCount][]string{
	prompt: {"prompt"}, completion: {"completion"}, chosen: {"chosen", "chosen_messages", "chosen_response", "response_j"},
	rejected: {"rejected", "rejected_response", "rejected_messages", "response_k"},
	label:    {"label", "kto_tag"}, input: {"input"}, output: {"output"}, request: {"request", "request_body"}, response: {"response", "response_body"},
	preferred: {"preferred_output", "preferred_completion"}, nonPreferred: {"non_preferred_output", "non_preferred_completion"},
	params: {"responses_create_params"}, action: {"expected_action"}, target: {"target"},
	system: {"system", "system_prompt", "systemPrompt", "system_message", "systemMessage", "system_instruction", "systemInstruction", "instructions"},
	tools:  {"tools", "available_tools", "tool_definitions"}, functions: {"functions"},
	toolChoice: {"tool_choice", "toolChoice"}, finish: {"finish_reason", "finishReason"}, usage: {"usage"},
	format: {"format"}, schema: {"schema"}, media: {"images", "videos", "audios", "image", "video", "audio"},
}

var memberOf = func() map[string]member {
	all := map[string]member{}
	for m, names := range spellings {
		for _, name := range names {
			all[name] = member(m)
		}
	}
	return all
}()

// recognise reads the record's members in one pass and returns the form to read it by, or declines.
func (a *adapter) recognise(record jsontext.JSON) (form, error) {
	clear(a.record.lists)
	clear(a.record.members[:])
	a.record.media, a.record.span, a.record.compares, a.record.opening = "", false, false, opening{}
	if isFull(record) {
		return form{shape: "list", read: func(a *adapter) error { return a.list("", record) }}, nil
	}
	if record.Kind() != '{' {
		return form{}, sdk.Decline("want an object or a list of messages")
	}
	for key, value := range record.Members() {
		a.take(key, value)
	}
	r := &a.record
	if r.members[format] == `"eliza_native_v1"` || r.members[schema] == `"eliza.native_tool_calling.v1"` {
		return form{}, sdk.Decline("declares another format")
	}
	for i := range forms {
		if f := &forms[i]; (a.pairs || !f.pairs) && f.is(a) {
			return *f, nil
		}
	}
	return form{}, a.noList()
}

// noList declines a record whose messages were not found: a list that begins with something else, or none.
func (a *adapter) noList() error {
	for i, list := range a.record.lists {
		switch {
		case !list.Truthy():
		case list.Kind() == '[':
			return sdk.Decline("want messages with role or from, have " + jsontext.Describe(list.First()) + " in " + a.keys[i])
		default:
			return sdk.Decline("want a list of messages, have " + jsontext.Describe(list) + " in " + a.keys[i])
		}
	}
	return noMessages
}

var noMessages = sdk.Decline("want a list of messages, or a prompt with a completion or with chosen and rejected")

// take stores one member of the record.
func (a *adapter) take(key string, value jsontext.JSON) {
	for i, k := range a.keys {
		if k == key {
			a.record.lists[i] = value
			return
		}
	}
	m, known := memberOf[key]
	a.record.compares = a.record.compares || firstOfTwo[key]
	switch {
	case key == "timestamp":
		a.row.KeepIdentity(key, value)
		return
	case !known:
		a.record.span = a.record.span || ofSpan(key)
		a.row.Keep(key, value)
		return
	case m == schema || m == format:
		a.row.Keep(key, value)
	case m == media && value.Truthy():
		a.record.media = key
		if a.keepsMedia {
			a.row.Keep(key, value)
			return
		}
	}
	had := a.record.members[m]
	if had == "" || !had.Truthy() && value.Truthy() || key == spellings[m][0] && (value.Truthy() || !had.Truthy()) {
		a.record.members[m], a.record.names[m], value, key = value, key, had, a.record.names[m]
	}
	if value != "" && m < schema && value != a.record.members[m] { // a second one of the same meaning
		a.row.Keep(key, value)
	}
}

// of returns a member and removes it, so that the row does not keep it.
func (a *adapter) of(m member) jsontext.JSON {
	value := a.record.members[m]
	a.record.members[m] = ""
	return value
}

// is reports whether a member is of a kind.
func (a *adapter) is(m member, kind byte) bool { return a.record.members[m].Kind() == kind }

// keepRest keeps the members that a form did not read.
func (a *adapter) keepRest() {
	for i, key := range a.keys {
		if list := a.record.lists[i]; list != "" {
			a.row.Keep(key, list)
		}
	}
	for m := range system {
		if value := a.record.members[m]; value != "" {
			a.row.Keep(spellings[m][0], value)
		}
	}
}

// settings sets the tool choice, the usage and the finish reason.
func (a *adapter) settings() {
	a.row.ToolChoice, a.row.Usage = a.record.members[toolChoice], a.record.members[usage]
	reason := cmp.Or(a.record.members[finish], a.finish)
	a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(reason.Body()), "-", "_"))
}

// findList looks for the list of messages among the members that may hold it. An empty one counts only where no other is.
func (a *adapter) findList() bool {
	return a.findListThat(jsontext.JSON.Truthy) || a.findListThat(jsontext.JSON.Empty)
}

func (a *adapter) findListThat(is func(list jsontext.JSON) bool) bool {
	for i := range a.keys {
		list := unwrapped(a.record.lists[i])
		if list == "" {
			continue
		}
		if inner := list.Get("messages"); isFull(inner) {
			a.row.KeepOthers(list, "messages")
			list = inner
		}
		if list.Kind() == '[' && is(list) && (list.Empty() || a.opening(list).message || a.opening(list).columns) && (a.keys[i] != "history" || a.isHistory(list)) {
			a.record.lists[i], a.record.list = list, i
			return true
		}
	}
	return false
}

// isHistory reports whether a history is the whole conversation: no column holds a question that follows it.
func (a *adapter) isHistory(list jsontext.JSON) bool {
	for _, m := range []member{prompt, completion, input, output, response} {
		if a.record.members[m].Truthy() {
			return false
		}
	}
	for _, column := range []string{"query", "question", "instruction", "answer"} {
		if a.row.Kept(column).Truthy() {
			return false
		}
	}
	return list.Truthy()
}

// unwrapped returns a value, or the JSON or Python list that a string holds; "" for any other string.
func unwrapped(value jsontext.JSON) jsontext.JSON {
	body, ok := value.Quoted()
	if !ok {
		return value
	}
	text := strings.TrimSpace(body.Text())
	if !strings.HasPrefix(text, "[") {
		return ""
	}
	if list, ok := body.Embedded(); ok {
		return list
	}
	list, _ := calls.Value(text)
	return list
}

// isMessages reports whether a value is an empty list, or one that begins like a list of messages.
func isMessages(list jsontext.JSON) bool {
	if list.Kind() != '[' || list.Empty() {
		return list.Kind() == '['
	}
	return openingOf(list).message
}

// An opening is what the first element of a list says about the list.
type opening struct {
	list    jsontext.JSON
	message bool // it is like a message
	columns bool // it is a question and its answer, under names that columns of independent pairs have too
	spoken  bool // it is a text with a role, as in a dialogue
	memory  bool // it begins the memory of an agent of smolagents
}

func openingOf(list jsontext.JSON) opening {
	o, first := opening{list: list}, list.First()
	if text := first.Kind() == '"' && first.Inner().Kind() != '{'; text { // what the user says: the first object is asked
		first = firstObject(list)
	}
	named, asks, answers, asksToo, answersToo, content, typed, sent, text, other := false, false, false, false, false, false, false, false, false, false
	for key, value := range first.Inner().Members() {
		switch ofRound(key) {
		case "role", "from", "human", "assistant", "lc", "user utterance":
			named = true
		case "input", "user":
			asks = asks || value.Kind() == '"'
		case "output", "bot", "ai", "gpt":
			answers = answers || value.Kind() == '"'
		case "prompt", "question", "query", "instruction":
			asksToo = asksToo || value.Kind() == '"'
		case "response", "answer":
			answersToo = answersToo || value.Kind() == '"'
		case "content", "data":
			content = true
		case "type":
			typed = typeRole(value) != ""
			sent = sent || isEvent(value)
		}
		switch key {
		case "text":
			text = value.Kind() == '"'
		case "content", "value", "parts", "type", "message":
			other = true
		case "system_prompt", "task":
			o.memory = o.memory || value.Kind() == '"'
		}
	}
	o.message = named || asks && answers || content && (typed || sent)
	o.columns = (asks || asksToo) && (answers || answersToo)
	if first.Kind() != '{' { // one in a string is neither
		o.memory, text = false, false
	}
	o.spoken = text && !other
	return o
}

// firstObject returns the first object among the first elements of a list, "" when none is one.
func firstObject(list jsontext.JSON) jsontext.JSON {
	const most = 8
	n := 0
	for _, element := range list.Elements() {
		if n++; element.Kind() == '{' {
			return element
		}
		if n == most {
			break
		}
	}
	return ""
}

// opening returns what the first element of a list says, which several forms ask.
func (a *adapter) opening(list jsontext.JSON) *opening {
	if a.record.opening.list != list {
		a.record.opening = openingOf(list)
	}
	return &a.record.opening
}

// isFull reports whether a value is a list of messages with at least one.
func isFull(list jsontext.JSON) bool { return isMessages(list) && !list.Empty() }

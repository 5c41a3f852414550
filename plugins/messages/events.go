package messages

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ofSpan reports whether a member of a record has a name that those of spans and of their events have.
func ofSpan(key string) bool {
	switch key {
	case "attributes", "events", "body", "llm", "gen_ai", "openinference", "event_name", "eventName":
		return true
	}
	return strings.HasPrefix(key, "llm.") || strings.HasPrefix(key, "gen_ai.") || strings.HasPrefix(key, "openinference.") ||
		strings.HasPrefix(key, "attributes.")
}

// detailsEvent is the event that holds the messages of a call as the attributes of a span do.
const detailsEvent = "gen_ai.client.inference.operation.details"

// eventRoles are the events of the OpenTelemetry conventions that hold a message, with its role where it names none.
var eventRoles = map[string]jsontext.JSON{
	"gen_ai.system.message": `"system"`, "gen_ai.user.message": `"user"`, "gen_ai.assistant.message": `"assistant"`,
	"gen_ai.tool.message": `"tool"`, "gen_ai.choice": `"assistant"`,
}

// contentEvents are older events that hold all messages in a text, by the attribute that does.
var contentEvents = map[string]string{"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}

// eventNames are the members of an event that may hold its name.
var eventNames = map[string]bool{"event.name": true, "name": true, "event_name": true, "eventName": true}

// eventName returns the name of an event of these conventions, or "".
func eventName(event jsontext.JSON) string {
	for _, name := range []jsontext.JSON{
		event.Get("event.name"), event.Get("name"), event.Get("event_name"), event.Get("eventName"), attribute(event.Get("attributes"), "event.name"),
	} {
		if text := name.Text(); strings.HasPrefix(text, "gen_ai.") {
			return text
		}
	}
	return ""
}

// attribute returns one of the attributes of a span or event, or "".
func attribute(attributes jsontext.JSON, name string) jsontext.JSON {
	for _, pair := range attributes.Elements() {
		if pair.Get("key").Text() == name {
			return anyValue(pair.Get("value"), mostNested)
		}
	}
	return attributes.Get(name)
}

// eventsOf returns the events of a span and the member that holds them, and reports whether this is in its attributes.
func (a *adapter) eventsOf() (events jsontext.JSON, inside bool) {
	if events = opened(a.row.Kept("events")); events.Kind() == '[' {
		return events, false
	}
	return opened(attribute(a.row.Kept("attributes"), "events")), true
}

// isEvents reports whether the record is a span with events that hold messages, or one such event.
func (a *adapter) isEvents() bool {
	if !a.record.span {
		return false
	}
	events, _ := a.eventsOf()
	for _, event := range events.Elements() {
		if name := eventName(event); holdsMessages(name) {
			return true
		}
	}
	return holdsMessages(eventName(a.source))
}

func holdsMessages(name string) bool {
	return eventRoles[name] != "" || contentEvents[name] != "" || name == detailsEvent
}

// events reads the messages in the events of a span, in order.
func (a *adapter) events() error {
	list, inside := a.eventsOf()
	if list.Kind() != '[' {
		if name := eventName(a.source); name != detailsEvent {
			return sdk.Reject("lone_event", "", "want a span with its events, have one event %s", name)
		}
		return a.details(a.source)
	}
	if inside {
		a.spread("events")
	} else {
		a.row.Forget("events")
		a.spread("")
	}
	said, answers, before := []byte("["), 0, ""
	for _, event := range list.Elements() {
		name := eventName(event)
		if !holdsMessages(name) { // such as an exception
			a.row.Count("loss.event", 1)
			continue
		}
		if name == detailsEvent {
			return a.details(event)
		}
		body := a.bodyOf(event)
		switch answer := name == "gen_ai.choice" || name == "gen_ai.content.completion"; {
		case answer && before == name: // another answer to the same question
			a.row.Count("loss.choice", 1)
			continue
		case answer:
			answers++
		}
		if before = name; contentEvents[name] == "" {
			said = appendEvent(said, name, body)
			continue
		}
		messages := opened(body.Get(contentEvents[name]))
		if messages.Kind() != '[' {
			return sdk.Reject("bad_message", "events", "want messages in an event %s, have %s", name, jsontext.KindName(messages.Kind()))
		}
		a.row.Leave("loss.event_member", body, contentEvents[name])
		for i, m := range messages.Elements() {
			if i > 0 && name == "gen_ai.content.completion" {
				a.row.Count("loss.choice", 1)
				continue
			}
			said = append(jsontext.AppendComma(said), m...)
		}
	}
	if answers == 0 {
		return sdk.Reject("no_target", "events", "want an event gen_ai.choice with what the model said")
	}
	a.offered()
	return a.history("events", jsontext.JSON(append(said, ']')))
}

// offered takes the tools, the system text and the model among the attributes of a span.
func (a *adapter) offered() {
	for name, as := range map[string]string{tracedTools: "tools", tracedSystem: "system"} {
		if value := a.row.Kept(name); value != "" {
			a.row.Forget(name)
			a.take(as, opened(value))
		}
	}
	if model := a.row.Kept(tracedModel); model.Kind() == '"' {
		a.row.Forget(tracedModel)
		a.row.Identify("model", model)
	}
}

// spread keeps the attributes of a span as members of the record, but one.
func (a *adapter) spread(but string) {
	attributes := a.row.Kept("attributes")
	a.row.Forget("attributes")
	a.keepAttributes(attributes, but)
}

// details reads the event that holds a whole call.
func (a *adapter) details(event jsontext.JSON) error {
	a.spread("")
	if event != a.source {
		a.row.Leave("loss.event_member", event, "attributes", "body", "name", "event_name", "eventName")
		a.keepAttributes(event.Get("attributes"), "")
	}
	a.row.Forget("body")
	a.keepAttributes(opened(anyValue(event.Get("body"), mostNested)), "")
	if a.row.Kept(tracedInput) == "" {
		return sdk.Reject("no_user_turn", tracedInput, "want messages in the event")
	}
	return a.traced()
}

// keepAttributes keeps attributes as members of the record, but one.
func (a *adapter) keepAttributes(attributes jsontext.JSON, but string) {
	for key, v := range attributes.Members() {
		if key != but {
			a.row.Keep(key, anyValue(v, mostNested))
		}
	}
	for _, pair := range attributes.Elements() {
		a.row.Leave("loss.part_member", pair, "key", "value")
		if key := pair.Get("key").Text(); key != but {
			a.row.Keep(key, anyValue(pair.Get("value"), mostNested))
		}
	}
}

// bodyOf returns what an event holds: its body, the JSON in an attribute, its attributes, or its own members.
func (a *adapter) bodyOf(event jsontext.JSON) jsontext.JSON {
	left := 0
	for key, v := range event.Members() {
		switch key {
		case "body", "attributes", "name", "event.name", "event_name", "eventName":
		default:
			if v.Truthy() {
				left++
			}
		}
	}
	attributes := a.flatAttributes(event.Get("attributes"))
	body := opened(anyValue(event.Get("body"), mostNested))
	if body.Kind() != '{' {
		body = opened(attributes.Get("gen_ai.event.content"))
	}
	switch {
	case body.Kind() == '{':
		a.row.Leave("loss.event_member", attributes, "event.name", "gen_ai.event.content")
	case event.Get("content") != "" || event.Get("message") != "": // as Pydantic AI writes them
		return event
	default:
		body = attributes
	}
	a.row.Count("loss.event_member", left)
	return body
}

// flatAttributes returns attributes as an object.
func (a *adapter) flatAttributes(attributes jsontext.JSON) jsontext.JSON {
	if attributes.Kind() != '[' {
		return attributes
	}
	object := []byte("{")
	for _, pair := range attributes.Elements() {
		a.row.Leave("loss.event_member", pair, "key", "value")
		object = append(jsontext.AppendKey(object, pair.Get("key").Text()), anyValue(pair.Get("value"), mostNested)...)
	}
	return jsontext.JSON(append(object, '}'))
}

// appendEvent appends the message of an event, with the role of the event where it names none. The id of a tool's message is that of
// the call. A choice holds its message in a member.
func appendEvent(list []byte, event string, body jsontext.JSON) []byte {
	inner := jsontext.JSON("")
	if event == "gen_ai.choice" {
		inner = opened(body.Get("message"))
	}
	role := cmp.Or(inner.Get("role"), body.Get("role"), eventRoles[event])
	list = append(append(jsontext.AppendComma(list), `{"role":`...), role...)
	add := func(key string, v jsontext.JSON) {
		switch {
		case key == "role" || key == "index" && event == "gen_ai.choice" || eventNames[key] && v.Text() == event:
			return
		case key == "id" && role == `"tool"`:
			key = "tool_call_id"
		case key == "tool_calls":
			v = opened(v)
		case key == "content":
			if parts, ok := blockParts(opened(v)); ok {
				key, v = "parts", parts
			}
		}
		list = append(jsontext.AppendKey(list, key), v...)
	}
	for key, v := range inner.Members() {
		add(key, v)
	}
	for key, v := range body.Members() {
		switch {
		case inner == "" || key != "message":
			add(key, v)
		case inner.Kind() != '{':
			add("content", v)
		}
	}
	return append(list, '}')
}

// blockParts returns a list of Bedrock's blocks, as Strands Agents writes them into events, as parts of these conventions.
func blockParts(blocks jsontext.JSON) (parts jsontext.JSON, ok bool) {
	list := []byte("[")
	for _, block := range blocks.Elements() {
		members := block.Unique()
		if len(members) != 1 {
			return "", false
		}
		list = append(jsontext.AppendComma(list), '{')
		value, kind, names := members[0].Value, "", map[string]string(nil)
		switch members[0].Key {
		case "text":
			list = append(jsontext.AppendKey(jsontext.AppendMember(list, "type", "text"), "content"), value...)
		case "toolUse":
			kind, names = "tool_call", map[string]string{"toolUseId": "id", "input": "arguments"}
		case "toolResult":
			kind, names = "tool_call_response", map[string]string{"toolUseId": "id", "content": "response"}
		default:
			return "", false
		}
		if kind != "" {
			list = jsontext.AppendMember(list, "type", kind)
		}
		for key, v := range value.Members() {
			if text := v.First(); key == "content" && len(v.List()) == 1 && text.Get("text") != "" && len(text.Unique()) == 1 {
				v = text.Get("text")
			}
			list = append(jsontext.AppendKey(list, cmp.Or(names[key], key)), v...)
		}
		list = append(list, '}')
	}
	return jsontext.JSON(append(list, ']')), len(list) > 1
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
)

// desk is the plugin. A record is its own when it has the keys "ticket" and "log":
//
//	{"ticket": "T-7", "desk": "Be brief.", "log": [
//		{"who": "customer", "said": "Where is my parcel?"},
//		{"who": "bot", "did": "track", "with": {"parcel": 12}, "got": {"at": "Oslo"}},
//		{"who": "bot", "said": "In Oslo."}]}
//
// A turn of the bot says something, or does something and gets a result. The last turn is what the model shall learn.
var desk = sdk.Plugin{
	Name: "desk",
	Doc:  "reads the log of a support desk and gives an eliza_native_v1 row",
	Args: config{},
	New: func(args sdk.Args) (sdk.Processor, error) {
		var a adapter
		return &a, args.Decode(&a.config)
	},
	Codes: map[string]string{
		"desk_log":      "log is no array",
		"desk_turn":     "a turn has neither words nor a deed, a stranger speaks, or the customer has the last word",
		"desk_question": "the customer says nothing",
	},
}

type config struct {
	Licence string `hcl:"licence,optional" doc:"what metadata.license says"`
}

type adapter struct{ config }

const empty = `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText",` +
	`"request":{"messages":[]},"response":{"text":""},"metadata":{"source_dataset":"desk"}}`

// Process implements sdk.Processor. Values go from the record into the row as views, so they keep their spelling and are
// copied once; nothing is kept after the call.
func (a *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	ticket, log := r.View("ticket"), r.View("log")
	if !ticket.Exists() || !log.Exists() {
		return sdk.Decline("want the keys ticket and log")
	}
	turns := log.Array()
	if !log.IsArray() {
		return sdk.Reject("desk_log", "log", "want an array of turns, have %s", kind(log))
	}
	c := conversation{row: r.Derive([]byte(empty))}
	if system := r.View("desk"); system.Str != "" {
		c.set("request.system", system)
	}
	for i, turn := range turns {
		if err := c.add(turn, i == len(turns)-1); err != nil {
			return sdk.Reject("desk_turn", fmt.Sprintf("log.%d", i), "%v", err)
		}
	}
	if !c.asked {
		return sdk.Reject("desk_question", "log", "want a turn of the customer, have none")
	}
	c.set("metadata.original_id", ticket)
	if a.Licence != "" {
		c.set("metadata.license", a.Licence)
	}
	if c.err != nil {
		return c.err
	}
	emit(c.row)
	return nil
}

// A conversation is a row that grows turn by turn.
type conversation struct {
	row   *sdk.Record
	asked bool // the customer had a turn
	calls int
	err   error // the first that an edit gave
}

// add takes one turn of the log. Its error says what is wrong with the turn.
func (c *conversation) add(turn gjson.Result, last bool) error {
	who, said, did := turn.Get("who").Str, turn.Get("said"), turn.Get("did")
	switch {
	case who != "customer" && who != "bot":
		return fmt.Errorf("want customer or bot in who, have neither")
	case strings.TrimSpace(said.Str) == "" && (who == "customer" || did.Str == ""):
		return fmt.Errorf("want something said or done, have neither")
	case who == "customer" && last:
		return fmt.Errorf("want the last word of the bot, have the customer's")
	case who == "customer":
		c.asked = true
		c.message("role", "user", "content", said)
	case last:
		c.answer(said, did, turn.Get("with"))
	case did.Str != "":
		c.call(said, did, turn.Get("with"), turn.Get("got"))
	default:
		c.message("role", "assistant", "content", said)
	}
	return nil
}

// call adds what the bot did and what it got as two messages.
func (c *conversation) call(said, name, input, result gjson.Result) {
	id := c.nextID()
	c.message("role", "assistant", "content", said.Str, "tool_calls.0.id", id, "tool_calls.0.type", "function",
		"tool_calls.0.function.name", name, "tool_calls.0.function.arguments", object(input))
	if result.Exists() {
		c.message("role", "tool", "tool_call_id", id, "name", name, "content", result.String())
	}
}

func (c *conversation) answer(said, did, input gjson.Result) {
	c.set("response.text", said.Str)
	if did.Str == "" {
		c.set("response.finishReason", "stop")
		return
	}
	c.set("response.toolCalls.0.toolCallId", c.nextID())
	c.set("response.toolCalls.0.toolName", did)
	c.set("response.toolCalls.0.input", object(input))
	c.set("response.finishReason", "tool_calls")
}

// nextID gives an id that no other call of the conversation has.
func (c *conversation) nextID() string {
	c.calls++
	return fmt.Sprintf("call_%d", c.calls)
}

// message appends a message of the given paths and values.
func (c *conversation) message(pairs ...any) {
	m := c.row.Derive([]byte("{}"))
	for i := 0; i < len(pairs) && c.err == nil; i += 2 {
		c.err = m.Set(pairs[i].(string), pairs[i+1])
	}
	if c.err == nil {
		c.err = c.row.SetRaw("request.messages.-1", m.JSON())
	}
}

func (c *conversation) set(path string, value any) {
	if c.err == nil {
		c.err = c.row.Set(path, value)
	}
}

func kind(v gjson.Result) string {
	if v.IsObject() {
		return "an object"
	}
	return "a " + strings.ToLower(v.Type.String())
}

// object gives v, or an empty object when there is none.
func object(v gjson.Result) gjson.Result {
	if !v.Exists() {
		return gjson.Parse("{}")
	}
	return v
}

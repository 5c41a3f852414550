package gemini

import (
	"cmp"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// maxRepeated bounds the bytes of the rows made from one record, each of which repeats what the record has outside of its cases.
const maxRepeated = 64 << 20

// evalSet emits a row for each case of a set that has a conversation.
func evalSet(c *blocks.Conversation, record jsontext.JSON, key string, cases jsontext.JSON) error {
	list, rows := cases.List(), 0
	if most := 1 + maxRepeated/max(1, len(record)-len(cases)); len(list) > most {
		return sdk.Reject("too_many_rows", key, "want at most %d cases in a set of this size, have %d", most, len(list))
	}
	var around []jsontext.Member // read once, since the cases may be many
	for _, m := range record.Unique() {
		if m.Key != key {
			around = append(around, m)
		}
	}
	for i, one := range list {
		if !isCase(one) {
			c.Row.Count("loss.case", 1)
			continue
		}
		c.Row.Reset()
		for _, m := range around {
			c.Row.Keep(m.Key, m.Value)
		}
		if err := evalCase(c, one, key+"."+strconv.Itoa(i)+"."); err != nil {
			return err
		}
		if !c.Row.HasTarget() {
			c.Row.Count("loss.case", 1)
			continue
		}
		if err := c.Row.Emit(); err != nil {
			return err
		}
		rows++
	}
	if rows == 0 {
		return sdk.Reject("no_target", key, "want a case with a question and an answer among %d", len(list))
	}
	return nil
}

// hasCase reports whether a list holds a case with a conversation.
func hasCase(cases jsontext.JSON) bool {
	for _, one := range cases.Elements() {
		if isCase(one) {
			return true
		}
	}
	return false
}

// isCase reports whether a value is a case with a conversation.
func isCase(value jsontext.JSON) bool {
	for key, v := range value.Members() {
		if key == "conversation" || key == "data" {
			first := v.First()
			if isAsked(first) || either(first, "user_content", "userContent").Kind() == '{' {
				return true
			}
		}
	}
	return false
}

// isAsked reports whether a value is a question with the calls and the answer that are expected, as older sets have it.
func isAsked(value jsontext.JSON) bool {
	asks, expects := false, false
	for key, v := range value.Members() {
		asks = asks || key == "query" && v.Kind() == '"'
		expects = expects || key == "expected_tool_use" && v.Kind() == '['
	}
	return asks && expects
}

// evalCase fills the row with the conversation of a case.
func evalCase(c *blocks.Conversation, value jsontext.JSON, path string) error {
	row := c.Row
	row.Shape = "adk-eval"
	var list jsontext.JSON
	for key, v := range value.Members() {
		if (key == "conversation" || key == "data") && v.Kind() == '[' && list == "" {
			list, row.Path = v, path+key
		} else {
			row.Keep(key, v)
		}
	}
	return invocations(c, list)
}

// evaluated fills the row with a question and its answer, or with a list of them.
func evaluated(c *blocks.Conversation, value jsontext.JSON) error {
	c.Row.Shape = "adk-eval"
	if value.Kind() == '[' {
		return invocations(c, value)
	}
	c.Row.KeepOthers(value, asked...)
	query(c, 0, value)
	return nil
}

// asked are the members of a question of an older set that are read.
var asked = []string{"query", "expected_tool_use", "expected_intermediate_agent_responses", "reference"}

// invocations adds the turns of all invocations of a conversation, up to the first call whose result was not recorded. It is the last
// answer: a row that went on would teach to answer without knowing what a tool said.
func invocations(c *blocks.Conversation, list jsontext.JSON) error {
	if err := c.Row.CheckRepair(); err != nil {
		return err
	}
	var app jsontext.JSON
	open := false
	for i, value := range list.Elements() {
		if open {
			c.Row.Count("loss.unreached_turn", 1)
			continue
		}
		if isAsked(value) {
			c.Row.Leave("loss.invocation_member", value, asked...)
			open = query(c, i, value)
			continue
		}
		details := either(value, "app_details", "appDetails")
		if details.Truthy() && app == "" {
			app = details
			if err := agentOf(c, details); err != nil {
				return err
			}
		} else if details.Truthy() && details != app {
			c.Row.Count("loss.agent_details", 1)
		}
		var err error
		if open, err = invocation(c, i, value); err != nil {
			return err
		}
	}
	return nil
}

// query adds a question, the calls that are expected, and the answer. It reports whether a call has no result.
func query(c *blocks.Conversation, i int, value jsontext.JSON) (open bool) {
	var calls []build.Call
	var results []build.Message
	for _, use := range value.Get("expected_tool_use").Elements() {
		c.Row.Leave("loss.call_member", use, "tool_name", "tool_input", "mock_tool_output")
		calls = append(calls, build.Call{Name: use.Get("tool_name").Body(), Args: use.Get("tool_input")})
		if output := use.Get("mock_tool_output"); output.Truthy() {
			results = append(results, build.Message{Role: canonical.Tool, At: i, Name: use.Get("tool_name").Body(), Body: build.AsText(output)})
		}
	}
	c.Row.Count("loss.intermediate_response", len(value.Get("expected_intermediate_agent_responses").List()))
	c.Row.Add(canonical.User, i).Body = value.Get("query").Body()
	open = called(c, i, calls, results)
	switch reference := value.Get("reference"); {
	case !reference.Truthy():
	case open:
		c.Row.Count("loss.unreached_turn", 1)
	default:
		c.Row.Add(canonical.Assistant, i).Body = build.AsText(reference)
	}
	return open
}

// called adds the calls of an invocation, each as a turn with its result, and reports whether there are fewer results. Sets do not say
// which calls were made at once: a call may need the result of the one before, so without results only the first is known to be right.
func called(c *blocks.Conversation, i int, calls []build.Call, results []build.Message) (open bool) {
	if len(calls) > len(results) {
		c.Row.Count("loss.unreached_turn", len(calls)-1+len(results))
		t := c.Row.Add(canonical.Assistant, i)
		t.Calls = append(t.Calls, calls[0])
		return true
	}
	byID := map[jsontext.Body]int{}
	for n, r := range results {
		byID[r.ID] = n
	}
	for n, call := range calls {
		t := c.Row.Add(canonical.Assistant, i)
		t.Calls = append(t.Calls, call)
		if of, ok := byID[call.ID]; ok && call.ID != "" && len(byID) == len(results) {
			n = of
		}
		c.Row.Turns = append(c.Row.Turns, results[n])
	}
	c.Row.Count("loss.unreached_turn", len(results)-len(calls)) // of no call
	return false
}

// invocation adds the turns of one question: what the user said, what the agents did and said, and the last response. It reports
// whether a call has no result.
func invocation(c *blocks.Conversation, i int, value jsontext.JSON) (open bool, err error) {
	var user, final, between jsontext.JSON
	for key, v := range value.Members() {
		switch key {
		case "user_content", "userContent":
			user = v
		case "final_response", "finalResponse":
			final = v
		case "intermediate_data", "intermediateData":
			between = v
		case "app_details", "appDetails":
		default: // its id and time, and how it is to be rated
			if v.Truthy() {
				c.Row.Count("loss.invocation_member", 1)
			}
		}
	}
	if user.Kind() != '{' {
		return false, sdk.Reject("bad_content", c.Row.Path+"."+strconv.Itoa(i)+".user_content", "want an object with parts, have %s", jsontext.KindName(user.Kind()))
	}
	if err := added(c, canonical.User, i, user); err != nil {
		return false, err
	}
	last, open, err := intermediate(c, i, between)
	switch {
	case err != nil || final.Kind() != '{' || last != "" && last == final.Get("parts"):
		return open, err
	case open:
		c.Row.Count("loss.unreached_turn", 1)
		return true, nil
	}
	return false, added(c, canonical.Assistant, i, final)
}

// added adds the turns of a content, whose role need not be named.
func added(c *blocks.Conversation, is canonical.Role, i int, content jsontext.JSON) error {
	if name := content.Get("role"); name.Truthy() {
		given, err := role(c, name)
		if err != nil {
			return sdk.Reject("bad_role", c.Row.Path+"."+strconv.Itoa(i)+".role", "want user or model, have %s", jsontext.Seen(name))
		}
		is = given
	}
	c.Row.Leave("loss.message_member", content, "role", "parts")
	return c.AddBlocks(is, i, content.Get("parts"), "")
}

// intermediate adds what happened between a question and its last response. It returns the parts of the last event, and whether a call
// has no result. Texts of other agents beside lists of calls are counted: nothing says before or behind which calls they were said.
func intermediate(c *blocks.Conversation, i int, data jsontext.JSON) (last jsontext.JSON, open bool, err error) {
	var uses, responses jsontext.JSON
	for key, v := range data.Members() {
		switch key {
		case "invocation_events", "invocationEvents":
			for _, event := range v.Elements() {
				c.Row.Leave("loss.event_member", event, "content")
				if err := added(c, canonical.Assistant, i, event.Get("content")); err != nil {
					return "", false, err
				}
				last = event.Get("content").Get("parts")
			}
		case "tool_uses", "toolUses":
			uses = v
		case "tool_responses", "toolResponses":
			responses = v
		case "intermediate_responses", "intermediateResponses":
			c.Row.Count("loss.intermediate_response", len(v.List()))
		default:
			if v.Truthy() {
				c.Row.Count("loss.invocation_member", 1)
			}
		}
	}
	var calls []build.Call
	for n, use := range uses.Elements() {
		name := use.Get("name").Body()
		if name.Blank() {
			return "", false, sdk.Reject("bad_call", c.Row.Path+"."+strconv.Itoa(i)+".intermediate_data.tool_uses."+strconv.Itoa(n), "want a call with the name of a function, have %s", jsontext.Describe(use))
		}
		c.Row.Leave("loss.call_member", use, "id", "name", "args")
		id, _ := canonical.ReadID(use.Get("id"))
		calls = append(calls, build.Call{ID: id, Name: name, Args: use.Get("args")})
	}
	var results []build.Message
	for _, r := range responses.Elements() {
		c.Row.Leave("loss.part_member", r, "id", "name", "response")
		id, _ := canonical.ReadID(r.Get("id"))
		results = append(results, build.Message{
			Role: canonical.Tool, At: i, ID: id, Name: r.Get("name").Body(),
			Body: jsontext.BodyOf(jsontext.AppendPlain(nil, r.Get("response"))),
		})
	}
	return last, called(c, i, calls, results), nil
}

// agentOf takes the instructions and tools of an application with one agent. Of several, a row could not say whose they are.
func agentOf(c *blocks.Conversation, details jsontext.JSON) error {
	agents := either(details, "agent_details", "agentDetails").Unique()
	if len(agents) != 1 {
		c.Row.Count("loss.agent_details", 1)
		return nil
	}
	agent := agents[0].Value
	c.Row.Leave("loss.agent_details", details, "agent_details", "agentDetails")
	c.Row.Leave("loss.agent_details", agent, "name", "instructions", "tool_declarations", "toolDeclarations")
	c.Row.Identify("agentId", cmp.Or(agent.Get("name"), jsontext.Quote(agents[0].Key)))
	c.Row.Add(canonical.System, 0).Body = agent.Get("instructions").Body()
	c.Field[blocks.Tools] = either(agent, "tool_declarations", "toolDeclarations")
	return tools(c)
}

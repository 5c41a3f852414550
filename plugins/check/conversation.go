package check

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A conversation is the state of a row up to the current message.
type conversation struct {
	tools  map[string]bool   // offered by the row
	ids    map[string]bool   // of calls
	open   map[string]string // calls that wait for a result: names by id
	openAt string            // the path of the message that made them
	user   bool              // the user has said something
	last   string            // role of the last message
	silent bool              // the last message says nothing and calls nothing
	count  int
}

func (t *conversation) reset() {
	clear(t.tools)
	clear(t.ids)
	clear(t.open)
	*t = conversation{tools: t.tools, ids: t.ids, open: t.open}
	if t.tools == nil {
		t.tools, t.ids, t.open = map[string]bool{}, map[string]bool{}, map[string]string{}
	}
}

// add adds a name to those that a row has, and reports whether it is new.
func add(names map[string]bool, name string) bool {
	known := names[name]
	names[name] = true
	return !known
}

// offers reports whether a tool can be called. In a row without tools any can.
func (t *conversation) offers(name string) bool { return len(t.tools) == 0 || t.tools[name] }

// chatml checks a row {messages, tools}.
func (c *checker) chatml(r *sdk.Record) {
	row := jsontext.Of(r.JSON())
	c.talk.reset()
	c.tools(row.Get("tools"))
	c.messages(row.Get("messages"), "messages.")
	c.ends("messages")
}

// trajectory checks a trajectory record: its messages as those of a ChatML row, and its split.
func (c *checker) trajectory(r *sdk.Record) {
	c.chatml(r)
	row := jsontext.Of(r.JSON())
	aside, failed, repair := false, false, false
	for _, mark := range canonical.Repair(row.Get("split"), row.Get("quality"), "") {
		switch mark.Code {
		case "repair_split":
			aside = true
		case "unsuccessful":
			failed = true
		case "requires_repair":
			repair = true
		}
	}
	if failed != repair || failed != aside {
		c.fault("quality_conflict", "quality", "want success, requiresRepair, rating and split to agree, have a row that is good and not")
	}
}

// preference checks both answers to a prompt.
func (c *checker) preference(r *sdk.Record) {
	row := jsontext.Of(r.JSON())
	prompt, chosen, rejected := row.Get("prompt"), row.Get("chosen"), row.Get("rejected")
	if chosen.Kind() != rejected.Kind() || prompt != "" && prompt.Kind() != chosen.Kind() {
		c.fault("mixed_sides", "", "want prompt and answers all as text or all as messages, have text and messages")
		return
	}
	if string(jsontext.AppendPlain(nil, chosen)) == string(jsontext.AppendPlain(nil, rejected)) {
		c.fault("same_answers", "rejected", "want another answer than the preferred one, have the same")
	}
	if chosen.Kind() != '[' {
		return
	}
	for _, side := range []struct {
		name     string
		messages jsontext.JSON
	}{{"chosen", chosen}, {"rejected", rejected}} {
		c.talk.reset()
		if len(c.faults) == 0 { // faults of prompt and tools are reported once
			c.tools(row.Get("tools"))
			c.messages(prompt, "prompt.")
			c.messages(side.messages, side.name+".")
			c.ends(side.name)
		}
	}
}

// stepwise checks that each step has a label.
func (c *checker) stepwise(r *sdk.Record) {
	row := jsontext.Of(r.JSON())
	if steps, labels := len(row.Get("completions").List()), len(row.Get("labels").List()); steps != labels {
		c.fault("bad_labels", "labels", "want "+strconv.Itoa(steps)+" labels, one for each step, have "+strconv.Itoa(labels))
	}
}

// tools notes the tools of a row, a list or the same in a string.
func (c *checker) tools(tools jsontext.JSON) {
	if body, ok := tools.Quoted(); ok {
		inner, ok := body.Embedded()
		if !ok || inner.Kind() != '[' {
			if !body.Blank() {
				c.fault("bad_tools", "tools", "want a list of tools, have a string that holds none")
			}
			return
		}
		tools = inner
	}
	for i, tool := range tools.Elements() {
		if name := tool.Get("function").Get("name").Body(); name != "" {
			c.tool(name, "tools."+strconv.Itoa(i), c.fault)
		}
	}
}

// messages checks messages one after the other.
func (c *checker) messages(list jsontext.JSON, prefix string) {
	for i, m := range list.Elements() {
		c.message(m, prefix+strconv.Itoa(i))
	}
}

func (c *checker) message(m jsontext.JSON, path string) {
	var said, content, name, calls, id jsontext.JSON
	m.Fill([]string{"role", "content", "name", "tool_calls", "tool_call_id"}, []*jsontext.JSON{&said, &content, &name, &calls, &id}, nil)
	t, role := &c.talk, said.Text()
	if role == "tool" {
		c.answer(id.Text(), name.Text(), path)
	} else {
		c.close()
	}
	switch role {
	case "system":
		if t.count > 0 {
			c.fault("late_system", path, "want the system message first and once, have one behind others")
		}
	case "user":
		t.user = t.user || !blank(content)
	}
	t.last, t.silent = role, blank(content) && !calls.Truthy()
	t.count++
	if calls.Kind() == '[' {
		c.asks(calls, path)
	}
}

// blank reports whether a content says nothing: a text of white space, or parts of which none is a medium or another text.
func blank(content jsontext.JSON) bool {
	for _, part := range content.Elements() {
		if part.Get("type").Text() != "text" || !part.Get("text").Body().Blank() {
			return false
		}
	}
	return content.Body().Blank()
}

// asks notes the calls of a message.
func (c *checker) asks(calls jsontext.JSON, path string) {
	c.talk.openAt = path
	for i, v := range calls.Elements() {
		function := v.Get("function")
		name, id := function.Get("name").Body(), v.Get("id").Body()
		here := path + ".tool_calls." + strconv.Itoa(i)
		c.call(name, id, here, c.fault)
		if args := (canonical.Part{Value: function.Get("arguments")}); args.Value.Kind() == '"' && args.Value.Inner() == "null" {
			c.fault("bad_arguments", here, "want arguments that are an object, have a string without one") // readers take it as it is
		} else {
			c.arguments(&args, here)
		}
		if id == "" {
			c.fault("call_without_id", here, "want an id")
		}
		c.talk.open[id.Text()] = name.Text()
	}
}

// answer removes the call of a result from those that wait.
func (c *checker) answer(id, name, path string) {
	if id == "" {
		c.fault("result_without_id", path, "want tool_call_id")
		return
	}
	called, waits := c.talk.open[id]
	switch delete(c.talk.open, id); {
	case !waits:
		c.fault("orphan_result", path, "want the id of a call that waits for its result")
	case name != "" && name != called:
		c.fault("wrong_result_name", path, "want the name of the tool that was called")
	}
}

// close ends the wait for results, when a message that is none has come.
func (c *checker) close() {
	if len(c.talk.open) > 0 {
		c.fault("dangling_call", c.talk.openAt, "want a result for every call before the conversation goes on, have a call without")
	}
	clear(c.talk.open)
}

// ends checks the end of a conversation. Calls of its last message wait for nothing.
func (c *checker) ends(path string) {
	t := &c.talk
	if !t.user {
		c.fault("no_user_turn", path, "want a user message with text")
	}
	switch {
	case t.last != "assistant":
		have := "no message"
		if t.last != "" {
			have = "a message of " + jsontext.Seen(jsontext.Quote(t.last))
		}
		c.fault("last_not_assistant", path, "want the assistant's message last, have "+have)
	case t.silent:
		c.fault("empty_response", path, "want text or a call in the last message")
	}
}

package alias

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A walk goes over one row, or over JSON that a string of it holds, and notes what to edit.
type walk struct {
	names   names
	edits   edits
	counts  []count
	entries []entry // of the list at hand whose equal names are merged, and of those around it
	decoded []byte  // the JSON that a string holds
	inside  bool    // whether the walk is in such JSON
}

type count struct {
	name string
	n    int
}

func (w *walk) reset() {
	w.edits, w.counts, w.entries, w.inside = w.edits[:0], w.counts[:0], w.entries[:0], false
}

func (w *walk) count(name string) {
	for i := range w.counts {
		if w.counts[i].name == name {
			w.counts[i].n++
			return
		}
	}
	w.counts = append(w.counts, count{name, 1})
}

// name rewrites the name ahead, if it is a string, and gives what it is afterwards, as the body of a JSON string.
func (w *walk) name(c *jsontext.Cursor) (body jsontext.Body, renamed bool) {
	if c.Kind() != '"' {
		c.Skip()
		return "", false
	}
	start := c.At + 1
	body, _ = c.String()
	return w.span(start, body)
}

// span rewrites the name that is the body of a string or a part of it, beginning at start.
func (w *walk) span(start int, body jsontext.Body) (after jsontext.Body, renamed bool) {
	found := w.names.of(body)
	if found == nil {
		return body, false
	}
	for _, rule := range found.rules {
		w.count(rule)
	}
	w.edits = append(w.edits, edit{start, start + len(body), string(found.body)})
	return found.body, true
}

// row walks a canonical row, a messages row, a trajectory record, a flat row or a benchmark result.
func (w *walk) row(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch key {
		case "request":
			w.request(c)
		case "response":
			w.response(c)
		case "messages":
			w.messages(c)
		case "tools":
			w.tools(c)
		case "toolChoice", "tool_choice":
			w.toolChoice(c)
		case "actions":
			for range c.Elements() {
				w.action(c)
			}
		case "agent_actions", "tool_results":
			w.calls(c)
		case "scenarios", "turns":
			for range c.Elements() {
				w.row(c)
			}
		case "metadata":
			w.options(c)
		case "memoryEntries":
			for range c.Elements() {
				w.message(c)
			}
		case "expectedResponse":
			w.text(c)
		default:
			w.nameList(key, c)
		}
	}
}

func (w *walk) request(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch key {
		case "messages":
			w.messages(c)
		case "tools":
			w.tools(c)
		case "toolChoice", "tool_choice":
			w.toolChoice(c)
		case "settings", "providerOptions":
			w.options(c)
		case "system", "instructions":
			w.instructions(c)
		case "prompt":
			w.messages(c)
		default:
			w.nameList(key, c)
		}
	}
}

// instructions walks a system text, a message of one, or a list of either.
func (w *walk) instructions(c *jsontext.Cursor) {
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			w.instructions(c)
		}
	case '{':
		for key := range c.Members() {
			if key == "content" || key == "text" {
				w.instructions(c)
			}
		}
	default:
		w.prompt(c)
	}
}

func (w *walk) response(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch key {
		case "text":
			w.text(c)
		case "content":
			w.content(c, true)
		case "toolCalls", "tool_calls", "toolcalls", "toolResults", "tool_results":
			w.calls(c)
		case "messages":
			w.messages(c)
		case "steps":
			for range c.Elements() {
				w.response(c)
			}
		}
	}
}

// nameList rewrites a list of names under one of the keys that hold such lists. Names that fall together are merged.
func (w *walk) nameList(key string, c *jsontext.Cursor) {
	switch key {
	case "availableActions", "allowedToolNames", "allowedTools", "activeTools", "candidateActions", "parentActionHints":
		w.merged(c, func(e *entry) {
			if c.Kind() == '"' {
				e.name, e.renamed = w.name(c)
			} else {
				w.named(c, e)
			}
		})
	}
}

// options looks for lists of names and for tool specs in settings, whatever their depth.
func (w *walk) options(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch {
		case key == "toolSpecs":
			w.tools(c)
		case c.Kind() == '{':
			w.options(c)
		default:
			w.nameList(key, c)
		}
	}
}

func (w *walk) messages(c *jsontext.Cursor) {
	for range c.Elements() {
		w.message(c)
	}
}

func (w *walk) message(c *jsontext.Cursor) {
	role, content, parts, name := "", -1, -1, -1
	for key := range c.Members() {
		switch key {
		case "role":
			body, _ := c.String()
			role = body.Text()
		case "content":
			content = c.At
		case "parts":
			parts = c.At
		case "name":
			name = c.At
		case "toolName":
			w.name(c)
		case "tool_calls", "toolCalls", "toolcalls", "toolInvocations":
			w.calls(c)
		case "function_call":
			w.call(c)
		}
	}
	role = strings.ToLower(strings.TrimSpace(role))
	spoken := role == "assistant" || role == "model"
	if parts >= 0 {
		w.content(&jsontext.Cursor{JSON: c.JSON, At: parts}, spoken)
	}
	if name >= 0 && (role == "tool" || role == "function") { // of other roles the name is a person's
		w.name(&jsontext.Cursor{JSON: c.JSON, At: name})
	}
	if content < 0 {
		return
	}
	at := jsontext.Cursor{JSON: c.JSON, At: content}
	if at.Kind() == '"' && (role == "system" || role == "developer") {
		w.prompt(&at)
	} else {
		w.content(&at, spoken)
	}
}

// content walks a list of content parts, or a text. Only what a model spoke holds envelopes.
func (w *walk) content(c *jsontext.Cursor, spoken bool) {
	if c.Kind() == '[' {
		for range c.Elements() {
			w.part(c, spoken)
		}
	} else if spoken {
		w.text(c)
	}
}

// part walks a content part: of the AI SDK's model and UI messages, of Anthropic and of Gemini.
func (w *walk) part(c *jsontext.Cursor, spoken bool) {
	kind, name := jsontext.Body(""), -1
	for key := range c.Members() {
		switch key {
		case "type":
			start := c.At + 1
			kind, _ = c.String()
			if tool, ok := strings.CutPrefix(string(kind), "tool-"); ok && tool != "call" && tool != "result" {
				w.span(start+len("tool-"), jsontext.Body(tool))
			}
		case "toolName":
			w.name(c)
		case "name":
			name = c.At
		case "text":
			if spoken {
				w.text(c)
			}
		case "toolInvocation", "functionCall", "functionResponse", "function_call":
			w.call(c)
		}
	}
	switch kind {
	case "tool-call", "tool-result", "tool-error", "tool_use", "server_tool_use", "function_call":
		if name >= 0 {
			w.name(&jsontext.Cursor{JSON: c.JSON, At: name})
		}
	}
}

// calls walks a list of tool calls or results, or a string that holds one.
func (w *walk) calls(c *jsontext.Cursor) {
	if c.Kind() == '"' {
		start := c.At + 1
		body, _ := c.String()
		if list, ok := body.Embedded(); ok && list.Kind() == '[' {
			w.nested(start, body, (*walk).calls)
		}
		return
	}
	for range c.Elements() {
		w.call(c)
	}
}

// call walks a call in any of its forms: {toolName}, {name}, {tool_name}, {tool} or {function: {name}}.
func (w *walk) call(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch key {
		case "toolName", "name", "tool_name", "tool":
			w.name(c)
		case "function", "toolInvocation":
			w.call(c)
		}
	}
}

// action walks an item of a trajectory record's actions and keeps the name that it had as originalName, unless it has
// one already.
func (w *walk) action(c *jsontext.Cursor) {
	if c.Kind() == '"' {
		w.name(c)
		return
	}
	kept, end, before := false, -1, jsontext.Body("")
	for key := range c.Members() {
		switch key {
		case "name":
			body, ok := (&jsontext.Cursor{JSON: c.JSON, At: c.At}).String()
			if _, renamed := w.name(c); ok && renamed {
				end, before = c.At, body
			}
		case "originalName":
			kept = true
		}
	}
	if end >= 0 && !kept {
		w.edits = append(w.edits, edit{end, end, `,"originalName":"` + string(before) + `"`})
	}
}

func (w *walk) toolChoice(c *jsontext.Cursor) {
	if c.Kind() == '"' {
		switch body, _ := (&jsontext.Cursor{JSON: c.JSON, At: c.At}).String(); body {
		case "auto", "none", "required", "any":
		default:
			w.name(c)
		}
		return
	}
	for key := range c.Members() {
		switch key {
		case "toolName", "name":
			w.name(c)
		case "function", "tool":
			w.call(c)
		case "tools":
			w.tools(c)
		case "allowed_tools":
			w.toolChoice(c)
		default:
			w.nameList(key, c)
		}
	}
}

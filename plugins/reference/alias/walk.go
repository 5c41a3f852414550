package alias

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A walk collects the edits of one row.
type walk struct {
	rules  *rules
	edits  []edit
	counts map[string]int
}

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// A value is the place of a JSON value.
type value struct{ start, end int }

func (v value) in(text jsontext.JSON) jsontext.JSON { return text[v.start:v.end] }

// here reads the next value.
func here(c *jsontext.Cursor) value {
	c.Kind()
	start := c.At
	c.Skip()
	return value{start, c.At}
}

// row rewrites the places that the tooling rewrites.
func (w *walk) row(c *jsontext.Cursor) {
	for key := range c.Members() {
		switch key {
		case "request":
			for key := range c.Members() {
				switch key {
				case "messages":
					for range c.Elements() {
						w.firstCalls(c, func(v value) bool { return true }, "tool_calls", "toolCalls")
					}
				case "tools":
					w.tools(c)
				}
			}
		case "response":
			isList := func(v value) bool { return c.JSON[v.start] == '[' }
			w.firstCalls(c, isList, "toolCalls", "tool_calls", "toolcalls")
		case "actions":
			for range c.Elements() {
				w.action(c)
			}
		case "agent_actions", "tool_results":
			for range c.Elements() {
				w.firstName(c, "name")
			}
		case "scenarios", "turns":
			for range c.Elements() {
				w.row(c)
			}
		}
	}
}

// firstCalls rewrites the calls under the first of the keys whose values fit. It drops a call whose name becomes empty.
func (w *walk) firstCalls(c *jsontext.Cursor, fit func(value) bool, keys ...string) {
	lists := make([]value, len(keys))
	for key := range c.Members() {
		if i := slices.Index(keys, key); i >= 0 {
			lists[i] = here(c)
		}
	}
	for _, v := range lists {
		if v.end == 0 || !fit(v) {
			continue
		}
		var calls []value
		var dead []bool
		list := jsontext.Cursor{JSON: c.JSON, At: v.start}
		for range list.Elements() {
			isObject := list.Kind() == '{'
			start := list.At
			name := w.firstName(&list, "name", "toolName", "tool_name", "tool", "function.name")
			calls, dead = append(calls, value{start, list.At}), append(dead, isObject && name == "")
		}
		w.drop(calls, dead)
		return
	}
}

// drop removes dead calls, each with one comma.
func (w *walk) drop(calls []value, dead []bool) {
	lead := slices.Index(dead, false)
	switch {
	case lead < 0 && len(calls) > 0:
		w.edits = append(w.edits, edit{start: calls[0].start, end: calls[len(calls)-1].end})
	case lead > 0:
		w.edits = append(w.edits, edit{start: calls[0].start, end: calls[lead].start})
	}
	for i := range calls {
		if !dead[i] {
			continue
		}
		w.counts["dropped_call"]++
		if lead >= 0 && i > lead {
			w.edits = append(w.edits, edit{start: calls[i-1].end, end: calls[i].end})
		}
	}
}

// firstName rewrites the first of the members that Python takes for true, and returns the new name. "function.name" is the member
// name of the object function.
func (w *walk) firstName(c *jsontext.Cursor, keys ...string) string {
	found := make([]value, len(keys))
	for key := range c.Members() {
		if i := slices.Index(keys, key); i >= 0 {
			found[i] = here(c)
		} else if i := slices.Index(keys, "function.name"); i >= 0 && key == "function" {
			for key := range c.Members() {
				if key == "name" {
					found[i] = here(c)
				}
			}
		}
	}
	for _, v := range found {
		if v.end > 0 && v.in(c.JSON).Truthy() {
			return w.name(c.JSON, v)
		}
	}
	return ""
}

// name rewrites the value that is a name, unless that leaves nothing.
func (w *walk) name(json jsontext.JSON, v value) string {
	raw := v.in(json)
	to, counts := w.rules.lookup(text(raw))
	after := string(jsontext.AppendString(nil, to))
	if to != "" && after != string(raw) {
		for _, rule := range counts {
			w.counts[rule]++
		}
		w.edits = append(w.edits, edit{v.start, v.end, after})
	}
	return to
}

// tools rewrites a list of tools, or a map whose keys are the names of items without one.
func (w *walk) tools(c *jsontext.Cursor) {
	if c.Kind() == '[' {
		for range c.Elements() {
			w.firstName(c, "function.name", "name")
		}
		return
	}
	for range c.Members() {
		key := jsontext.Cursor{JSON: c.JSON, At: c.Key}
		if w.firstName(c, "function.name", "name") == "" {
			w.name(c.JSON, here(&key))
		}
	}
}

// action keeps the normalised old name of an action as originalName.
func (w *walk) action(c *jsontext.Cursor) {
	var name, original value
	for key := range c.Members() {
		switch key {
		case "name":
			name = here(c)
		case "originalName":
			original = here(c)
		}
	}
	if name.end == 0 {
		return
	}
	before := normal(text(name.in(c.JSON)))
	if w.name(c.JSON, name) != "" && original.end == 0 {
		kept := jsontext.AppendString([]byte(`,"originalName":`), before)
		w.edits = append(w.edits, edit{name.end, name.end, string(kept)})
	}
}

package alias

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// upper is Python's str.upper: full Unicode, so that ß becomes SS.
var upper = cases.Upper(language.Und)

// referenceText is the text form of a JSON value: nothing for what Python takes for false.
func referenceText(value jsontext.JSON) string {
	if !python.Truthy(value) {
		return ""
	}
	return python.Str(value)
}

// referenceNormal is the reference's normalisation.
func referenceNormal(name string) string {
	name = strings.TrimFunc(name, jsontext.IsSpace)
	var b strings.Builder
	run := false
	for _, c := range name {
		joint := c == '.' || c == '-' || jsontext.IsSpace(c)
		switch {
		case !joint:
			b.WriteRune(c)
		case !run:
			b.WriteByte('_')
		}
		run = joint
	}
	return upper.String(b.String())
}

// referenceLookup follows exact rules until a name comes again, then the first prefix rule that fits, once. An unknown
// name comes back normalised.
func (r *rules) referenceLookup(name string) rename {
	found := rename{to: referenceNormal(name)}
	var seen []string
	for {
		to, ok := r.exact[found.to]
		if !ok || slices.Contains(seen, found.to) {
			break
		}
		seen = append(seen, found.to)
		found.rules = append(found.rules, "rule."+strings.ToLower(found.to))
		found.to = to
	}
	for _, p := range r.prefixes {
		if rest, ok := strings.CutPrefix(found.to, p.from); ok {
			found.to, found.rules = p.to+rest, append(found.rules, "rule."+strings.ToLower(p.from)+"*")
			break
		}
	}
	if len(found.rules) == 0 {
		found.rules = []string{"spelling"}
	}
	return found
}

// A value is where a JSON value stands.
type value struct{ start, end int }

func (v value) in(text jsontext.JSON) jsontext.JSON { return text[v.start:v.end] }

// here reads the value ahead.
func here(c *jsontext.Cursor) value {
	c.Kind()
	start := c.At
	c.Skip()
	return value{start, c.At}
}

// referenceRow rewrites the places that the reference rewrites.
func (w *walk) referenceRow(c *jsontext.Cursor) {
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
					w.referenceTools(c)
				}
			}
		case "response":
			isList := func(v value) bool { return c.JSON[v.start] == '[' }
			w.firstCalls(c, isList, "toolCalls", "tool_calls", "toolcalls")
		case "actions":
			for range c.Elements() {
				w.referenceAction(c)
			}
		case "agent_actions", "tool_results":
			for range c.Elements() {
				w.firstName(c, "name")
			}
		case "scenarios", "turns":
			for range c.Elements() {
				w.referenceRow(c)
			}
		}
	}
}

// firstCalls walks the calls under the first of some keys that has fit values. A call whose name comes to nothing is
// dropped.
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
		mark, first := len(w.entries), len(w.edits)
		list := jsontext.Cursor{JSON: c.JSON, At: v.start}
		for range list.Elements() {
			list.Kind()
			e := entry{start: list.At}
			object := list.Kind() == '{'
			e.name = jsontext.Body(w.firstName(&list, "name", "toolName", "tool_name", "tool", "function.name"))
			e.end, e.dead = list.At, object && e.name == ""
			w.entries = append(w.entries, e)
		}
		w.drop(w.entries[mark:], first)
		w.entries = w.entries[:mark]
		return
	}
}

// drop cuts dead entries out, and empties the list when none is left.
func (w *walk) drop(es []entry, first int) {
	alive := func(e entry) bool { return !e.dead }
	switch {
	case slices.ContainsFunc(es, alive) || len(es) == 0:
		w.remove(es, first)
	default:
		w.edits = append(w.edits[:first], edit{start: es[0].start, end: es[len(es)-1].end})
	}
	for _, e := range es {
		if e.dead {
			w.count("dropped_call")
		}
	}
}

// firstName rewrites the first of some members that Python takes for true and gives what the name is afterwards.
// "function.name" is the member name of the object function.
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
		if v.end > 0 && python.Truthy(v.in(c.JSON)) {
			return w.referenceName(c.JSON, v)
		}
	}
	return ""
}

// referenceName rewrites the value that is a name, unless that leaves nothing.
func (w *walk) referenceName(text jsontext.JSON, v value) string {
	raw := v.in(text)
	found := w.names.rules.lookup(referenceText(raw))
	after := string(jsontext.AppendString(nil, found.to))
	if found.to != "" && after != string(raw) {
		for _, rule := range found.rules {
			w.count(rule)
		}
		w.edits = append(w.edits, edit{v.start, v.end, after})
	}
	return found.to
}

// referenceTools walks a list of tools, or a map whose keys are names where the items have none.
func (w *walk) referenceTools(c *jsontext.Cursor) {
	if c.Kind() == '[' {
		for range c.Elements() {
			w.firstName(c, "function.name", "name")
		}
		return
	}
	from := c.At
	for range c.Members() {
		key := jsontext.Cursor{JSON: c.JSON, At: from}
		for key.Kind() == '{' || key.Kind() == ',' {
			key.At++
		}
		name := here(&key)
		if w.firstName(c, "function.name", "name") == "" {
			w.referenceName(c.JSON, name)
		}
		from = c.At
	}
}

// referenceAction keeps the normalised name that an action had as originalName.
func (w *walk) referenceAction(c *jsontext.Cursor) {
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
	before := referenceNormal(referenceText(name.in(c.JSON)))
	if w.referenceName(c.JSON, name) != "" && original.end == 0 {
		kept := jsontext.AppendString([]byte(`,"originalName":`), before)
		w.edits = append(w.edits, edit{name.end, name.end, string(kept)})
	}
}

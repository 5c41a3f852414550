// Package alias renames actions as the Python tooling does: it normalises every name, known or not, in some places of a row.
package alias

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// New returns a step with the rules of a file, an object of aliases and a list of prefixes, and with inline aliases, which win.
func New(aliases, prefixes gjson.Result, inline map[string]string) sdk.Processor {
	rules := rules{exact: map[string]string{}}
	rules.take(aliases, prefixes, inline)
	return sdk.Map(func(r *sdk.Record) error {
		w := walk{rules: &rules, counts: map[string]int{}}
		c := jsontext.Of(r.JSON()).Cursor()
		w.row(&c)
		for name, n := range w.counts {
			r.Count(name, n)
		}
		for _, e := range w.edits {
			if err := r.Splice(e.start, e.end, []byte(e.text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rules are normalised on both sides. Pairs with a blank side do not count.
type rules struct {
	exact    map[string]string
	prefixes [][2]string
}

func (r *rules) take(aliases, prefixes gjson.Result, inline map[string]string) {
	add := func(from, to string) {
		if from, to = normal(from), normal(to); from != "" && to != "" {
			r.exact[from] = to
		}
	}
	aliases.ForEach(func(from, to gjson.Result) bool {
		add(from.Str, text(jsontext.JSON(to.Raw)))
		return true
	})
	for from, to := range inline {
		add(from, to)
	}
	for _, item := range prefixes.Array() {
		from, to := normal(text(jsontext.JSON(item.Get("from").Raw))), normal(text(jsontext.JSON(item.Get("to").Raw)))
		if item.IsObject() && from != "" && to != "" {
			r.prefixes = append(r.prefixes, [2]string{from, to})
		}
	}
}

// upper changes case as Python's str.upper does, by full Unicode, so that ß becomes SS.
var upper = cases.Upper(language.Und)

// text returns a JSON value as text, and "" for what Python takes for false.
func text(value jsontext.JSON) string {
	if !value.Truthy() {
		return ""
	}
	return python.Str(value)
}

// normal returns a name in upper case, without white space around it, with runs of white space, '.' and '-' as one '_'.
func normal(name string) string {
	var b strings.Builder
	run := false
	for _, c := range strings.TrimFunc(name, jsontext.IsSpace) {
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

// lookup follows exact rules until a name repeats, then the first prefix rule that fits, once. It returns the new name, which for
// an unknown name is the normalised one, with the counts of the rules.
func (r *rules) lookup(name string) (to string, counts []string) {
	to = normal(name)
	var seen []string
	for {
		next, ok := r.exact[to]
		if !ok || slices.Contains(seen, to) {
			break
		}
		seen = append(seen, to)
		counts = append(counts, "rule."+strings.ToLower(to))
		to = next
	}
	for _, p := range r.prefixes {
		if rest, ok := strings.CutPrefix(to, p[0]); ok {
			to, counts = p[1]+rest, append(counts, "rule."+strings.ToLower(p[0])+"*")
			break
		}
	}
	if len(counts) == 0 {
		counts = []string{"spelling"}
	}
	return to, counts
}

// A walk collects the edits of one row.
type walk struct {
	rules  *rules
	edits  []edit
	counts map[string]int
}

type edit struct {
	start, end int
	text       string
}

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

// firstName rewrites the first member that Python takes for true, and returns the new name. A dot leads into an object.
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

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
		w := walk{rules: &rules, record: jsontext.Of(r.JSON()), counts: map[string]int{}}
		w.row(w.record)
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

// A walk collects the edits of one record.
type walk struct {
	rules  *rules
	record jsontext.JSON
	edits  []edit
	counts map[string]int
}

type edit struct {
	start, end int
	text       string
}

// place returns where a value of the record begins and ends.
func (w *walk) place(value jsontext.JSON) (start, end int) {
	start, _ = jsontext.Within(w.record, value)
	return start, start + len(value)
}

// cut removes the record from one offset to another.
func (w *walk) cut(start, end int) { w.edits = append(w.edits, edit{start: start, end: end}) }

// row rewrites the places that the tooling rewrites.
func (w *walk) row(row jsontext.JSON) {
	for key, v := range row.Members() {
		switch key {
		case "request":
			for key, v := range v.Members() {
				switch key {
				case "messages":
					for _, message := range v.Elements() {
						w.firstCalls(message, false, "tool_calls", "toolCalls")
					}
				case "tools":
					w.tools(v)
				}
			}
		case "response":
			w.firstCalls(v, true, "toolCalls", "tool_calls", "toolcalls")
		case "actions":
			for _, action := range v.Elements() {
				w.action(action)
			}
		case "agent_actions", "tool_results":
			for _, item := range v.Elements() {
				w.firstName(item, "name")
			}
		case "scenarios", "turns":
			for _, row := range v.Elements() {
				w.row(row)
			}
		}
	}
}

// firstCalls rewrites the calls under the first of the keys that the object has or, with lists, that has a list. It drops a call
// whose name becomes empty.
func (w *walk) firstCalls(object jsontext.JSON, lists bool, keys ...string) {
	for _, key := range keys {
		list := object.Get(key)
		if list == "" || lists && list.Kind() != '[' {
			continue
		}
		calls := list.List()
		dead := make([]bool, len(calls))
		for i, call := range calls {
			name := w.firstName(call, "name", "toolName", "tool_name", "tool", "function.name")
			dead[i] = call.Kind() == '{' && name == ""
		}
		w.drop(calls, dead)
		return
	}
}

// drop removes dead calls, each with one comma.
func (w *walk) drop(calls []jsontext.JSON, dead []bool) {
	lead, last := slices.Index(dead, false), 0
	for i, call := range calls {
		start, end := w.place(call)
		first, _ := w.place(calls[0])
		switch {
		case i == lead && lead > 0:
			w.cut(first, start)
		case lead < 0 && i == len(calls)-1:
			w.cut(first, end)
		case dead[i] && lead >= 0 && i > lead:
			w.cut(last, end)
		}
		if last = end; dead[i] {
			w.counts["dropped_call"]++
		}
	}
}

// firstName rewrites the first member that Python takes for true, and returns the new name. A dot leads into an object.
func (w *walk) firstName(object jsontext.JSON, keys ...string) string {
	for _, key := range keys {
		name := object
		for step := range strings.SplitSeq(key, ".") {
			name = name.Get(step)
		}
		if name.Truthy() {
			return w.name(name)
		}
	}
	return ""
}

// name rewrites a value that is a name, unless that leaves nothing.
func (w *walk) name(name jsontext.JSON) string {
	to, counts := w.rules.lookup(text(name))
	if after := jsontext.Quote(to); to != "" && after != name {
		for _, rule := range counts {
			w.counts[rule]++
		}
		start, end := w.place(name)
		w.edits = append(w.edits, edit{start, end, string(after)})
	}
	return to
}

// tools rewrites a list of tools, or a map whose keys are the names of items without one.
func (w *walk) tools(tools jsontext.JSON) {
	for _, tool := range tools.Elements() {
		w.firstName(tool, "function.name", "name")
	}
	if tools.Kind() != '{' {
		return
	}
	c := tools.Cursor()
	for range c.Members() {
		key := jsontext.Cursor{JSON: tools, At: c.Key}
		if w.firstName(c.Value(), "function.name", "name") == "" {
			w.name(key.Value())
		}
	}
}

// action keeps the normalised old name of an action as originalName.
func (w *walk) action(action jsontext.JSON) {
	name := action.Get("name")
	if name != "" && w.name(name) != "" && action.Get("originalName") == "" {
		_, end := w.place(name)
		w.edits = append(w.edits, edit{end, end, `,"originalName":` + string(jsontext.Quote(normal(text(name))))})
	}
}

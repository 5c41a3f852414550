package alias

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An entry is one item of a list or map in which each name should stand once.
type entry struct {
	start, end int
	name       jsontext.Body // afterwards, as the body of a JSON string; empty when it has none
	renamed    bool
	dead       bool
}

// merged walks the elements of a list, each through read, and removes those whose new name another one has: the
// definition that had the current name all along stays, else the first.
func (w *walk) merged(c *jsontext.Cursor, read func(*entry)) {
	mark, first := len(w.entries), len(w.edits)
	for range c.Elements() {
		c.Kind()
		e := entry{start: c.At}
		read(&e)
		e.end = c.At
		w.entries = append(w.entries, e)
	}
	w.merge(mark, first)
}

// tools walks tool definitions: a list of flat or wrapped ones, a map by name, or a string that holds either.
func (w *walk) tools(c *jsontext.Cursor) {
	switch c.Kind() {
	case '[':
		w.merged(c, func(e *entry) {
			if c.Kind() == '"' {
				e.name, e.renamed = w.name(c)
			} else {
				w.named(c, e)
			}
		})
	case '{':
		mark, first := len(w.entries), len(w.edits)
		from := c.At
		for range c.Members() {
			w.member(c, from)
			from = c.At
		}
		w.merge(mark, first)
	case '"':
		start := c.At + 1
		body, _ := c.String()
		w.nested(start, body, (*walk).tools)
	default:
		c.Skip()
	}
}

// member walks one tool of a map. The cursor is at its value, and its key is behind from.
func (w *walk) member(c *jsontext.Cursor, from int) {
	key := jsontext.Cursor{JSON: c.JSON, At: from}
	for key.Kind() == '{' || key.Kind() == ',' {
		key.At++
	}
	e := entry{start: key.At}
	e.name, e.renamed = w.name(&key)
	var inner entry
	w.named(c, &inner)
	e.end = c.At
	w.entries = append(w.entries, e)
}

// named walks a definition and gives its name to e: of several the last, as a reader of duplicates would.
func (w *walk) named(c *jsontext.Cursor, e *entry) {
	for key := range c.Members() {
		switch {
		case (key == "name" || key == "toolName") && c.Kind() == '"':
			e.name, e.renamed = w.name(c)
		case key == "function":
			for key := range c.Members() {
				if key == "name" && c.Kind() == '"' {
					e.name, e.renamed = w.name(c)
				}
			}
		case key == "functionDeclarations" || key == "function_declarations":
			w.tools(c)
		}
	}
}

// merge removes what is double among the entries from mark on. Edits from first on belong to them.
func (w *walk) merge(mark, first int) {
	es := w.entries[mark:]
	dead := false
	if slices.ContainsFunc(es, func(e entry) bool { return e.renamed }) {
		dead = w.cover(es)
	}
	if dead {
		w.remove(es, first)
	}
	w.entries = w.entries[:mark]
}

// cover marks the entries that another one stands for: one that had the name all along, or else the first.
func (w *walk) cover(es []entry) (dead bool) {
	first := make(map[string]int, len(es)) // by decoded name
	for i := range es {
		name := es[i].name.Text()
		if at, ok := first[name]; !ok || es[at].renamed && !es[i].renamed {
			first[name] = i
		}
	}
	for i := range es {
		if es[i].renamed && first[es[i].name.Text()] != i {
			es[i].dead, dead = true, true
			w.count("merged")
		}
	}
	return dead
}

// remove cuts dead entries out, each with one comma, and what was to be edited in them.
func (w *walk) remove(es []entry, first int) {
	dead := slices.DeleteFunc(slices.Clone(es), func(e entry) bool { return !e.dead })
	living := slices.DeleteFunc(w.edits[first:], func(e edit) bool {
		at, _ := slices.BinarySearchFunc(dead, e.start, func(d entry, start int) int { return cmp.Compare(d.end, start) })
		return at < len(dead) && e.start >= dead[at].start && e.end <= dead[at].end
	})
	w.edits = w.edits[:first+len(living)]
	lead := 0
	for lead < len(es) && es[lead].dead {
		lead++
	}
	if lead > 0 {
		w.edits = append(w.edits, edit{start: es[0].start, end: es[lead].start})
	}
	for i := lead + 1; i < len(es); i++ {
		if es[i].dead {
			w.edits = append(w.edits, edit{start: es[i-1].end, end: es[i].end})
		}
	}
}

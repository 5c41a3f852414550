package canonical

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Use is the role of a name in a record.
type Use uint8

const (
	CallUse   Use = iota // the tool of a call
	ResultUse            // the tool that returned a result
	ToolUse              // a tool on offer
	ChoiceUse            // a tool that the model must use
	ListUse              // an entry of a list of names, such as availableActions
	ActionUse            // an action of a trajectory record
	TextUse              // in a text of the model or the system
)

// A Name is an occurrence of the name of a tool or action.
type Name struct {
	Body jsontext.Body // empty when the entry of a list has no name
	Use  Use
	List int // the list in which each name should occur once, from 1; 0 for none
	// Entry is the text to remove to take a name out of its List: the element, or the member with its key. For an action it
	// is the object.
	Entry string
}

// Names returns every name of a tool or action in the record: those that the Row shows or leaves out as repetitions, and those in
// lists of names, settings, planner envelopes, marked calls in texts, and members of the shapes that rows were made of. Names
// of one List are in order. Values that only names need are read here, once. A record with more than MaxNames names returns
// one more than MaxNames.
func (r *Row) Names() []Name {
	r.found.finish(r)
	return r.found.names
}

// MaxNames is how many names of a record are read. It bounds their memory, which is larger than the shortest JSON of a name.
const MaxNames = 1 << 17

// found holds what the reader finds besides the contents of the row.
type found struct {
	names  []Name
	lists  int
	texts  []spokenText
	rest   []unread
	inner  []inner
	sorted bool // inner is in the order of addresses
	done   int  // how many of rest are read
	spoken int  // how many of texts are read
	aside  *Row // receives values that are read only for names
	reader reader
}

// A spokenText is a text, with whose it is.
type spokenText struct {
	body jsontext.Body
	role Role
}

type unread struct {
	kind  unreadKind
	value jsontext.JSON
	tools uint64 // the number of cached tools, or 0
	level int    // how many unread values contain it
}

// maxLevel is how deep records, responses and messages inside one another are read for names. Each level is walked twice.
const maxLevel = 16

func (f *found) clear() {
	f.names, f.texts, f.rest = jsontext.Reuse(f.names), jsontext.Reuse(f.texts), jsontext.Reuse(f.rest)
	clear(f.inner)
	f.inner = jsontext.Reuse(f.inner)
	f.lists, f.done, f.spoken, f.sorted = 0, 0, 0, false
}

func (f *found) add(use Use, body jsontext.Body) {
	if body != "" {
		f.entry(0, use, body, "")
	}
}

// list returns the number of a new list.
func (f *found) list() int {
	if f == nil {
		return 0
	}
	f.lists++
	return f.lists
}

func (f *found) entry(list int, use Use, body jsontext.Body, entry string) {
	if f != nil && len(f.names) <= MaxNames {
		f.names = append(f.names, Name{Body: body, Use: use, List: list, Entry: entry})
	}
}

// name reads the next value, which is a name if it is a string.
func (rd *reader) name(use Use) (body jsontext.Body, ok bool) {
	body, ok = rd.String()
	rd.found.add(use, body)
	return body, ok
}

// addText notes a text. setRole says whose it is when the message has been read.
func (f *found) addText(body jsontext.Body) {
	if body != "" {
		f.texts = append(f.texts, spokenText{body: body})
	}
}

// setRole sets whose the texts from an index on are.
func (f *found) setRole(role Role, from int) {
	for i := range f.texts[from:] {
		f.texts[from+i].role = role
	}
}

// postpone notes the next value for Names to read.
func (rd *reader) postpone(kind unreadKind) { rd.postponeValue(kind, rd.Value()) }

func (rd *reader) postponeValue(kind unreadKind, value jsontext.JSON) {
	if value != "" && value != "null" && value != "[]" && rd.level < maxLevel {
		rd.found.rest = append(rd.found.rest, unread{kind: kind, value: value, level: rd.level + 1})
	}
}

func (f *found) finish(r *Row) {
	if f.aside == nil {
		f.aside = &Row{}
	}
	f.aside.clear()
	for f.done < len(f.rest) || f.spoken < len(f.texts) { // a text may hold calls whose arguments are read later
		if f.done == len(f.rest) {
			f.readText()
			continue
		}
		u := f.rest[f.done]
		f.done++
		if u.kind == inTools && f.known(&r.tools, u) {
			continue
		}
		f.reader = reader{Cursor: u.value.Cursor(), row: f.aside, found: f, level: u.level}
		f.reader.namesIn(u.kind)
	}
}

// readText reads the next text for names.
func (f *found) readText() {
	t := f.texts[f.spoken]
	f.spoken++
	switch t.role {
	case Assistant:
		f.speech(t.body)
	case System, Developer:
		f.available(t.body)
	}
}

// known adds the names of cached tools, and reports whether the tools are cached.
func (f *found) known(k *known, u unread) bool {
	text, own := k.names(u.tools)
	if own == nil {
		return false
	}
	at := func(piece string) string {
		i, _ := jsontext.Within(text, piece)
		return string(u.value[i : i+len(piece)])
	}
	for _, n := range own.names {
		if n.Body != "" {
			n.Body = jsontext.Body(at(string(n.Body)))
		}
		if n.List > 0 {
			n.List, n.Entry = n.List+f.lists, at(n.Entry)
		}
		f.entry(n.List, n.Use, n.Body, n.Entry)
	}
	f.lists += own.lists
	return true
}

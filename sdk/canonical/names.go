package canonical

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Use tells what a name is there for.
type Use uint8

const (
	CallUse   Use = iota // the tool of a call
	ResultUse            // the tool that gave a result
	ToolUse              // a tool on offer
	ChoiceUse            // a tool that the model is told to use
	ListUse              // an entry of a list of names, such as availableActions
	ActionUse            // an action of a trajectory record
	TextUse              // in what the model said or was told
)

// A Name is a place where the name of a tool or action stands, with its JSON.
type Name struct {
	Body jsontext.Body // empty when the entry of a list has no name
	Use  Use
	List int // the list in which each name should stand once, from 1; 0 for none
	// Entry is what goes when a name is taken out of its List: the element, or the member with its key. Of an action it
	// is the object.
	Entry string
}

// Names gives every name of a tool or action that the record has, wherever a reader of rows looks for one, and in the
// members of the shapes that rows were made of: what the Row shows, what it leaves out because something else says the
// same, lists of names, settings, planner envelopes and marked calls in texts. Names of one List come in their order.
// What only names need is read here, once. There are at most MaxNames, and one more when the record has more.
func (r *Row) Names() []Name {
	r.found.finish(r)
	return r.found.names
}

// MaxNames is how many names of a record are read, which bounds their memory: each takes more than the shortest that JSON
// can hold.
const MaxNames = 1 << 17

// found is what the reader comes across besides what it shows in a row.
type found struct {
	names  []Name
	lists  int
	texts  []said
	rest   []unread
	inner  []inner
	sorted bool // inner is in the order of addresses
	done   int  // how much of rest is read
	spoken int  // how many of texts
	aside  *Row // what is read only for its names is read into this
	reader reader
}

// A said is a text, with whose it is.
type said struct {
	body jsontext.Body
	role Role
}

// An unread value is read when somebody asks for names.
type unread struct {
	kind  place
	value jsontext.JSON
	tools uint64 // the number by which tools are remembered, or 0
	level int    // how many unread values it stands in
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

// list gives the number of another list.
func (f *found) list() int {
	if f == nil {
		return 0
	}
	f.lists++
	return f.lists
}

// entry adds a name of a list, which may be empty.
func (f *found) entry(list int, use Use, body jsontext.Body, entry string) {
	if f != nil && len(f.names) <= MaxNames {
		f.names = append(f.names, Name{Body: body, Use: use, List: list, Entry: entry})
	}
}

// name reads the string ahead, which is a name. Any other value is left out.
func (rd *reader) name(use Use) (body jsontext.Body, ok bool) {
	body, ok = rd.String()
	rd.found.add(use, body)
	return body, ok
}

// say notes a text. Whose it is says the message, when it is read whole.
func (f *found) say(body jsontext.Body) {
	if body != "" {
		f.texts = append(f.texts, said{body: body})
	}
}

// by says whose the texts from one on are.
func (f *found) by(role Role, from int) {
	for i := range f.texts[from:] {
		f.texts[from+i].role = role
	}
}

// leave notes the value ahead for those who ask for names.
func (rd *reader) leave(kind place) { rd.later(kind, rd.Value()) }

func (rd *reader) later(kind place, value jsontext.JSON) {
	if value != "" && value != "null" && value != "[]" && rd.level < maxLevel {
		rd.found.rest = append(rd.found.rest, unread{kind: kind, value: value, level: rd.level + 1})
	}
}

// finish reads what was left unread, and the names in texts.
func (f *found) finish(r *Row) {
	if f.aside == nil {
		f.aside = &Row{}
	}
	f.aside.clear()
	for f.done < len(f.rest) {
		u := f.rest[f.done]
		f.done++
		if u.kind == inTools && f.known(&r.tools, u) {
			continue
		}
		f.reader = reader{Cursor: u.value.Cursor(), row: f.aside, found: f, level: u.level}
		f.reader.place(u.kind)
	}
	for ; f.spoken < len(f.texts); f.spoken++ {
		switch t := f.texts[f.spoken]; t.role {
		case Assistant:
			f.speech(t.body)
		case System, Developer:
			f.available(t.body)
		}
	}
}

// known adds the names of tools that are remembered, and tells whether they are.
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

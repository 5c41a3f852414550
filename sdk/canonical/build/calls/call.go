package calls

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Call is one tool call. Args is JSON: an object, or any other value, such as a string that holds an object; "" means no
// arguments. A missing ID is "".
type Call struct {
	ID, Name jsontext.Body
	Args     jsontext.JSON
	Left     int    // how many other members the object has that it was read from
	Fault    string // "want ..., have ...": what was called, or with what, cannot be told, so that Builder.Emit rejects the row
}

// Object reads a call from a JSON object, as canonical.Part.ReadCall does. ok is false without a name.
func Object(v jsontext.JSON) (c Call, ok bool) {
	c, _ = read(v)
	return c, !c.Name.Blank()
}

// Objects reads a call, or a list of them, as Object does. Any other value has none. ok is false when one has no name.
func Objects(v jsontext.JSON) (list []Call, ok bool) {
	if v.Kind() == '{' {
		v = "[" + v + "]"
	}
	for _, element := range v.Elements() {
		c, ok := Object(element)
		if !ok {
			return nil, false
		}
		list = append(list, c)
	}
	return list, true
}

// read reads a call, and returns the member that its arguments are from.
func read(v jsontext.JSON) (c Call, key string) {
	var p canonical.Part
	key, left, fault := p.ReadCall(v)
	return Call{ID: p.ID, Name: trimmed(p.Name), Args: p.Value, Left: left, Fault: fault}, key
}

// trimmed returns a name without the space around it.
func trimmed(name jsontext.Body) jsontext.Body {
	if strings.IndexByte(string(name), '\\') < 0 {
		return jsontext.Body(strings.TrimSpace(string(name)))
	}
	text := name.Text()
	if short := strings.TrimSpace(text); len(short) < len(text) {
		return jsontext.BodyOf(short)
	}
	return name
}

// sure reports whether an unmarked object is a call, and no answer that has a name: it has a tool's name, or arguments and nothing that
// a call has not.
func sure(c Call, key string, row Row) bool {
	if c.Name.Blank() {
		return false
	}
	if c.Left == 0 && (key == "arguments" || key == "args") && (c.Args[0] == '{' || c.Args[0] == '"') {
		return true
	}
	return row.Knows(c.Name.Text())
}

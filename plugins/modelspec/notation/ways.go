package notation

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Node is a message, or the ways in which a thread may go on from there, each of which is a thread again.
type Node struct {
	Message
	Ways [][]Node
}

// ReadWays reads a thread whose list of messages holds lists of threads, as the authors' later type of a thread has them: ways
// to go on. The thread comes without its messages, which are nodes. nodes is nil for any other value, which Read knows.
func ReadWays(json jsontext.JSON) (t Thread, nodes []Node) {
	r := reader{Thread: Thread{Shape: ListShape}}
	list, prefix := json, ""
	if json.Kind() == '{' {
		var m rowMembers
		m, r.Beside = membersOf(json)
		r.Shape, list, prefix = RowShape, m.messages, "messages."
		r.settings(m)
	}
	c := list.Cursor()
	if c.Kind() != '[' || !isThread(list) || !hasWays(c, 0) {
		return Thread{}, nil
	}
	nodes = r.nodes(nil, list, prefix, 0)
	return r.Thread, nodes
}

// hasWays tells whether a list of messages holds lists of threads.
func hasWays(c jsontext.Cursor, depth int) bool {
	if holdsLists(c) {
		return true
	}
	for range c.Elements() {
		if c.Kind() == '[' && depth < maxDepth && hasWays(c.Value().Cursor(), depth+1) {
			return true
		}
	}
	return false
}

// holdsLists tells whether a list holds nothing but lists, as a list of threads does. One alone is no choice.
func holdsLists(c jsontext.Cursor) bool {
	lists := 0
	for range c.Elements() {
		if c.Kind() != '[' {
			return false
		}
		lists++
	}
	return lists > 1
}

// nodes reads a list of messages, threads and lists of threads.
func (r *reader) nodes(all []Node, list jsontext.JSON, prefix string, depth int) []Node {
	c := list.Cursor()
	if depth > maxWays {
		r.bad(prefix, "want ways to go on at most %d deep, have more", maxWays)
		return all
	}
	if holdsLists(c) {
		n := Node{}
		for i := range c.Elements() {
			n.Ways = append(n.Ways, r.nodes(nil, c.Value(), fmt.Sprintf("%s%d.", prefix, i), depth+1))
		}
		return append(all, n)
	}
	for i := range c.Elements() {
		switch c.Kind() {
		case '{':
			all = append(all, Node{Message: r.message(&c, prefix, i)})
		case '[':
			all = r.nodes(all, c.Value(), fmt.Sprintf("%s%d.", prefix, i), depth+1)
		case 'n':
		default:
			r.bad(fmt.Sprintf("%s%d", prefix, i), "want a message or a thread, have another type")
		}
	}
	return all
}

// maxWays is how deep ways to go on may stand in each other.
const maxWays = 32

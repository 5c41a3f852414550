package notation

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Node is a message, or a place where a thread goes on in several branches.
type Node struct {
	Message
	Branches [][]Node
}

// ReadBranches reads a thread whose list of messages holds lists, as in the authors' later type of a thread: several lists in
// one are branches, and the messages of any other are read in its place. It returns the messages as nodes and the thread
// without them. nodes is nil for other values, which Read reads.
func ReadBranches(json jsontext.JSON) (t Thread, nodes []Node) {
	isRow, list := json.Kind() == '{', json
	if isRow {
		list = ""
		json.Fill([]string{"messages"}, []*jsontext.JSON{&list}, nil)
	}
	if !hasLists(list) || !isThread(list) { // most threads have no lists
		return Thread{}, nil
	}
	r, prefix := reader{Thread: Thread{Shape: ListShape}}, ""
	if isRow {
		var m rowMembers
		m, r.Extra = sortMembers(json)
		r.Shape, prefix = RowShape, "messages."
		r.settings(m)
	}
	nodes = r.nodes(nil, list, prefix, 0)
	return r.Thread, nodes
}

// hasLists reports whether a list of messages holds lists.
func hasLists(list jsontext.JSON) bool {
	if list.Kind() != '[' {
		return false
	}
	c := list.Cursor()
	for range c.Elements() {
		if c.Kind() == '[' {
			return true
		}
	}
	return false
}

// holdsLists reports whether a list holds several lists and nothing else, as a list of branches does.
func holdsLists(list jsontext.JSON) bool {
	lists, c := 0, list.Cursor()
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
	if depth > maxBranchDepth {
		r.bad(prefix, "want branches at most %d deep, have %d", maxBranchDepth, depth)
		return all
	}
	if holdsLists(list) {
		n := Node{}
		for i, branch := range list.Elements() {
			n.Branches = append(n.Branches, r.nodes(nil, branch, fmt.Sprintf("%s%d.", prefix, i), depth+1))
		}
		return append(all, n)
	}
	c := list.Cursor()
	for i := range c.Elements() {
		switch kind := c.Kind(); kind {
		case '{':
			all = append(all, Node{Message: r.message(&c, prefix, i)})
		case '[':
			inner := c.Value()
			if inner.Empty() {
				r.bad(fmt.Sprintf("%s%d", prefix, i), "want a message or a list of messages, have an empty list")
				continue
			}
			all = r.nodes(all, inner, fmt.Sprintf("%s%d.", prefix, i), depth+1)
		default:
			r.bad(fmt.Sprintf("%s%d", prefix, i), "want a message or a list of messages, have %s", jsontext.KindName(kind))
		}
	}
	return all
}

// maxBranchDepth bounds how deep branches nest.
const maxBranchDepth = 32

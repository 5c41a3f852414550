package compare

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A node is a value with what is needed to find its partner in another list.
type node struct {
	text    jsontext.JSON
	sum     uint64 // equal values share it
	id      uint64 // hash of the id that an object has, 0 when it has none
	token   uint64
	members []namedNode // of an object, sorted
	list    []*node
}

type namedNode struct {
	key string
	*node
}

var seed = maphash.MakeSeed()

// hashOf returns a hash that is never 0.
func hashOf(kind byte, text string, sum uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteByte(kind)
	h.WriteString(text)
	maphash.WriteComparable(&h, sum)
	return h.Sum64() | 1
}

// nodesOf returns the nodes of the values from one index to another, without what is ignored.
func nodesOf(all []jsontext.JSON, from, to int, except ignore.Paths, level int) []*node {
	nodes := make([]*node, 0, to-from)
	for i := from; i < to; i++ {
		if below, ignored := except.Below("", i); ignored {
			nodes = append(nodes, &node{})
		} else {
			nodes = append(nodes, nodeOf(all[i], below, level))
		}
	}
	return nodes
}

// hashed is how many levels are read to find equal values in another spelling. Below that their bytes are compared.
const hashed = 8

func nodeOf(v jsontext.JSON, except ignore.Paths, level int) *node {
	n := &node{text: v}
	switch kind := v.Kind(); {
	case level == hashed:
		n.sum = hashOf('.', string(v), 0)
	case kind == '{':
		n.object(except, level)
	case kind == '[':
		all := v.List()
		n.sum = hashOf('[', "", 0)
		n.list = nodesOf(all, 0, len(all), except, level+1)
		for _, x := range n.list {
			n.sum = hashOf('[', "", n.sum+x.sum)
		}
	case kind == '"':
		n.sum = hashOf('"', v.Text(), 0)
	case kind == 't', kind == 'f', kind == 'n':
		n.sum = hashOf(kind, "", 0)
	default:
		n.sum = hashOf('1', Number(string(v)), 0)
	}
	return n
}

// object reads the members of an object. Their order does not count.
func (n *node) object(except ignore.Paths, level int) {
	n.sum = hashOf('{', "", 0)
	for _, m := range n.text.Unique() {
		below, ignored := except.Below(m.Key, -1)
		if ignored {
			continue
		}
		inner := nodeOf(m.Value, below, level+1)
		n.members = append(n.members, namedNode{m.Key, inner})
		n.sum += hashOf('{', m.Key, inner.sum)
		if (m.Key == "id" || m.Key == "tool_call_id") && inner.members == nil && inner.list == nil {
			n.id = hashOf('i', "", inner.sum)
		}
	}
	slices.SortFunc(n.members, func(x, y namedNode) int { return cmp.Compare(x.key, y.key) })
}

// leastMoved is the length of the shortest string that counts as moved. Shorter ones occur in many places.
const leastMoved = 12

// moves reports whether a value at another index is known to be the same one.
func (n *node) moves() bool {
	return len(n.members) > 0 || len(n.list) > 0 || n.text.Kind() == '"' && len(n.text) >= leastMoved
}

// alike is the likeness of equal values.
const alike = 64

// deepest is how many levels likeness looks into.
const deepest = 4

// likeness returns how much two values are alike, from 0 to alike.
func likeness(x, y *node, level int) int {
	switch kind := kindOf(x.text); {
	case x.sum == y.sum:
		return alike
	case kind != kindOf(y.text):
		return 0
	case x.members != nil || y.members != nil:
		return membersAlike(x.members, y.members, level)
	case x.list != nil || y.list != nil:
		return listsAlike(x.list, y.list, level)
	case x.text.Kind() == '"':
		return textsAlike(string(x.text), string(y.text))
	case level == 0: // the place of a number says more than that it is one
		return 0
	}
	return alike / 8
}

func membersAlike(x, y []namedNode, level int) int {
	if level == deepest {
		return alike / 4
	}
	sum, all, i, j := 0, 0, 0, 0
	for i < len(x) || j < len(y) {
		all++
		switch {
		case j == len(y) || i < len(x) && x[i].key < y[j].key:
			i++
		case i == len(x) || y[j].key < x[i].key:
			j++
		default:
			sum += likeness(x[i].node, y[j].node, level+1)
			i, j = i+1, j+1
		}
	}
	return sum / all
}

// mostElements is how many elements of each list likeness looks at.
const mostElements = 8

func listsAlike(x, y []*node, level int) int {
	if level == deepest {
		return alike / 4
	}
	all, sum := min(max(len(x), len(y)), mostElements), 0
	for i := range min(len(x), len(y), mostElements) {
		sum += likeness(x[i], y[i], level+1)
	}
	return sum / all
}

// mostText is how many bytes of each end of two texts are compared.
const mostText = 256

// textsAlike compares the ends of two texts.
func textsAlike(a, b string) int {
	same, most := 0, min(len(a), len(b), mostText)
	for same < most && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < min(min(len(a), len(b))-same, mostText) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return alike/8 + alike/2*(same+tail)/min(max(len(a), len(b)), 2*mostText)
}

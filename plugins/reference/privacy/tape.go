package privacy

import "github.com/sluicehq/sluice/plugins/privacy/redact"

// A node is a value of a JSON text, or the key of a member, which precedes the value of the member.
type node struct {
	start, end int   // in the text; of strings and keys, without the quotes
	parent     int32 // index of the object or array around it, -1 for the root
	next       int32 // index of the first node after this one and what it holds
	kind       byte  // of redact.Token
	index      int32 // among the elements of its array
	elements   int32 // of an array so far
	personal   bool  // a key that holds a finding
	renamed    bool  // an object with a key that has an edit
	paired     bool  // an object with a latitude
}

// A tape lists the nodes of a JSON text in the order of the text.
type tape []node

// read returns the tape of a valid JSON text, in the memory of t.
func (t tape) read(doc string) tape {
	t = t[:0]
	parent := int32(-1)
	for kind, start, end, at := redact.Token(doc, 0); kind != 0; kind, start, end, at = redact.Token(doc, at) {
		if kind == '}' || kind == ']' {
			open := &t[parent]
			open.end, open.next, parent = end, int32(len(t)), open.parent
			continue
		}
		n := node{start: start, end: end, parent: parent, next: int32(len(t) + 1), kind: kind}
		if parent >= 0 && t[parent].kind == '[' {
			n.index = t[parent].elements
			t[parent].elements++
		}
		t = append(t, n)
		if kind == '{' || kind == '[' {
			parent = int32(len(t) - 1)
		}
	}
	return t
}

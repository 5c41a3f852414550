package privacy

import "github.com/sluicehq/sluice/plugins/privacy/redact"

// A node is a value of a JSON text, or the key of a member, which precedes the value of the member.
type node struct {
	start, end int   // in the text; of strings and keys, without the quotes
	parent     int32 // index of the object or array around it, -1 for the root
	next       int32 // index of the first node after this one and what it holds
	kind       byte  // one of '{', '[', '"', 'k' for a key, '0' for a number, and the first letter of a literal
	index      int32 // among the elements of its array
	commas     int32 // of an object or array so far
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
	key := false // a string here is a key
	for i := 0; i < len(doc); {
		switch c := doc[i]; c {
		case ' ', '\n', '\t', '\r':
			i++
		case ',':
			i++
			t[parent].commas++
			key = t[parent].kind == '{'
		case ':':
			i++
			key = false
		case '{', '[':
			t = append(t, node{start: i, parent: parent, kind: c, index: t.commas(parent)})
			parent = int32(len(t) - 1)
			key = c == '{'
			i++
		case '}', ']':
			i++
			if parent < 0 {
				return t
			}
			open := &t[parent]
			open.end, open.next = i, int32(len(t))
			parent = open.parent
		case '"':
			end := redact.StringEnd(doc, i+1)
			kind := byte('"')
			if key {
				kind = 'k'
			}
			t = append(t, node{})
			n := &t[len(t)-1] // written in place, for speed
			n.start, n.end, n.parent, n.next, n.kind = i+1, end, parent, int32(len(t)), kind
			n.index = t.commas(parent)
			i = end + 1
			if key && i < len(doc) && doc[i] == ':' {
				i++
				key = false
			}
		default:
			kind, start := c, i
			if c == '-' || isDigit(c) {
				kind = '0'
			}
			for i++; i < len(doc) && !delimiters[doc[i]]; i++ {
			}
			t = append(t, node{start: start, end: i, parent: parent, next: int32(len(t) + 1), kind: kind, index: t.commas(parent)})
		}
	}
	return t
}

// commas returns the number of commas in an object or array so far.
func (t tape) commas(parent int32) int32 {
	if parent < 0 {
		return 0
	}
	return t[parent].commas
}

// delimiters end a number or literal.
var delimiters = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, ',': true, ':': true, '{': true, '[': true, '}': true, ']': true, '"': true}

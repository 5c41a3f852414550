package privacy

import (
	"math/bits"
	"strings"
)

// A node is one value of a JSON text, or the key of a member, which stands right before the member's value.
type node struct {
	start, end int      // in the text; of strings and keys, without the quotes
	parent     int32    // index of the object or array around it, -1 for the root
	next       int32    // index of the first node behind this one and what it holds
	kind       byte     // one of '{', '[', '"', 'k' for a key, '0' for a number, and the first letter of a literal
	class      keyClass // of the key that an array is the value of, or that an array around it is
}

// A tape lists the nodes of a JSON text in the order of the text.
type tape []node

// read lays the nodes of a valid JSON text on the tape, in place of what was there.
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
			key = parent >= 0 && t[parent].kind == '{'
		case ':':
			i++
			key = false
		case '{', '[':
			t = append(t, node{start: i, parent: parent, kind: c})
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
			end := stringEnd(doc, i+1)
			kind := byte('"')
			if key {
				kind = 'k'
			}
			t = append(t, node{})
			n := &t[len(t)-1] // written in place, as this is where the time goes
			n.start, n.end, n.parent, n.next, n.kind = i+1, end, parent, int32(len(t)), kind
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
			t = append(t, node{start: start, end: i, parent: parent, next: int32(len(t) + 1), kind: kind})
		}
	}
	return t
}

// stringEnd gives the offset of the quote that closes a string whose text begins at i.
func stringEnd(doc string, i int) int {
	const ones, quotes = 0x0101010101010101, '"' * 0x0101010101010101
	at := i
	for at+8 <= len(doc) && at < i+24 { // short strings are many
		v := load64(doc[at:]) ^ quotes
		found := (v - ones) &^ v & (ones << 7)
		if found == 0 {
			at += 8
			continue
		}
		at += bits.TrailingZeros64(found) / 8
		if doc[at-1] != '\\' {
			return at
		}
		break
	}
	for {
		n := strings.IndexByte(doc[at:], '"')
		if n < 0 {
			return len(doc)
		}
		at += n
		slashes := 0
		for at-slashes > i && doc[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at++
	}
}

// delimiters end a number or literal.
var delimiters = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, ',': true, ':': true, '{': true, '[': true, '}': true, ']': true, '"': true}

func isDigit(c byte) bool { return c-'0' < 10 }

// index tells the place of node n among the elements of its array.
func (t tape) index(n int32) int {
	count := 0
	for i := t[n].parent + 1; i < n; i = t[i].next {
		count++
	}
	return count
}

package redact

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// leastCopied is the size of the shortest secret whose copies count. A shorter one may be a word.
const leastCopied = 12

// copies finds all secrets in a text in one pass: an automaton of Aho and Corasick.
type copies struct {
	nodes  []copyNode // the first is the root
	first  [256]int32 // its children, which are many
	labels []*recognise.Label
}

// A copyNode is the beginning of a secret, or of several.
type copyNode struct {
	child, sibling int32 // 0 for none
	fail           int32 // the node of its longest suffix that begins a secret
	size           int32 // of the longest secret that is a suffix of it, or 0
	label          int32 // of that secret
	depth          int32
	c              byte
}

// newCopies returns the automaton of the secrets among findings, or nil when there are none.
func newCopies(findings []Finding) *copies {
	var c *copies
	labels := map[string]int32{}
	for i := range findings {
		f := &findings[i]
		if !isCopied(f) {
			continue
		}
		_, password, _ := strings.Cut(f.Value, ":")
		for _, value := range []string{f.Value, password} {
			if len(value) < leastCopied || value == password && f.Entity != rules.URLCredentials {
				continue
			}
			if c == nil {
				c = &copies{nodes: make([]copyNode, 1, 2*len(value))}
			}
			if _, ok := labels[f.Entity]; !ok {
				labels[f.Entity] = int32(len(c.labels))
				c.labels = append(c.labels, &recognise.Label{Rule: "copy", Entity: f.Entity})
			}
			c.add(value, labels[f.Entity])
		}
	}
	if c != nil {
		c.link()
	}
	return c
}

// isCopied reports whether copies of a finding are to go too.
func isCopied(f *Finding) bool {
	return len(f.Value) >= leastCopied && rules.Category(f.Entity) == "secret"
}

func (c *copies) add(value string, label int32) {
	at := int32(0)
	for i := range len(value) {
		next := c.step(at, value[i])
		if next == 0 {
			next = int32(len(c.nodes))
			c.nodes = append(c.nodes, copyNode{c: value[i], depth: int32(i + 1), sibling: c.nodes[at].child})
			c.nodes[at].child = next
			if at == 0 {
				c.first[value[i]] = next
			}
		}
		at = next
	}
	c.nodes[at].size, c.nodes[at].label = int32(len(value)), label
}

// step returns the child of a node for a byte, or 0.
func (c *copies) step(at int32, b byte) int32 {
	if at == 0 {
		return c.first[b]
	}
	for n := c.nodes[at].child; n != 0; n = c.nodes[n].sibling {
		if c.nodes[n].c == b {
			return n
		}
	}
	return 0
}

// link sets the fail of each node, the shorter ones first.
func (c *copies) link() {
	queue := make([]int32, 0, len(c.nodes))
	for n := c.nodes[0].child; n != 0; n = c.nodes[n].sibling {
		queue = append(queue, n)
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for n := c.nodes[at].child; n != 0; n = c.nodes[n].sibling {
			fail := c.nodes[at].fail
			for fail != 0 && c.step(fail, c.nodes[n].c) == 0 {
				fail = c.nodes[fail].fail
			}
			fail = c.step(fail, c.nodes[n].c)
			c.nodes[n].fail = fail
			if c.nodes[n].size == 0 {
				c.nodes[n].size, c.nodes[n].label = c.nodes[fail].size, c.nodes[fail].label
			}
			queue = append(queue, n)
		}
	}
}

// find returns the copies in a text. Those that overlap are one.
func (c *copies) find(text string) (found []recognise.Match) {
	at := int32(0)
	for i := 0; i < len(text); i++ {
		next := c.step(at, text[i])
		for next == 0 && at != 0 {
			at = c.nodes[at].fail
			next = c.step(at, text[i])
		}
		if at = next; at == 0 || c.nodes[at].size == 0 {
			continue
		}
		node := &c.nodes[at]
		m := recognise.Match{Start: i + 1 - int(node.size), End: i + 1, Label: c.labels[node.label]}
		for len(found) > 0 && found[len(found)-1].End > m.Start {
			m.Start = min(m.Start, found[len(found)-1].Start)
			found = found[:len(found)-1]
		}
		found = append(found, m)
	}
	return found
}

// join adds the copies in a text to the findings there, which are in order. Findings that overlap become one.
func (c *copies) join(found []recognise.Match, text string) []recognise.Match {
	copied := c.find(text)
	if len(copied) == 0 {
		return found
	}
	all := append(slices.Clone(found), copied...)
	slices.SortStableFunc(all, func(a, b recognise.Match) int { return a.Start - b.Start })
	joined := all[:1]
	for _, m := range all[1:] {
		last := &joined[len(joined)-1]
		if m.Start >= last.End {
			joined = append(joined, m)
			continue
		}
		last.End = max(last.End, m.End)
	}
	return joined
}

// count returns the number of copies in the strings, keys and numbers of a JSON text, and of JSON in its strings.
func (c *copies) count(doc string) (n int) {
	for kind, start, end, next := Token(doc, 0); kind != 0; kind, start, end, next = Token(doc, next) {
		switch {
		case end-start < leastCopied:
		case kind == NumberKind:
			n += len(c.find(doc[start:end]))
		case kind == KeyKind || kind == StringKind:
			text := Decode(doc[start:end], start).Decoded
			if kind == StringKind && IsEmbedded(text) {
				n += c.count(text)
				continue
			}
			n += len(c.find(text))
		}
	}
	return n
}

// again reports whether a record may hold copies of the secrets that were found in it.
func again(doc string, findings []Finding) bool {
	var secrets []string
	for i := range findings {
		if f := &findings[i]; isCopied(f) {
			secrets = append(secrets, f.Value)
		}
	}
	if len(secrets) == 0 {
		return false
	}
	probes := map[string]bool{}
	for _, secret := range secrets {
		probe := longestWord(secret)
		if probes[probe] = true; len(probe) < leastProbe || len(probes) > mostProbes {
			return newCopies(findings).count(doc) != len(secrets)
		}
	}
	if escapesLetters(doc) {
		return true
	}
	for probe := range probes {
		known := 0
		for _, secret := range secrets {
			known += strings.Count(secret, probe)
		}
		if strings.Count(doc, probe) != known {
			return true
		}
	}
	return false
}

const (
	leastProbe = 6 // letters and digits
	mostProbes = 8 // each is looked for by itself
)

// longestWord returns the first run of 32 letters and digits in a secret, or the longest shorter one. JSON writes it as it is.
func longestWord(secret string) (longest string) {
	for i := 0; i < len(secret) && len(longest) < 32; i++ {
		start := i
		for i < len(secret) && i-start < 32 && (isDigit(secret[i]) || (secret[i]|0x20)-'a' < 26) {
			i++
		}
		if i-start > len(longest) {
			longest = secret[start:i]
		}
	}
	return longest
}

// escapesLetters reports whether a JSON text may hold escapes of letters or digits, which no program needs to write.
func escapesLetters(doc string) bool {
	for {
		_, rest, ok := strings.Cut(doc, `\u00`)
		if !ok {
			return false
		}
		if len(rest) > 1 && rest[0] >= '3' && rest[0] <= '7' && !(rest[0] == '3' && rest[1] > '9') {
			return true
		}
		doc = rest
	}
}

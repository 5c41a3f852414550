package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// leastCopied is the size of the shortest secret whose copies count, and leastLoose that of the shortest one whose copies count
// within words too.
const leastCopied, leastLoose = 6, 12

// copies finds all secrets in a text in one pass, with an automaton of Aho and Corasick, and numbers in any spelling.
type copies struct {
	nodes   []copyNode // the first is the root
	first   [256]int32 // its children, which are many
	second  []int32    // their children by both bytes, when there are many secrets; else nil
	labels  map[string]*recognise.Label
	numbers *recognise.Numbers // nil for none
	escaped bool               // a secret may be written with escapes
	quoted  bool               // and read without marks that a text may have without an escape
}

// A copyNode is the beginning of a secret, or of several.
type copyNode struct {
	child, sibling int32 // 0 for none
	fail           int32 // the node of its longest suffix that begins a secret
	shorter        int32 // the node of its longest suffix that is a secret
	size           int32 // of the secret that it is, or 0
	depth          int32
	label          *recognise.Label
	c              byte
}

// newCopies returns what finds the copies of findings, those of numbers only when asked, or nil when none count.
func newCopies(findings []Finding, e *recognise.Engine, numbers bool) *copies {
	c := &copies{labels: map[string]*recognise.Label{}}
	known := map[string]bool{}
	for i := range findings {
		f := &findings[i]
		if known[f.Value] {
			continue
		}
		known[f.Value] = true
		for _, secret := range secretsOf(f) {
			c.addSecret(secret, c.label(f.Entity))
		}
		if !numbers {
			continue
		}
		for _, spelling := range e.Spellings(f.Entity, f.Value) {
			if c.numbers == nil {
				c.numbers = &recognise.Numbers{}
			}
			c.numbers.Add(spelling, c.label(f.Entity))
		}
	}
	if len(c.labels) == 0 {
		return nil
	}
	c.link()
	return c
}

// label returns the label of the copies of an entity.
func (c *copies) label(entity string) *recognise.Label {
	if c.labels[entity] == nil {
		c.labels[entity] = &recognise.Label{Rule: "copy", Entity: entity}
	}
	return c.labels[entity]
}

// secretsOf returns the secrets of a finding whose copies are to go: its value, and the password beside a user.
func secretsOf(f *Finding) (all []string) {
	if rules.Category(f.Entity) != "secret" {
		return nil
	}
	if isCopied(f.Value) {
		all = append(all, f.Value)
	}
	if _, password, ok := strings.Cut(userAndPassword(f), ":"); ok && isCopied(password) {
		all = append(all, password)
		// With %40 in it, password and host read as an address, and are one finding with it.
		if host := strings.LastIndexByte(password, '@'); host > 0 && strings.Contains(password[:host], "%40") && isCopied(password[:host]) {
			all = append(all, password[:host])
		}
	}
	return all
}

// userAndPassword returns the decoded user:password of a URL or a header, or "".
func userAndPassword(f *Finding) string {
	switch f.Entity {
	case rules.URLCredentials:
		return f.Value
	case rules.AuthHeader:
		if len(f.Value) < longestSpelled {
			plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(f.Value, "="))
			if err == nil && !strings.ContainsFunc(string(plain), func(r rune) bool { return r < ' ' || r == utf8.RuneError }) {
				return string(plain)
			}
		}
	}
	return ""
}

// isCopied reports whether the copies of a secret are to go too. A short one without a digit or sign may be a word of the text
// around it, which a mask would harm more than the copy.
func isCopied(secret string) bool {
	return len(secret) >= leastLoose || len(secret) >= leastCopied &&
		strings.ContainsFunc(secret, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(" _-./:\\", r) })
}

// longestSpelled is the size of the longest secret that is looked for in other spellings.
const longestSpelled = 256

// addSecret adds a secret as it is written, and as it reads without escapes.
func (c *copies) addSecret(secret string, label *recognise.Label) {
	c.add(secret, label)
	if len(secret) > longestSpelled || !strings.ContainsFunc(secret, func(r rune) bool { return r >= utf8.RuneSelf || !ascii.IsAlnum(byte(r)) }) {
		return // all syntaxes write it so
	}
	plain := read(secret).text
	if !isCopied(plain) {
		return
	}
	c.escaped, c.quoted = true, c.quoted || strings.ContainsAny(secret, escapeSigns)
	c.add(plain, label)
	if form := strings.ReplaceAll(plain, " ", "+"); form != plain {
		c.add(form, label)
	}
}

func (c *copies) add(value string, label *recognise.Label) {
	if c.nodes == nil {
		c.nodes = make([]copyNode, 1, 2*len(value))
	}
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
	if node := &c.nodes[at]; node.depth == 1 && c.second != nil {
		return c.second[int(node.c)<<8|int(b)]
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
	if c.nodes == nil {
		return
	}
	if len(c.nodes) > manyNodes {
		second := make([]int32, 1<<16)
		for _, node := range c.nodes {
			for k := node.child; node.depth == 1 && k != 0; k = c.nodes[k].sibling {
				second[int(node.c)<<8|int(c.nodes[k].c)] = k
			}
		}
		c.second = second
	}
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
			c.nodes[n].fail, c.nodes[n].shorter = fail, fail
			if c.nodes[fail].size == 0 {
				c.nodes[n].shorter = c.nodes[fail].shorter
			}
			queue = append(queue, n)
		}
	}
}

// manyNodes are as many as need a table of the first two bytes of all secrets.
const manyNodes = 1 << 12

// find returns the copies in a text. Those that overlap are one.
func (c *copies) find(text string) []recognise.Match {
	var found []recognise.Match
	if c.nodes != nil {
		found = c.secrets(text, &reading{text: text})
		if c.escaped && (strings.ContainsAny(text, `\%&`) || c.quoted && strings.ContainsAny(text, `'"`)) {
			if r := read(text); len(r.rounds) > 0 {
				found = joined(found, c.secrets(text, &r))
			}
		}
	}
	if c.numbers != nil {
		found = joined(found, c.numbers.Find(text))
	}
	return found
}

// secrets returns the copies of secrets in a text, by what is in a reading of it.
func (c *copies) secrets(text string, r *reading) (found []recognise.Match) {
	at := int32(0)
	for i := 0; i < len(r.text); i++ {
		next := c.step(at, r.text[i])
		for next == 0 && at != 0 {
			at = c.nodes[at].fail
			next = c.step(at, r.text[i])
		}
		at = next
		n := at
		for n != 0 && !c.nodes[n].isAt(text, r, i+1) { // of one end few are short
			n = c.nodes[n].shorter
		}
		if n == 0 {
			continue
		}
		m := recognise.Match{Start: r.start(i + 1 - int(c.nodes[n].size)), End: r.end(i + 1), Label: c.nodes[n].label}
		for len(found) > 0 && found[len(found)-1].End > m.Start {
			m.Start = min(m.Start, found[len(found)-1].Start)
			found = found[:len(found)-1]
		}
		found = append(found, m)
	}
	return found
}

// isAt reports whether a node is a secret that ends at end of a reading, a short one as a whole word of it or of the text.
func (n *copyNode) isAt(text string, r *reading, end int) bool {
	if n.size == 0 || n.size >= leastLoose {
		return n.size > 0
	}
	start := end - int(n.size)
	return (isBorder(r.text, start) || isBorder(text, r.start(start))) && (isBorder(r.text, end) || isBorder(text, r.end(end)))
}

// isBorder reports whether no word goes on at at. The letter or digits of an escape are no word.
func isBorder(text string, at int) bool {
	after, _ := utf8.DecodeRuneInString(text[at:])
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if !isWord(before) || !isWord(after) {
		return true
	}
	codes := strings.TrimRight(text[max(0, at-9):at-1], "0123456789;")
	return at > 1 && text[at-2] == '\\' && strings.ContainsRune("nrt", before) || // \n
		at > 2 && text[at-3] == '%' && ascii.IsDigit(text[at-2]) || // %20
		before == 'm' && strings.HasSuffix(codes, "[") // of a colour
}

func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// join adds the copies in a text to the findings there, which are in order.
func (c *copies) join(found []recognise.Match, text string) []recognise.Match {
	return joined(found, c.find(text))
}

// joined returns the findings of two lists in order. Findings that overlap become one.
func joined(found, more []recognise.Match) []recognise.Match {
	if len(more) == 0 {
		return found
	}
	all := append(slices.Clone(found), more...)
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
			if kind == StringKind && isEmbedded(text) {
				n += c.count(text)
				continue
			}
			n += len(c.find(text))
		}
	}
	return n
}

// again returns what finds the copies of findings if the record may hold some outside of its edits, or nil.
func (f *Filter) again(doc string, findings []Finding, edits []Edit) *copies {
	var values, secrets []string // what was found, and what of it is looked for
	numbered, ends := false, recognise.Ends{}
	for i := range findings {
		if found := secretsOf(&findings[i]); len(found) > 0 {
			values, secrets = append(values, findings[i].Value), append(secrets, found...)
		}
		if recognise.IsNumbered(findings[i].Entity) {
			numbered = true
			ends.Add(findings[i].Entity, findings[i].Value)
		}
	}
	repeated, certain := repeats(f.asRead(doc), values, secrets)
	if !repeated { // nearly always, so the spellings of numbers wait until one may be elsewhere
		numbers := numbered && f.anyBetween(doc, edits, ends.In)
		if certain && !numbers {
			return nil
		}
		c := newCopies(findings, f.Engine, numbers)
		if c == nil || (certain || c.count(string(Apply(doc, edits))) == 0) && !f.hasNumbers(c, doc, edits) {
			return nil
		}
		if numbers || !numbered {
			return c
		}
	}
	return newCopies(findings, f.Engine, true)
}

// hasNumbers reports whether one of the numbers is outside of the edits of a JSON text.
func (f *Filter) hasNumbers(c *copies, doc string, edits []Edit) bool {
	return c.numbers != nil && f.anyBetween(doc, edits, func(text string) bool { return len(c.numbers.Find(text)) > 0 })
}

// anyBetween reports whether a text before, between or behind the edits of a JSON text has something, as it reads.
func (f *Filter) anyBetween(doc string, edits []Edit, has func(text string) bool) bool {
	for i := range len(edits) + 1 {
		if from, to := around(doc, edits, i); has(f.asRead(doc[from:to])) {
			return true
		}
	}
	return false
}

// asRead returns the record, or a part of it, with the escapes of JSON in its strings undone that JSON does not require.
func (f *Filter) asRead(part string) string {
	if f.maps[0].Escapes() == 0 {
		return part
	}
	return f.readPart(part)
}

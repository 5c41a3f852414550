package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// block is an HCL block of the right form: only labels, attributes and blocks that its kind takes.
type block struct {
	hclFile *hclFile // the file that has it
	kind    string   // as meant, where it was misspelt
	labels  []string // as many as the kind has, "" where absent
	attrs   map[string]attribute
	order   []string // names of attrs, in file order
	blocks  []*block // in file order
	header  hcl.Range
	at      Range // header
	context string
	partial bool // a block inside it was not understood
}

// attribute is NAME = VALUE.
type attribute struct {
	name  hcl.Range
	value hclsyntax.Expression
}

// labelled reports whether the block has all labels of its kind.
func (b *block) labelled() bool { return !slices.Contains(b.labels, "") }

func (b *block) name() string { return b.labels[len(b.labels)-1] }

// all returns the blocks of the given kinds, in file order.
func (b *block) all(kinds ...string) []*block {
	var found []*block
	for _, c := range b.blocks {
		if slices.Contains(kinds, c.kind) {
			found = append(found, c)
		}
	}
	return found
}

// one returns the block of a kind that may be there once, or nil.
func (b *block) one(kind string) *block {
	if found := b.all(kind); len(found) > 0 {
		return found[0]
	}
	return nil
}

// top checks the whole file against the grammar and returns its top level, of a kind, nil when it is empty.
func (l *loader) top(kind, least string) *block {
	top := &block{hclFile: l.hclFile, kind: kind}
	l.what = top.title()
	body := l.parse()
	if body == nil {
		return nil
	}
	if len(body.Blocks) == 0 && len(body.Attributes) == 0 && !l.broken {
		l.reportFile(l.what+" is empty", least)
		return nil
	}
	l.body(top, body)
	return top
}

// body fills b with what its kind takes and reports the rest. An absent body comes from a syntax error.
func (l *loader) body(b *block, body *hclsyntax.Body) {
	b.attrs = map[string]attribute{}
	if body == nil {
		return
	}
	attributes := slices.SortedFunc(maps.Values(body.Attributes), func(x, y *hclsyntax.Attribute) int {
		return cmp.Compare(x.SrcRange.Start.Byte, y.SrcRange.Start.Byte)
	})
	for _, a := range attributes {
		l.attribute(b, a, body.Attributes)
	}
	for _, child := range body.Blocks {
		l.child(b, child, body.Blocks)
	}
	if b.partial || l.broken {
		return
	}
	for _, n := range grammar[b.kind].needs {
		if _, ok := b.attrs[n.word]; !ok && len(b.all(n.word, n.or)) == 0 {
			l.report(b.header, b.context, b.title()+" has no "+n.word, n.why, "")
		}
	}
}

func (l *loader) attribute(b *block, a *hclsyntax.Attribute, siblings hclsyntax.Attributes) {
	s := grammar[b.kind]
	name := a.Name
	if !s.open && !slices.Contains(s.attributes, name) {
		if l.moved(a.NameRange) && takenSomewhere(name) {
			return
		}
		detail := AsBlock(b.kind, name)
		if name = ""; detail == "" {
			name, detail = nearest.Word(a.Name, s.attributes), "want "+OneOf(s.attributes)
			if len(s.attributes) == 0 {
				detail = b.title() + " takes blocks only"
			}
		} else {
			b.partial, l.incomplete = true, true
		}
		l.report(a.NameRange, b.context, fmt.Sprintf("unknown attribute %q in %s", a.Name, b.title()), detail, name)
		if _, taken := siblings[name]; taken || name == "" {
			return
		}
	}
	if _, taken := b.attrs[name]; taken || l.inSyntaxError(a) {
		return
	}
	b.attrs[name] = attribute{name: a.NameRange, value: a.Expr}
	b.order = append(b.order, name)
}

func (l *loader) inSyntaxError(a *hclsyntax.Attribute) bool {
	return a.Expr == nil || slices.ContainsFunc(l.syntax, func(at hcl.Range) bool {
		return a.SrcRange.Start.Byte <= at.Start.Byte && at.Start.Byte <= a.SrcRange.End.Byte
	})
}

// moved reports whether what is written at a range may have been meant for another block, because of an error of the syntax.
func (l *loader) moved(at hcl.Range) bool {
	return l.unclosed || slices.ContainsFunc(l.spoilt, func(r hcl.Range) bool {
		return r.Start.Byte <= at.Start.Byte && at.Start.Byte < r.End.Byte
	})
}

// takenSomewhere reports whether some kind of block takes an attribute of the host.
func takenSomewhere(name string) bool {
	for _, s := range grammar {
		if slices.Contains(s.attributes, name) {
			return true
		}
	}
	return false
}

// child reads a block inside b. One that is misspelt is read as what was meant, so that its own mistakes show too, unless that is there once
// and written as well.
func (l *loader) child(b *block, h *hclsyntax.Block, siblings hclsyntax.Blocks) {
	s := grammar[b.kind]
	kind, misspelt := s.kindOf(h), false
	if _, known := grammar[kind]; !known {
		wrote := kind
		kind, misspelt = nearest.Word(wrote, s.blocks), true
		l.report(h.TypeRange, b.context, fmt.Sprintf("unknown block %q in %s", wrote, b.title()), b.takes(wrote), kind)
		if slices.Contains(s.once, kind) && slices.ContainsFunc(siblings, func(h *hclsyntax.Block) bool { return s.kindOf(h) == kind }) {
			return
		}
	} else if !slices.Contains(s.blocks, kind) {
		if !l.moved(h.TypeRange) {
			place := places(kind)
			if b.kind == StepsFileKind {
				place = "belongs in the pipeline"
			}
			l.report(h.TypeRange, b.context, fmt.Sprintf("%s does not belong in %s", kind, b.title()), kind+" "+place+"; "+b.takes(kind), "")
		}
		l.block(b, h, kind)
		b.partial, l.incomplete = true, true
		return
	}
	if kind == "" {
		b.partial, l.incomplete = true, true
		return
	}
	c := l.block(b, h, kind)
	if before := b.one(kind); before != nil && slices.Contains(s.once, kind) {
		if !misspelt && !l.moved(c.header) {
			l.report(c.header, c.context, fmt.Sprintf("second %s in %s", kind, b.title()),
				fmt.Sprintf("want one; the first is at line %d", before.at.Line), "")
		}
		return
	}
	if kind == "include" {
		b.blocks = append(b.blocks, l.include(b, c)...)
		return
	}
	b.blocks = append(b.blocks, c)
}

// block reads the header of a block and then its body.
func (l *loader) block(parent *block, h *hclsyntax.Block, kind string) *block {
	s := grammar[kind]
	header := h.TypeRange
	if n := len(h.LabelRanges); n > 0 {
		header = hcl.RangeBetween(header, h.LabelRanges[n-1])
	}
	c := &block{hclFile: l.hclFile, kind: kind, labels: make([]string, len(s.labels)), header: header, at: l.file.rangeOf(header)}
	labels := h.Labels[min(strings.Count(kind, " "), len(h.Labels)):]
	copy(c.labels, labels)

	words := []string{kind}
	for _, label := range labels[:min(len(labels), len(s.labels))] {
		words = append(words, fmt.Sprintf("%q", label))
	}
	c.context = strings.Join(words, " ")
	if (len(s.labels) == 0 || s.inner) && parent.context != "" {
		c.context += " of " + parent.context
	}
	l.labels(c, h, labels)
	l.unique(parent, c)
	l.body(c, h.Body)
	return c
}

// labels checks that there are as many as the kind takes, and that names are names.
func (l *loader) labels(c *block, h *hclsyntax.Block, labels []string) {
	header := h.TypeRange
	for _, at := range h.LabelRanges {
		header = hcl.RangeOver(header, at)
	}
	if slices.ContainsFunc(l.syntax, func(at hcl.Range) bool { return header.Overlaps(at) || header.ContainsPos(at.Start) }) {
		for i, label := range c.labels { // a quote is missing, which was reported: the part before other characters was meant
			c.labels[i] = illNamed.Split(label, 2)[0]
		}
		return
	}
	want, ranges := grammar[c.kind].labels, h.LabelRanges[len(h.Labels)-len(labels):]
	if len(labels) != len(want) {
		at := c.header
		if len(labels) > len(want) {
			at = ranges[len(want)]
		}
		l.report(at, c.context, fmt.Sprintf("want %s after %s, have %d", count(len(want), "label"), c.kind, len(labels)), "write "+usage(c.kind), "")
	}
	if grammar[c.kind].free {
		return
	}
	for i, label := range labels[:min(len(labels), len(want))] {
		switch {
		case !wellNamed.MatchString(label):
			l.report(ranges[i], c.context, fmt.Sprintf("bad %s %q", strings.ToLower(want[i]), label),
				"want letters, digits, _ and - only", strings.Trim(illNamed.ReplaceAllString(label, "_"), "_"))
		case c.kind == "variable" && !hclsyntax.ValidIdentifier(label):
			l.report(ranges[i], c.context, fmt.Sprintf("bad name %q", label),
				"want a letter first, so that var."+label+" can be written", "")
		}
	}
}

var (
	wellNamed = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	illNamed  = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
)

// unique reports the second block of a kind with the same name, in the file or in the block around it.
func (l *loader) unique(parent, c *block) {
	if s := grammar[c.kind]; len(c.labels) == 0 || s.repeats || c.name() == "" && !s.free {
		return
	}
	key := c.kind + " " + c.name()
	where := "the file"
	switch {
	case grammar[c.kind].inner:
		key = fmt.Sprintf("%s:%d %s", parent.header.Filename, parent.header.Start.Byte, key)
		where = parent.title()
	case c.kind == "variable":
		key = l.file.path + " " + key
	}
	if before, taken := l.first[key]; taken {
		if grammar[c.kind].inner && l.moved(c.header) {
			return
		}
		at := fmt.Sprintf("line %d", before.Start.Line)
		if before.Filename != l.file.path {
			where, at = "the pipeline", fmt.Sprintf("%s:%d", before.Filename, before.Start.Line)
		}
		l.report(c.header, c.context, fmt.Sprintf("second %s %q in %s", c.kind, c.name(), where),
			fmt.Sprintf("want another %s; the first is at %s", strings.ToLower(grammar[c.kind].labels[len(c.labels)-1]), at), "")
		return
	}
	l.first[key] = c.header
}

// title names the block in a message.
func (b *block) title() string {
	switch b.kind {
	case PipelineFileKind:
		return "the pipeline"
	case TestFileKind:
		return "the test file"
	case StepsFileKind:
		return "the file of steps"
	}
	return b.context
}

// takes returns advice about the blocks that belong in b, for someone who wrote a block of another type.
func (b *block) takes(wrote string) string {
	s := grammar[b.kind]
	advice := "want " + OneOf(s.blocks)
	if len(s.blocks) == 0 {
		advice = b.title() + " takes attributes only"
	}
	if _, known := grammar[wrote]; s.open && !known {
		advice += fmt.Sprintf("; an object is written %s = { ... }", wrote)
	}
	return advice
}

// OneOf lists words to choose from.
func OneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}

// usage shows how the header of a block is written.
func usage(kind string) string {
	words := []string{kind}
	for _, label := range grammar[kind].labels {
		words = append(words, fmt.Sprintf("%q", label))
	}
	return strings.Join(words, " ") + " { ... }"
}

func count(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return plural.Of(n, noun)
}

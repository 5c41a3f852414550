package config

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// An Outline holds the blocks and attributes of a file, right or wrong, with their places.
type Outline struct {
	Blocks []*Item // at the top level
	src    []byte
	starts []int // of the parts that are read by themselves, as an open bracket or quote spoils the rest of its part only
}

// An Item is a block. Its end is that of the file or part when it is not closed.
type Item struct {
	Kind       Word // without text at the top level
	Labels     []Word
	Attributes []Assignment
	Blocks     []*Item
	End        int // offset behind the block
}

// A Word is a stretch of the file with its offsets in bytes. That of a label has no quotes.
type Word struct {
	Text       string
	Start, End int
}

// An Assignment is an attribute. The value is as it is written.
type Assignment struct{ Name, Value Word }

// Label returns the text of a label, "" when there are not so many.
func (b *Item) Label(n int) string {
	if n < 0 || n >= len(b.Labels) {
		return ""
	}
	return b.Labels[n].Text
}

// Name returns the text of the last label that a block of the kind has.
func (b *Item) Name() string { return b.Label(len(grammar[b.Kind.Text].labels) - 1) }

// Value returns the text of an attribute's value, "" without one.
func (b *Item) Value(name string) string {
	for _, a := range b.Attributes {
		if a.Name.Text == name {
			return a.Value.Text
		}
	}
	return ""
}

// ReadOutline reads what it can of a file.
func ReadOutline(src []byte) *Outline {
	o := &Outline{src: src, starts: []int{0}}
	if _, diags := parseFrom(src, "", hcl.InitialPos); diags.HasErrors() {
		for _, at := range topLevel.FindAllIndex(src, -1) {
			if at[0] > 0 {
				o.starts = append(o.starts, at[0])
			}
		}
	}
	top := &Item{}
	for i, start := range o.starts {
		end := len(src)
		if i+1 < len(o.starts) {
			end = o.starts[i+1]
		}
		s := o.scan(start, end)
		top.Blocks = append(top.Blocks, s.around[0].Blocks...)
	}
	o.Blocks = top.Blocks
	return o
}

// All returns the blocks of a kind, also those inside others, in the order of the file.
func (o *Outline) All(kind string) []*Item {
	return o.find(func(b *Item) bool { return b.Kind.Text == kind })
}

// Find returns the block that begins at an offset, or nil.
func (o *Outline) Find(start int) *Item {
	for _, b := range o.find(func(b *Item) bool { return b.Kind.Start == start }) {
		return b
	}
	return nil
}

func (o *Outline) find(is func(*Item) bool) (all []*Item) {
	for stack := o.Blocks; len(stack) > 0; {
		b := stack[0]
		if is(b) {
			all = append(all, b)
		}
		stack = slices.Concat(b.Blocks, stack[1:])
	}
	return all
}

// A scanner reads the tokens of a stretch of the file.
type scanner struct {
	around    []*Item // the blocks that are open, the top level first
	statement []hclsyntax.Token
	depth     int // of brackets in the statement
	base      int // offset of the stretch
	src       []byte
}

// scan reads a stretch that begins at the top level. What is open at its end stays in the scanner.
func (o *Outline) scan(from, to int) *scanner {
	s := &scanner{around: []*Item{{}}, base: from, src: o.src}
	part := o.src[from:to]
	if _, deep := tooDeep(part, ""); deep || to-from > maxSize {
		return s
	}
	tokens, _ := hclsyntax.LexConfig(part, "", hcl.InitialPos)
	for _, t := range tokens {
		s.token(t)
	}
	for _, b := range s.around {
		b.End = to
	}
	return s
}

// token goes on by one token: a statement ends with its line, unless a bracket is open.
func (s *scanner) token(t hclsyntax.Token) {
	switch t.Type {
	case hclsyntax.TokenEOF:
		return
	case hclsyntax.TokenComment, hclsyntax.TokenNewline:
		switch {
		case !bytes.HasSuffix(t.Bytes, []byte("\n")): // a comment inside a line
		case s.depth == 0:
			s.finish()
		default:
			t.Type = hclsyntax.TokenNewline
			s.statement = append(s.statement, t)
		}
		return
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		if s.depth == 0 && t.Type == hclsyntax.TokenOBrace && !s.assigns() {
			s.open(t)
			return
		}
		s.depth++
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
		if s.depth == 0 {
			s.close(t)
			return
		}
		s.depth--
	}
	s.statement = append(s.statement, t)
}

func (s *scanner) block() *Item { return s.around[len(s.around)-1] }

// assigns reports whether the statement is an attribute's.
func (s *scanner) assigns() bool {
	return len(s.statement) > 1 && s.statement[1].Type == hclsyntax.TokenEqual
}

// finish ends a statement, which is an attribute's or none that is known.
func (s *scanner) finish() {
	if s.assigns() {
		b, end := s.block(), s.statement[len(s.statement)-1].Range.End.Byte
		value := Word{Start: s.base + s.statement[1].Range.End.Byte, End: s.base + end}
		if len(s.statement) > 2 {
			value.Start = s.base + s.statement[2].Range.Start.Byte
			value.Text = string(s.src[value.Start:value.End])
		}
		b.Attributes = append(b.Attributes, Assignment{s.word(s.statement[0]), value})
	}
	s.statement, s.depth = nil, 0
}

// open begins a block, whose head is the statement.
func (s *scanner) open(t hclsyntax.Token) {
	b := &Item{Kind: Word{Start: s.base + t.Range.Start.Byte, End: s.base + t.Range.Start.Byte}}
	if len(s.statement) > 0 {
		b.Kind = s.word(s.statement[0])
		b.Labels = s.labels()
	}
	parent := s.block()
	parent.Blocks = append(parent.Blocks, b)
	s.around = append(s.around, b)
	s.statement = nil
}

// close ends a block. A bracket that closes nothing is passed over.
func (s *scanner) close(t hclsyntax.Token) {
	s.finish()
	if len(s.around) > 1 && t.Type == hclsyntax.TokenCBrace {
		s.block().End = s.base + t.Range.End.Byte
		s.around = s.around[:len(s.around)-1]
	}
}

// labels returns the labels behind the first word of the statement. The last may be open.
func (s *scanner) labels() (labels []Word) {
	for _, t := range s.statement[1:] {
		switch t.Type {
		case hclsyntax.TokenIdent:
			labels = append(labels, s.word(t))
		case hclsyntax.TokenOQuote:
			end := s.base + t.Range.End.Byte
			labels = append(labels, Word{Start: end, End: end})
		case hclsyntax.TokenQuotedLit:
			if n := len(labels) - 1; n >= 0 {
				labels[n] = s.word(t)
			}
		}
	}
	return labels
}

func (s *scanner) word(t hclsyntax.Token) Word {
	return Word{string(t.Bytes), s.base + t.Range.Start.Byte, s.base + t.Range.End.Byte}
}

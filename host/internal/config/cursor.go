package config

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// What may be written at a Cursor.
const (
	InBody  = "body"  // an attribute or a block of Around
	InLabel = "label" // a label of a block of kind Head
	InKey   = "key"   // a member of the object that is at Attribute
	InValue = "value" // a value of Attribute, or part of one
	InText  = "text"  // text inside the quotes of a value of Attribute
	InPath  = "path"  // what comes behind Root and a dot
)

// A Cursor is a point in a file that is being written.
type Cursor struct {
	In        string   // "" where it is unknown
	Around    *Item    // the block around
	Above     []string // kinds of the blocks around that, the outermost first
	Head      string   // kind of the block whose label it is
	Label     int      // which label
	Quoted    bool     // the label has a quote
	Attribute string   // with the keys that lead into its value, as in backend.command
	Root      string   // such as var
	Word      Word     // the word, from its start to the point
}

// At returns what may be written at an offset of the file.
func (o *Outline) At(offset int) Cursor {
	start := 0
	for _, s := range o.starts {
		if s <= offset {
			start = s
		}
	}
	s := o.scan(start, offset)
	p := Cursor{Around: s.block(), Word: Word{Start: offset, End: offset}}
	for _, b := range s.around[:len(s.around)-1] {
		p.Above = append(p.Above, b.Kind.Text)
	}
	if inComment(o.src[start:offset]) {
		return p
	}
	s.fill(&p, offset)
	return p
}

// WordEnd returns the offset behind the word that an offset is in or at the end of.
func (o *Outline) WordEnd(offset int) int {
	for offset < len(o.src) {
		r, size := utf8.DecodeRune(o.src[offset:])
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		offset += size
	}
	return offset
}

// inComment reports whether a text ends inside a comment.
func inComment(text []byte) bool {
	tokens, _ := hclsyntax.LexConfig(text, "", hcl.InitialPos)
	if len(tokens) < 2 {
		return false
	}
	last := tokens[len(tokens)-2] // before the end
	return last.Type == hclsyntax.TokenComment && last.Range.End.Byte == len(text) && !strings.HasSuffix(string(last.Bytes), "\n")
}

// fill fills in what may be written behind the text that was read.
func (s *scanner) fill(p *Cursor, offset int) {
	at := func(t hclsyntax.Token) bool { return s.base+t.Range.End.Byte == offset }
	n := len(s.statement)
	switch {
	case n == 0:
		p.In = InBody
	case n == 1 && at(s.statement[0]) && s.statement[0].Type == hclsyntax.TokenIdent:
		p.In, p.Word = InBody, s.word(s.statement[0])
	case s.assigns():
		s.inValue(p, at)
	case s.statement[0].Type == hclsyntax.TokenIdent:
		s.inHead(p, at)
	}
}

// inHead is behind the first word of a block.
func (s *scanner) inHead(p *Cursor, at func(hclsyntax.Token) bool) {
	last := s.statement[len(s.statement)-1]
	labels := s.labels()
	p.Head, p.Label = string(s.statement[0].Bytes), len(labels)
	switch {
	case last.Type == hclsyntax.TokenOQuote && at(last), last.Type == hclsyntax.TokenQuotedLit && at(last):
		p.In, p.Label, p.Quoted = InLabel, len(labels)-1, true
		p.Word = labels[p.Label]
	case !at(last):
		p.In = InLabel
	}
}

// inValue is behind the = of an attribute.
func (s *scanner) inValue(p *Cursor, at func(hclsyntax.Token) bool) {
	value := s.statement[2:]
	p.In, p.Attribute = InValue, string(s.statement[0].Bytes)
	keys, inKey := path(value)
	if len(keys) > 0 {
		p.Attribute += "." + strings.Join(keys, ".")
	}
	if inKey {
		p.In = InKey
	}
	n := len(value)
	if n == 0 || !at(value[n-1]) {
		return
	}
	last := value[n-1]
	before := func(k int) hclsyntax.TokenType {
		if n <= k {
			return hclsyntax.TokenNil
		}
		return value[n-1-k].Type
	}
	switch {
	case last.Type == hclsyntax.TokenOQuote, last.Type == hclsyntax.TokenQuotedLit && before(1) == hclsyntax.TokenOQuote:
		if last.Type == hclsyntax.TokenQuotedLit {
			p.Word = s.word(last)
		}
		if p.In == InValue {
			p.In = InText
		}
	case last.Type == hclsyntax.TokenQuotedLit, last.Type == hclsyntax.TokenCQuote, last.Type == hclsyntax.TokenStringLit:
		p.In = ""
	case last.Type == hclsyntax.TokenDot && before(1) == hclsyntax.TokenIdent && before(2) != hclsyntax.TokenDot:
		p.In, p.Root = InPath, string(value[n-2].Bytes)
	case last.Type == hclsyntax.TokenIdent && before(1) == hclsyntax.TokenDot && before(2) == hclsyntax.TokenIdent && before(3) != hclsyntax.TokenDot:
		p.In, p.Root, p.Word = InPath, string(value[n-3].Bytes), s.word(last)
	case last.Type == hclsyntax.TokenIdent && before(1) != hclsyntax.TokenDot:
		p.Word = s.word(last)
	case last.Type == hclsyntax.TokenIdent, last.Type == hclsyntax.TokenDot:
		p.In = ""
	}
}

// path returns the keys of the objects that are open at the end of a value, and whether the next word there is a key.
func path(value []hclsyntax.Token) (keys []string, inKey bool) {
	type level struct {
		object bool
		key    string
		value  bool // the key and = are there
	}
	var levels []level
	for _, t := range value {
		top := len(levels) - 1
		switch t.Type {
		case hclsyntax.TokenOBrace:
			levels = append(levels, level{object: true})
		case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			levels = append(levels, level{})
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			if top >= 0 {
				levels = levels[:top]
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenQuotedLit:
			if top >= 0 && levels[top].object && !levels[top].value {
				levels[top].key = string(t.Bytes)
			}
		case hclsyntax.TokenEqual, hclsyntax.TokenColon:
			if top >= 0 && levels[top].object {
				levels[top].value = true
			}
		case hclsyntax.TokenComma, hclsyntax.TokenNewline:
			if top >= 0 && levels[top].object {
				levels[top] = level{object: true}
			}
		}
	}
	for _, l := range levels {
		if l.object && l.value {
			keys = append(keys, l.key)
		}
	}
	n := len(levels) - 1
	return slices.Clip(keys), n >= 0 && levels[n].object && !levels[n].value
}

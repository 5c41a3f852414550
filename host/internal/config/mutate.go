package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// A Mutant is a pipeline file with one change that tests of the pipeline should notice.
type Mutant struct {
	What string // the change, as in `step "privacy" "redact" removed`
	Line int    // of the file
	Src  []byte // the file with the change
}

// Mutants returns the file with one change each, in the order of the file: a step, a branch or an attribute of a plugin removed,
// neighbours in the stream swapped, values of cases or paths of sinks swapped, true and false exchanged. Some may be no pipelines.
func Mutants(path string, src []byte) []Mutant {
	body, diags := parseFrom(src, path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	m := &mutator{src: src}
	m.body(body)
	for i := range max(len(m.sinks)-1, 0) {
		a, b := m.sinks[i], m.sinks[i+1]
		m.swap(a.Body.Attributes["path"].Expr.Range(), b.Body.Attributes["path"].Expr.Range(), fmt.Sprintf("paths of %s and %s swapped", header(a), header(b)))
	}
	slices.SortFunc(m.all, func(a, b Mutant) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.What, b.What)) })
	return m.all
}

type mutator struct {
	src   []byte
	sinks []*hclsyntax.Block // that have a path
	all   []Mutant
}

// header returns how a block begins, as in `step "privacy" "redact"`.
func header(b *hclsyntax.Block) string {
	text := b.Type
	for _, label := range b.Labels {
		text += fmt.Sprintf(" %q", label)
	}
	return text
}

func (m *mutator) body(body *hclsyntax.Body) {
	for i, b := range body.Blocks {
		switch b.Type {
		case "step", "include":
			m.remove(b.Range(), header(b)+" removed")
			m.attributes(b)
		case "first":
			m.attributes(b)
		case "tee", "case", "output", "shadow":
			m.remove(b.Range(), header(b)+" removed")
		case "sink":
			if _, ok := b.Body.Attributes["path"]; ok {
				m.sinks = append(m.sinks, b)
			}
		}
		if i > 0 {
			m.neighbours(body.Blocks[i-1], b)
		}
		m.body(b.Body)
	}
}

// neighbours swaps blocks that follow each other: parts of the stream, or the values of two cases.
func (m *mutator) neighbours(a, b *hclsyntax.Block) {
	passes := []string{"step", "first", "tee", "shadow", "route"}
	switch {
	case a.Type == "case" && b.Type == "case" && len(a.Labels) == 1 && len(b.Labels) == 1:
		m.swap(a.LabelRanges[0], b.LabelRanges[0], fmt.Sprintf("values of %s and %s swapped", header(a), header(b)))
	case slices.Contains(passes, a.Type) && slices.Contains(passes, b.Type):
		m.swap(a.Range(), b.Range(), fmt.Sprintf("%s and %s swapped", header(a), header(b)))
	}
}

// attributes changes what the plugin of a step is given, also in objects that have a line for each member.
func (m *mutator) attributes(b *hclsyntax.Block) {
	for name, a := range b.Body.Attributes {
		if slices.Contains(grammar[b.Type].attributes, name) {
			continue
		}
		m.remove(a.Range(), fmt.Sprintf("%s of %s removed", name, header(b)))
		m.exchange(a.Expr, fmt.Sprintf("%s of %s", name, header(b)))
		object, ok := a.Expr.(*hclsyntax.ObjectConsExpr)
		if !ok {
			continue
		}
		for _, item := range object.Items {
			at := hcl.RangeBetween(item.KeyExpr.Range(), item.ValueExpr.Range())
			key := strings.Trim(string(item.KeyExpr.Range().SliceBytes(m.src)), `"`)
			m.exchange(item.ValueExpr, fmt.Sprintf("%s.%s of %s", name, key, header(b)))
			if m.alone(at) {
				m.remove(at, fmt.Sprintf("%s.%s of %s removed", name, key, header(b)))
			}
		}
	}
}

// alone reports whether a range has its lines to itself.
func (m *mutator) alone(at hcl.Range) bool {
	before, after := m.src[:at.Start.Byte], m.src[at.End.Byte:]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	after, _, _ = bytes.Cut(after, []byte("\n"))
	return len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(after, []byte(",")))) == 0
}

// exchange turns true into false, and false into true.
func (m *mutator) exchange(e hclsyntax.Expression, what string) {
	for _, words := range [][2]string{{"true", "false"}, {"false", "true"}} {
		if string(e.Range().SliceBytes(m.src)) == words[0] {
			m.add(e.Range(), words[1], e.Range(), "", fmt.Sprintf("%s is %s", what, words[1]))
		}
	}
}

func (m *mutator) remove(at hcl.Range, what string) {
	if rest := m.src[at.End.Byte:]; bytes.HasPrefix(rest, []byte(",")) {
		at.End.Byte++
	}
	m.add(at, "", at, "", what)
}

func (m *mutator) swap(a, b hcl.Range, what string) {
	first, second := string(a.SliceBytes(m.src)), string(b.SliceBytes(m.src))
	if first != second {
		m.add(a, second, b, first, what)
	}
}

// add makes a mutant with other text at two ranges, of which the second may be the first.
func (m *mutator) add(a hcl.Range, atA string, b hcl.Range, atB, what string) {
	if b.Start.Byte < a.Start.Byte {
		a, atA, b, atB = b, atB, a, atA
	}
	parts := []string{string(m.src[:a.Start.Byte]), atA}
	if a != b {
		parts = append(parts, string(m.src[a.End.Byte:b.Start.Byte]), atB)
	}
	src := strings.Join(append(parts, string(m.src[b.End.Byte:])), "")
	m.all = append(m.all, Mutant{What: what, Line: a.Start.Line, Src: []byte(src)})
}

package config

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// A Mutant is a pipeline with one change, which tests of the pipeline should notice.
type Mutant struct {
	What string // the change, as in `step "privacy" "redact" removed`
	Line int    // of the file with the change
	Same string // why no row can differ, so that there is nothing to notice; else empty
	File string // the changed file of steps, as the include block names it; "" for the pipeline itself
	Src  []byte // the changed file
}

// Facts are what plugins say of themselves and their attributes, of which one inside another is called as in "gates.repair".
type Facts struct {
	Words   func(plugin, attr string) []string // the words that the attribute takes, or true and false; nil for others
	Default func(plugin, attr string) string   // as JSON; "" for none
	Unset   func(step, attr string) bool       // the attribute of a step, by TYPE.NAME, is in all tests as good as absent
	Idle    func(plugin string) string         // why no row depends on a step of the plugin; "" when rows do
}

// Mutants returns the pipeline with one change each, in the order of the file: a step, a branch or an attribute of a plugin removed,
// neighbours in the stream swapped, a step moved behind a tee, values of cases or paths of sinks swapped, a word in place of
// another, true and false exchanged. Behind them are files of steps with steps removed and attributes changed. Some may be no pipelines.
func Mutants(path string, src []byte, known Facts) []Mutant {
	body, diags := parseFrom(src, path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	m := &mutator{src: src, known: known}
	m.body(body)
	for i := range max(len(m.sinks)-1, 0) {
		a, b := m.sinks[i], m.sinks[i+1]
		m.swap(a.Body.Attributes["path"].Expr.Range(), b.Body.Attributes["path"].Expr.Range(), fmt.Sprintf("paths of %s and %s swapped", header(a), header(b)), "")
	}
	m.sort()
	for _, name := range m.includes {
		file := name
		if !filepath.IsAbs(name) {
			file = filepath.Join(filepath.Dir(path), name)
		}
		m.all = append(m.all, ofSteps(file, name, known)...)
	}
	return m.all
}

// ofSteps returns the changes of a file of steps.
func ofSteps(path, name string, known Facts) []Mutant {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil // which the pipeline reports
	}
	body, diags := parseFrom(src, path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	m := &mutator{src: src, known: known, steps: true}
	m.body(body)
	m.sort()
	for i := range m.all {
		m.all[i].File = name
	}
	return m.all
}

type mutator struct {
	src      []byte
	known    Facts
	steps    bool               // src is a file of steps, whose order other tests hold: steps there are ranked
	sinks    []*hclsyntax.Block // that have a path
	includes []string           // files of steps
	all      []Mutant
}

func (m *mutator) sort() {
	slices.SortFunc(m.all, func(a, b Mutant) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.What, b.What)) })
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
			m.remove(b.Range(), header(b)+" removed", m.idle(b))
			m.attributes(b)
			if a, ok := b.Body.Attributes["file"]; ok && b.Type == "include" {
				if name, ok := written(a.Expr); ok {
					m.includes = append(m.includes, name)
				}
			}
		case "first":
			m.attributes(b)
		case "tee", "case", "default", "output", "shadow":
			m.remove(b.Range(), header(b)+" removed", "")
		case "sink":
			if _, ok := b.Body.Attributes["path"]; ok {
				m.sinks = append(m.sinks, b)
			}
		}
		if i > 0 && !m.steps {
			m.neighbours(body.Blocks[i-1], b)
		}
		if b.Type == "tee" {
			m.behind(body.Blocks[:i], b)
		}
		m.body(b.Body)
	}
}

// neighbours swaps blocks that follow each other: parts of the stream, or the values of two cases.
func (m *mutator) neighbours(a, b *hclsyntax.Block) {
	passes := []string{"step", "first", "tee", "shadow", "route"}
	switch {
	case a.Type == "case" && b.Type == "case" && len(a.Labels) == 1 && len(b.Labels) == 1:
		m.swap(a.LabelRanges[0], b.LabelRanges[0], fmt.Sprintf("values of %s and %s swapped", header(a), header(b)), "")
	case slices.Contains(passes, a.Type) && slices.Contains(passes, b.Type):
		m.swap(a.Range(), b.Range(), fmt.Sprintf("%s and %s swapped", header(a), header(b)), cmp.Or(m.idle(a), m.idle(b)))
	}
}

// behind moves each step behind a tee that comes later, which then takes rows that have not gone through the step.
func (m *mutator) behind(before []*hclsyntax.Block, tee *hclsyntax.Block) {
	for i, b := range before {
		if b.Type != "step" && b.Type != "first" || i == len(before)-1 { // the next one is swapped with it
			continue
		}
		to := tee.Range()
		to.Start = to.End
		m.add(b.Range(), "", to, "\n\n"+string(b.Range().SliceBytes(m.src)), fmt.Sprintf("%s moved behind %s", header(b), header(tee)), m.idle(b))
	}
}

// idle says why no row depends on a step; "" for others and when rows may.
func (m *mutator) idle(b *hclsyntax.Block) string {
	if b.Type != "step" || len(b.Labels) == 0 {
		return ""
	}
	return m.known.Idle(b.Labels[0])
}

// attributes changes what the plugin of a step is given, also in objects that have a line for each member.
func (m *mutator) attributes(b *hclsyntax.Block) {
	for name, a := range b.Body.Attributes {
		if slices.Contains(grammar[b.Type].attributes, name) {
			continue
		}
		m.attribute(b, name, a.Range(), a.Expr)
		object, ok := a.Expr.(*hclsyntax.ObjectConsExpr)
		if !ok {
			continue
		}
		for _, item := range object.Items {
			at := hcl.RangeBetween(item.KeyExpr.Range(), item.ValueExpr.Range())
			key := strings.Trim(string(item.KeyExpr.Range().SliceBytes(m.src)), `"`)
			if !m.alone(at) {
				at = hcl.Range{}
			}
			m.attribute(b, name+"."+key, at, item.ValueExpr)
		}
	}
}

// attribute removes an attribute, unless its range is empty, and puts another word there, or the other of true and false.
func (m *mutator) attribute(b *hclsyntax.Block, name string, at hcl.Range, value hclsyntax.Expression) {
	what, text := fmt.Sprintf("%s of %s", name, header(b)), string(value.Range().SliceBytes(m.src))
	plugin, same := "", m.idle(b)
	if b.Type == "step" && len(b.Labels) > 0 {
		plugin = b.Labels[0]
	}
	if at != (hcl.Range{}) {
		why := same
		if isLiteral(value) && text == m.known.Default(plugin, name) {
			why = text + " is the default"
		} else if vars := variables(value); vars != "" && m.known.Unset(strings.Join(b.Labels, "."), name) {
			unset := "as good as absent in all tests"
			if !m.steps { // where the include block sets them
				unset += ", none of which sets " + vars
			}
			why = cmp.Or(why, unset)
		}
		m.remove(at, what+" removed", why)
	}
	words := m.known.Words(plugin, name)
	if len(words) == 0 && (text == "true" || text == "false") {
		words = []string{"true", "false"}
	}
	boolean := slices.Contains(words, "false")
	for _, word := range words {
		if !boolean {
			word = quoted(word)
		}
		switch {
		case text == word:
		case boolean && !isLiteral(value):
			m.add(value.Range(), "!("+text+")", value.Range(), "", what+" is negated", same)
			return
		default:
			m.add(value.Range(), word, value.Range(), "", fmt.Sprintf("%s is %s", what, word), same)
			return
		}
	}
}

// variables lists the variables in an expression.
func variables(e hclsyntax.Expression) string {
	var names []string
	for _, t := range e.Variables() {
		if name := "var." + member(t); t.RootName() == "var" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// alone reports whether a range has its lines to itself.
func (m *mutator) alone(at hcl.Range) bool {
	before, after := m.src[:at.Start.Byte], m.src[at.End.Byte:]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	after, _, _ = bytes.Cut(after, []byte("\n"))
	return len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(after, []byte(",")))) == 0
}

func (m *mutator) remove(at hcl.Range, what, same string) {
	if rest := m.src[at.End.Byte:]; bytes.HasPrefix(rest, []byte(",")) {
		at.End.Byte++
	}
	m.add(at, "", at, "", what, same)
}

func (m *mutator) swap(a, b hcl.Range, what, same string) {
	first, second := string(a.SliceBytes(m.src)), string(b.SliceBytes(m.src))
	if first != second {
		m.add(a, second, b, first, what, same)
	}
}

// add makes a mutant with other text at two ranges, of which the second may be the first.
func (m *mutator) add(a hcl.Range, atA string, b hcl.Range, atB, what, same string) {
	if b.Start.Byte < a.Start.Byte {
		a, atA, b, atB = b, atB, a, atA
	}
	parts := []string{string(m.src[:a.Start.Byte]), atA}
	if a != b {
		parts = append(parts, string(m.src[a.End.Byte:b.Start.Byte]), atB)
	}
	src := strings.Join(append(parts, string(m.src[b.End.Byte:])), "")
	m.all = append(m.all, Mutant{What: what, Line: a.Start.Line, Same: same, Src: []byte(src)})
}

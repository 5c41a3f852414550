package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestGrammarIsRead holds that nothing which the grammar takes is passed over: every attribute of every kind of block,
// in every block that it may stand in, is evaluated, or else a mistake in it would go unseen.
func TestGrammarIsRead(t *testing.T) {
	for _, way := range waysDown() {
		kind := way[len(way)-1]
		attributes := grammar[kind].attributes
		if grammar[kind].open {
			attributes = append(attributes[:len(attributes):len(attributes)], "anything")
		}
		for _, attr := range attributes {
			text, line := nested(way, attr+" = nope")
			_, diags := Parse("p.hcl", []byte(text), Given{})
			if !slices.Contains(grammar[PipelineFileKind].blocks, way[0]) {
				_, diags = ParseTests("p.test.hcl", []byte(text), &Layout{}, notations)
			}
			evaluated := slices.ContainsFunc(diags, func(d Diagnostic) bool {
				return d.Line == line && strings.Contains(d.Summary+d.Detail, "nope")
			})
			if !evaluated {
				t.Errorf("%s in %s is not read:\n%s%s", attr, strings.Join(way, " > "), text, diags.Snippets())
			}
		}
	}
}

// waysDown gives for every kind of block, and every kind that it may stand in, one way down from the top level.
func waysDown() [][]string {
	down := map[string][]string{PipelineFileKind: nil, TestFileKind: nil} // a shortest way to each kind
	var all [][]string
	for next := []string{PipelineFileKind, TestFileKind}; len(next) > 0; next = next[1:] {
		for _, kind := range grammar[next[0]].blocks {
			way := append(slices.Clone(down[next[0]]), kind)
			all = append(all, way)
			if _, seen := down[kind]; !seen {
				down[kind] = way
				next = append(next, kind)
			}
		}
	}
	return all
}

func TestWaysReachEveryKind(t *testing.T) {
	reached := map[string]bool{PipelineFileKind: true, TestFileKind: true, StepsFileKind: true}
	for _, way := range waysDown() {
		reached[way[len(way)-1]] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(grammar)) {
		if !reached[kind] {
			t.Errorf("%s stands in no block", kind)
		}
	}
}

// nested writes blocks inside each other with a line in the innermost, and tells the number of that line.
func nested(way []string, inside string) (text string, line int) {
	var b strings.Builder
	for i, kind := range way {
		b.WriteString(kind)
		for range grammar[kind].labels {
			fmt.Fprintf(&b, ` "a%d"`, i)
		}
		b.WriteString(" {\n")
	}
	return b.String() + inside + strings.Repeat("\n}", len(way)) + "\n", len(way) + 1
}

// TestGrammarNamesItsWords holds that what a block needs or takes once is something that it takes.
func TestGrammarNamesItsWords(t *testing.T) {
	for kind, f := range grammar {
		for _, word := range f.once {
			if !slices.Contains(f.blocks, word) {
				t.Errorf("%q takes %q once, and not at all", kind, word)
			}
		}
		for _, n := range f.needs {
			if !slices.Contains(f.blocks, n.word) && !slices.Contains(f.attributes, n.word) || n.why == "" {
				t.Errorf("%q needs %q, which it does not take, or does not say why", kind, n.word)
			}
		}
		for _, inner := range f.blocks {
			if _, known := grammar[inner]; !known {
				t.Errorf("%q takes %q, which has no form", kind, inner)
			}
		}
	}
}

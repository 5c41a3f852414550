package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// MockPlugin is the plugin of a step that a Mock takes the place of.
const MockPlugin = "test-mock"

// A Mock takes the place of a step in a test.
type Mock struct {
	Step  string // its name
	Key   string // the path of what tells records apart; "" for the whole record
	Pairs *Rows  // objects with "in", and with "emit", "reject", "drop" or "decline"
	Range Range
}

var mockOutcomes = []string{"emit", "reject", "drop", "decline"}

func (l testLoader) mock(b *block) Mock {
	m := Mock{Step: b.name(), Key: l.nonEmpty(b, "key", "the path of a value in the record"), Pairs: l.rows(b, "pairs"), Range: b.at}
	l.refer(b, "", "step", m.Step, "step")
	if m.Pairs == nil {
		return m
	}
	for i, row := range m.Pairs.All {
		pair, n := gjson.Parse(row.Text), 0
		var keys []string
		pair.ForEach(func(key, _ gjson.Result) bool {
			if keys = append(keys, key.Str); slices.Contains(mockOutcomes, key.Str) {
				n++
			}
			return true
		})
		if pair.IsObject() && n == 1 && len(keys) == 2 && pair.Get("in").Exists() {
			continue
		}
		at := Range{Line: row.Line, Column: 1, EndLine: row.Line, EndColumn: 2}
		l.diags = append(l.diags, l.file.at(at, b.context, fmt.Sprintf("wrong pair %d in %s", i+1, b.title()),
			fmt.Sprintf("want an object with in and one of %s, have %s", strings.Join(mockOutcomes, ", "), cmp.Or(strings.Join(keys, ", "), "none of them")), ""))
	}
	return m
}

// with returns the mocks of a test: its own, and those of the file for other steps.
func with(own, file []Mock) []Mock {
	all := slices.Clone(own)
	for _, m := range file {
		if !slices.ContainsFunc(own, func(o Mock) bool { return o.Step == m.Step }) {
			all = append(all, m)
		}
	}
	return all
}

// WithMocks returns the text of a pipeline in which mocks are in place of steps. What the host does with a step stays; its side outputs
// are left out.
func WithMocks(src []byte, mocks []Mock) []byte {
	for _, m := range mocks {
		o := ReadOutline(src)
		for _, b := range o.All("step") {
			if b.Name() == m.Step {
				src = slices.Concat(src[:b.Kind.Start], m.step(b, src), src[b.End:])
				break
			}
		}
	}
	return src
}

// step returns the text of the step that takes the place of b, with at least as many lines.
func (m *Mock) step(b *Item, src []byte) []byte {
	var pairs []string
	for _, row := range m.Pairs.All {
		pairs = append(pairs, oneLine(row.Text))
	}
	text := fmt.Sprintf("step %q %s {\n  key   = %s\n  pairs = %s\n", MockPlugin, quoted(m.Step), quoted(m.Key), quoted("["+strings.Join(pairs, ",")+"]"))
	for _, inner := range b.Blocks {
		if inner.Kind.Text == "host" {
			text += string(src[inner.Kind.Start:inner.End]) + "\n"
		}
	}
	text += "}"
	lines := strings.Count(string(src[b.Kind.Start:b.End]), "\n") - strings.Count(text, "\n")
	return []byte(text + strings.Repeat("\n", max(lines, 0)))
}

package canonicaltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// Kept tests that a plugin loses nothing without counting it. It marks every string of the records, one after the other, and adds a
// marked member to every object. When the plugin emits such a record, the mark must be in an emitted row or be counted:
// without the string, or without a value that contains it, some count is lower. Kept marks strings of JSON inside, too.
// exempt reports whether the value at a path, keys joined by dots, need not be kept; nil exempts none.
func Kept(t *testing.T, p sdk.Plugin, args string, exempt func(path string) bool, records ...string) {
	t.Helper()
	for _, record := range records {
		if results, _ := sdktest.Direct(t, p, args, record); results[0].Verdict != "emit" {
			continue
		}
		root := parse(jsontext.JSON(record), "", nil)
		probes := root.probes(exempt)
		var marked []string
		for _, probe := range probes {
			probe.do()
			marked = append(marked, root.String())
			probe.undo()
		}
		results, _ := sdktest.Direct(t, p, args, marked...)
		for i, r := range results {
			if r.Verdict != "emit" || holds(&r) {
				continue
			}
			if !probes[i].counted(t, root, p, args) {
				t.Errorf("%s: %s is lost and nothing counts it:\n%s", p.Name, probes[i].path, marked[i])
			}
		}
	}
}

// holds reports whether the rows of a result, those of side outputs included, hold the mark.
func holds(r *sdktest.Result) bool {
	rows := slices.Clone(r.Emitted)
	for _, side := range r.Sides {
		rows = append(rows, side...)
	}
	return strings.Contains(strings.ToLower(strings.Join(rows, "")), mark)
}

// counted reports whether some count is lower without the marked text.
func (b *probe) counted(t *testing.T, root *node, p sdk.Plugin, args string) bool {
	b.do()
	_, with := sdktest.Direct(t, p, args, root.String())
	lost := false
	for name := range with {
		lost = lost || isLoss(name)
	}
	accepted := false
	less := func(counts func(name string) bool) bool {
		results, without := sdktest.Direct(t, p, args, root.String())
		if results[0].Verdict != "emit" {
			return false
		}
		for name, n := range with {
			if n > without[name] && counts(name) {
				return true
			}
		}
		accepted = true
		return false
	}
	b.undo()
	if less(always) { // only the mark is counted
		return true
	}
	b.do()
	defer b.undo()
	b.hide(true)
	defer b.hide(false)
	if accepted = false; less(always) {
		return true
	}
	for n := b.in; n != nil && n.in != nil; n = n.in {
		n.gone = true
		found := less(isLoss)
		n.gone = false
		if found {
			return true
		}
	}
	return lost && !accepted // the whole record is one text
}

// isLoss reports whether a count counts something left out, and not something mended or kept elsewhere. A result without a call
// does not keep the call's name.
func isLoss(name string) bool { return strings.HasPrefix(name, "loss.") || name == "orphan_result" }

func always(string) bool { return true }

// mark is a word that occurs in no record.
const mark = "zq17xk"

// A node is a JSON value. inner is the object or array in a string.
type node struct {
	path  string
	raw   string   // of anything but an object, array or string
	text  string   // of a string
	keys  []string // of an object
	items []*node
	kind  byte
	inner *node
	in    *node // that it is an item or member of, or that holds it as a string
	gone  bool
}

func parse(v jsontext.JSON, path string, in *node) *node {
	n := &node{path: path, raw: string(v), kind: v.Kind(), text: v.Text(), in: in}
	if inner, ok := jsontext.Embedded(n.text); ok && (inner.Kind() == '{' || inner.Kind() == '[') {
		n.inner = parse(inner, path+".(json)", n)
	}
	for key, value := range v.Members() {
		n.keys = append(n.keys, key)
		n.items = append(n.items, parse(value, strings.TrimPrefix(path+"."+key, "."), n))
	}
	for i, item := range v.Elements() {
		n.items = append(n.items, parse(item, fmt.Sprintf("%s.%d", path, i), n))
	}
	return n
}

func (n *node) String() string { return string(n.appendTo(nil)) }

func (n *node) appendTo(dst []byte) []byte {
	switch {
	case n.inner != nil:
		return jsontext.AppendString(dst, n.inner.String())
	case n.kind == '"':
		return jsontext.AppendString(dst, n.text)
	case n.kind != '{' && n.kind != '[':
		return append(dst, n.raw...)
	}
	dst = append(dst, n.kind)
	for i, item := range n.items {
		switch {
		case item.gone:
			continue
		case n.kind == '{':
			dst = jsontext.AppendKey(dst, n.keys[i])
		default:
			dst = jsontext.AppendComma(dst)
		}
		dst = item.appendTo(dst)
	}
	return append(dst, n.kind+2) // the closing bracket
}

// A probe marks a text of a record, removes the mark, or hides the text.
type probe struct {
	path     string
	in       *node // that contains the marked text
	do, undo func()
	hide     func(bool)
}

// probes returns a probe for each text, at all its places, for each empty text, and for an additional member in each object.
func (n *node) probes(exempt func(string) bool) (all []probe) {
	texts := map[string][]*node{}
	n.walk(func(n *node) {
		switch {
		case exempt != nil && exempt(n.path):
		case n.kind == '{':
			all = append(all, n.member())
		case n.kind == '"' && n.text == "":
			all = append(all, marked([]*node{n}))
		case n.kind == '"' && n.inner == nil:
			texts[n.text] = append(texts[n.text], n)
		}
	})
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, marked(texts[text]))
	}
	return all
}

func (n *node) walk(do func(*node)) {
	do(n)
	for _, item := range n.items {
		item.walk(do)
	}
	if n.inner != nil {
		n.inner.walk(do)
	}
}

func marked(nodes []*node) probe {
	was := nodes[0].text
	set := func(text string) func() {
		return func() {
			for _, n := range nodes {
				n.text = text
			}
		}
	}
	hide := func(gone bool) {
		for _, n := range nodes {
			n.gone = gone
		}
	}
	return probe{path: nodes[0].path, in: nodes[0].in, do: set(was + mark), undo: set(was), hide: hide}
}

func (n *node) member() probe {
	extra := &node{kind: '"', text: mark, in: n}
	return probe{
		path: strings.TrimPrefix(n.path+".extra", "."), in: n,
		do:   func() { n.keys, n.items = append(n.keys, "extraMember"), append(n.items, extra) },
		undo: func() { n.keys, n.items = n.keys[:len(n.keys)-1], n.items[:len(n.items)-1] },
		hide: func(gone bool) { extra.gone = gone },
	}
}

package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/rundiff"
)

// An Operation of RFC 6902 changes one place of a JSON text.
type Operation struct {
	Op    string          `json:"op"` // add, remove or replace
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// patchOf returns the operations that make one text of the other, from the values that differ. What is inside elements comes first,
// while all have the indexes of the first text; then elements are removed and added, of inner arrays first.
func patchOf(pairs []rundiff.Pair) []Operation {
	ops := []Operation{}
	arrays := map[string]*elements{}
	var moved []rundiff.Step
	for i := range pairs {
		p := &pairs[i]
		alone := p.A == "" || p.B == ""
		if n := len(moved); n > 0 && len(p.PathA) >= n && slices.Equal(p.PathA[:n], moved) && (len(p.PathA) > n || !alone) {
			continue // it is added as the second text has it
		}
		switch {
		case p.Moved:
			moved = p.PathA
			elementsOf(arrays, p).add(p)
		case alone && p.Element():
			elementsOf(arrays, p).add(p)
		case p.A == "":
			ops = append(ops, Operation{"add", pointer(p.PathA), json.RawMessage(p.B)})
		case p.B == "":
			ops = append(ops, Operation{Op: "remove", Path: pointer(p.PathA)})
		default:
			ops = append(ops, Operation{"replace", pointer(p.PathA), json.RawMessage(p.B)})
		}
	}
	for _, e := range inner(arrays) {
		ops = e.appendTo(ops)
	}
	return ops
}

// elements are the elements of one array that are added or removed.
type elements struct {
	path    string // of the array in the first text
	depth   int
	removed []int // indexes in the first text
	added   []addedElement
}

type addedElement struct {
	at    int // in the second text
	value string
}

func elementsOf(arrays map[string]*elements, p *rundiff.Pair) *elements {
	path := pointer(p.PathA[:len(p.PathA)-1])
	if arrays[path] == nil {
		arrays[path] = &elements{path: path, depth: len(p.PathA)}
	}
	return arrays[path]
}

func (e *elements) add(p *rundiff.Pair) {
	if p.A != "" {
		e.removed = append(e.removed, p.PathA[len(p.PathA)-1].Index)
	}
	if p.B != "" {
		e.added = append(e.added, addedElement{p.PathB[len(p.PathB)-1].Index, p.B})
	}
}

// inner returns the arrays, those inside others first.
func inner(arrays map[string]*elements) (all []*elements) {
	for _, e := range arrays {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *elements) int { return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(a.path, b.path)) })
	return all
}

// appendTo removes from the end and adds from the beginning, so that every index is that of the text.
func (e *elements) appendTo(ops []Operation) []Operation {
	slices.Sort(e.removed)
	for _, i := range slices.Backward(e.removed) {
		ops = append(ops, Operation{Op: "remove", Path: e.path + "/" + strconv.Itoa(i)})
	}
	slices.SortFunc(e.added, func(a, b addedElement) int { return cmp.Compare(a.at, b.at) })
	for _, x := range e.added {
		ops = append(ops, Operation{"add", e.path + "/" + strconv.Itoa(x.at), json.RawMessage(x.value)})
	}
	return ops
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer writes steps as a JSON pointer.
func pointer(steps []rundiff.Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		if s.Index >= 0 {
			b.WriteString(strconv.Itoa(s.Index))
		} else {
			b.WriteString(pointerEscapes.Replace(s.Key))
		}
	}
	return b.String()
}

// gjsonPath writes steps as a gjson path, as everywhere else.
func gjsonPath(steps []rundiff.Step) (path string) {
	for _, s := range steps {
		if s.Index >= 0 {
			path = under(path, strconv.Itoa(s.Index))
		} else {
			path = under(path, Key(s.Key))
		}
	}
	return path
}

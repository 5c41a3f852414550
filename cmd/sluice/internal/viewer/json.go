package viewer

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
)

type node struct {
	Key     string // or index
	Listed  bool   // Key is an index
	Path    string // gjson path in the row
	Kind    string // object, array, string, number, word
	Note    string // how long it is: "3 members"
	Text    []textPiece
	Inside  []node
	Open    bool
	More    string // where the rest can be read, when not all of it is here
	Left    string // how much is left out: "97 more"
	Differs bool   // in a comparison
	Link    string // address of the tree with this value marked, "" where there is none
	Here    bool   // it is the one that the address asks for
}

// Bounds of what one page lays out.
const (
	mostNodes  = 1500
	mostInside = 200
	mostNested = 16
	mostString = 500 // characters
)

type layout struct {
	left    int // nodes
	hit     *regexp.Regexp
	more    func(path string) string
	link    func(path string) string // the address of the tree with a value marked; nil for none
	open    bool                     // all of it, as it is short
	target  string                   // path of the value that is asked for
	met     bool                     // it was laid out
	differs map[string]bool          // paths
	within  map[string]bool          // that lead to them
}

// aim marks the value at a path, which is laid out in any case.
func (l *layout) aim(path string) {
	if l.target = path; path == "" {
		return
	}
	if l.within == nil {
		l.within = map[string]bool{}
	}
	l.leading(path)
	l.within[path] = true
}

// leading notes the paths that lead to another.
func (l *layout) leading(path string) {
	for i := range len(path) {
		if path[i] == '.' && (i == 0 || path[i-1] != '\\') {
			l.within[path[:i]] = true
		}
	}
}

func newLayout(hit *regexp.Regexp, more func(path string) string) *layout {
	return &layout{left: mostNodes, hit: hit, more: more}
}

// mark notes the paths at which a comparison has found differences.
func (l *layout) mark(paths []string) {
	l.differs, l.within = map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		l.differs[p] = true
		l.leading(p)
	}
}

func (l *layout) value(v gjson.Result, key, path string, depth int) node {
	l.left--
	n := node{Key: key, Path: path, Differs: l.differs[path]}
	if path != "" && l.link != nil {
		n.Link = l.link(path)
	}
	if path != "" && path == l.target {
		n.Here, l.met = true, true
	}
	switch {
	case v.IsObject(), v.IsArray():
		l.inside(&n, v, depth)
	case v.Type == gjson.String:
		first, rest := cutAt(v.Str, mostString)
		n.Kind, n.Text = "string", pieces(first, l.hit)
		if rest != "" {
			n.Left, n.More = plural.Count(int64(utf8.RuneCountInString(rest)))+" more characters", l.more(path)
		}
		if c := utf8.RuneCountInString(v.Str); c > 80 {
			n.Note = plural.Count(int64(c)) + " characters"
		}
	default:
		n.Kind = "word"
		if v.Type == gjson.Number {
			n.Kind = "number"
		}
		raw, rest := cutAt(v.Raw, mostString)
		if rest != "" {
			n.More, n.Left = l.more(path), plural.Count(int64(len(rest)))+" more digits"
		}
		n.Text = pieces(raw, nil)
	}
	return n
}

func (l *layout) inside(n *node, v gjson.Result, depth int) {
	n.Kind, n.Open = "object", l.open || depth < 2 || l.within[n.Path] || l.differs[n.Path]
	what := "member"
	if v.IsArray() {
		n.Kind, what = "array", "element"
	}
	count, shown := 0, 0
	v.ForEach(func(k, inner gjson.Result) bool {
		count++
		full := l.left <= 0 || shown >= mostInside || depth >= mostNested
		if full && !l.within[n.Path] {
			return true
		}
		key, step := strconv.Itoa(count-1), strconv.Itoa(count-1)
		if k.Type == gjson.String {
			key, step = k.Str, explain.Key(k.Str)
		}
		path := strings.TrimPrefix(n.Path+"."+step, ".")
		if full && !(l.within[path] && strings.HasPrefix(l.target, path)) {
			return true
		}
		shown++
		child := l.value(inner, format.Printable(key), path, depth+1)
		child.Listed = k.Type != gjson.String
		n.Inside = append(n.Inside, child)
		return true
	})
	n.Note = plural.Of(count, what)
	if shown < count {
		n.Left, n.More = plural.Count(int64(count-shown))+" more", l.more(n.Path)
	}
}

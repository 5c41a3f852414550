package editor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
)

// A Change replaces stretches of one file by a new name.
type Change struct {
	Path  string
	Text  []byte // of the file
	Spans []Span // in its order
}

// A name is what a block of a file is called.
type name struct {
	kind  string // of the block
	text  string
	owner string // the path of the file that has the block
	at    Span   // where the document has it
}

// errNoName is the error where a document has nothing that can be renamed.
var errNoName = errors.New("want the cursor on the name of a variable or a block, or on a use of one")

// Renameable returns the name at an offset, and where it is. The error says why it cannot be renamed.
func (d *Document) Renameable(offset int, files Files) (Span, string, error) {
	n, err := d.nameAt(offset, &project{files: files, known: map[string]*Document{}, first: d})
	return n.at, n.text, err
}

// Rename returns what renames the name at an offset: in the file that has it, those that include it or are included, and their tests.
func (d *Document) Rename(offset int, to string, files Files) ([]Change, error) {
	p := &project{files: files, known: map[string]*Document{}, first: d, spans: map[string][]Span{}}
	n, err := d.nameAt(offset, p)
	if err != nil || n.text == to {
		return nil, err
	}
	if err := p.free(n, to, d.known.Plugins); err != nil {
		return nil, err
	}
	switch n.kind {
	case "variable":
		p.renameVariable(n)
	case "plugin":
		p.renamePlugin(n)
	default:
		p.renameBlock(n)
	}
	return p.changes(), nil
}

// nameAt returns the name at an offset: one that a file defines, not one of a plugin.
func (d *Document) nameAt(offset int, x *project) (n name, err error) {
	p := d.outline.At(d.outline.WordEnd(offset))
	n.at = Span{p.Word.Start, d.outline.WordEnd(p.Word.End)}
	n.text, n.owner = d.text(n.at), x.key(d.path)
	if m, ok := d.mentioned(p, offset); ok {
		n.at = m.at
		return n, fmt.Errorf("want a name that a file defines, have label %q, which a plugin sets", m.label)
	}
	last := p.In == config.InLabel && p.Label == len(config.Labels(p.Head))-1
	switch {
	case n.text == "":
		return n, errNoName
	case d.tests():
		return d.nameInTest(n, p, x)
	case p.In == config.InPath && p.Root == "var":
		n.kind = "variable"
	case p.In == config.InLabel && p.Head == "step" && p.Label == 0, p.In == config.InLabel && p.Head == "plugin":
		return n, d.alias(&n, x)
	case p.In == config.InLabel && (p.Head == "output" || p.Head == "source" && !last || p.Head == "sink" && !last):
		return n, fmt.Errorf("want a name that a file defines, have %q, which is a kind of %s that plugins and sluice name", n.text, p.Head)
	case last && named(p.Head):
		n.kind = p.Head
	case p.In == config.InBody && p.Around.Kind.Text == "include":
		by, ok := d.include(d.outline.Find(p.Around.Kind.Start))
		if !ok || x.file(by.path) == nil || !declares(x.file(by.path), "variable", n.text) {
			return n, errNoName
		}
		n.kind, n.owner = "variable", x.key(by.path)
	default:
		return n, errNoName
	}
	if n.kind == "variable" && !declares(x.file(n.owner), "variable", n.text) {
		return n, fmt.Errorf("want a variable that the file declares, have %q", n.text)
	}
	return n, nil
}

// named reports whether blocks of a kind have a name that a file defines.
func named(kind string) bool {
	return slices.Contains([]string{"variable", "source", "step", "first", "route", "tee", "shadow", "sink", "include"}, kind)
}

// alias is about the label of a plugin block or of a step: it can be renamed where the block says what the plugin calls itself.
func (d *Document) alias(n *name, x *project) error {
	n.kind = "plugin"
	for _, root := range x.roots(n.owner) {
		for _, b := range x.file(root).outline.All("plugin") {
			if b.Label(0) == n.text && b.Value("name") != "" {
				n.owner = root
				return nil
			}
		}
	}
	return fmt.Errorf("want a name that a file defines, have %q, which a plugin calls itself; name in a plugin block renames it for this file", n.text)
}

// nameInTest returns what a file of tests names of its pipeline.
func (d *Document) nameInTest(n name, p config.Cursor, x *project) (name, error) {
	kind := ""
	switch {
	case p.In == config.InLabel && p.Head == "input":
		kind = "source"
	case p.In == config.InLabel && p.Head == "mock":
		kind = "step"
	case p.In == config.InLabel && p.Head == "expect" && p.Label == 1:
		kind = "sink"
	case p.In == config.InKey && p.Attribute == "variables":
		kind = "variable"
	}
	root := x.key(strings.TrimSuffix(d.path, config.TestEnding) + ".hcl")
	for _, path := range append([]string{root}, x.included(root)...) {
		if kind != "" && x.file(path) != nil && declares(x.file(path), kind, n.text) {
			n.kind, n.owner = kind, path
			return n, nil
		}
	}
	return n, errNoName
}

func declares(d *Document, kind, text string) bool {
	return d != nil && slices.ContainsFunc(d.outline.All(kind), func(b *config.Item) bool { return b.Name() == text })
}

// Files are the texts around a document, as the editor has them.
type Files struct {
	Open map[string][]byte // texts of open documents, by path
}

func (f Files) read(path string) ([]byte, error) {
	if text, ok := f.Open[path]; ok {
		return text, nil
	}
	return os.ReadFile(path)
}

// A project holds the files that a renaming may concern, by their cleaned paths.
type project struct {
	files Files
	known map[string]*Document
	first *Document // the one that is asked about
	spans map[string][]Span
}

func (x *project) key(path string) string { return filepath.Clean(path) }

// file returns a file, nil when it cannot be read.
func (x *project) file(path string) *Document {
	path = x.key(path)
	if path == x.key(x.first.path) {
		return x.first
	}
	if d, ok := x.known[path]; ok {
		return d
	}
	x.known[path] = nil
	if src, err := x.files.read(path); err == nil {
		x.known[path] = &Document{path: path, src: src, outline: config.ReadOutline(src)}
	}
	return x.known[path]
}

// included returns the paths of the files of steps that a pipeline includes.
func (x *project) included(root string) (all []string) {
	d := x.file(root)
	if d == nil {
		return nil
	}
	for _, by := range d.outline.All("include") {
		if path, ok := d.includedPath(by); ok && x.file(path) != nil {
			all = append(all, x.key(path))
		}
	}
	return all
}

// mostFiles is how many pipelines of a folder are looked into.
const mostFiles = 1000

// roots returns the pipelines that a file is part of: itself, or those around it that include it.
func (x *project) roots(owner string) (all []string) {
	if !strings.HasSuffix(owner, config.StepsEnding) {
		return []string{owner}
	}
	var around []string
	for _, dir := range []string{filepath.Dir(owner), filepath.Dir(x.key(x.first.path))} {
		found, _ := filepath.Glob(filepath.Join(dir, "*.hcl"))
		around = append(around, found[:min(len(found), mostFiles)]...)
	}
	for path := range x.files.Open {
		around = append(around, path)
	}
	around = append(around, x.first.path)
	for i, path := range around {
		around[i] = x.key(path)
	}
	slices.Sort(around)
	for _, path := range slices.Compact(around) {
		if strings.HasSuffix(path, config.TestEnding) || strings.HasSuffix(path, config.StepsEnding) {
			continue
		}
		if slices.Contains(x.included(path), owner) {
			all = append(all, path)
		}
	}
	return all
}

// replace notes a word of a file as one to replace.
func (x *project) replace(path string, at Span) {
	if path = x.key(path); !slices.Contains(x.spans[path], at) {
		x.spans[path] = append(x.spans[path], at)
	}
}

func (x *project) changes() (all []Change) {
	for path, spans := range x.spans {
		slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
		all = append(all, Change{path, x.file(path).src, spans})
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

var (
	goodName     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	goodVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// free returns why a name cannot get another one.
func (x *project) free(n name, to string, plugins []string) error {
	switch {
	case n.kind == "variable" && !goodVariable.MatchString(to):
		return fmt.Errorf("want a letter and then letters, digits, _ and -, have %q", to)
	case !goodName.MatchString(to):
		return fmt.Errorf("want letters, digits, _ and -, have %q", to)
	case n.kind == "plugin" && slices.Contains(plugins, to):
		return fmt.Errorf("want a name that is free, have %q, which is a plugin's", to)
	}
	files := []string{n.owner}
	if n.kind != "variable" {
		for _, root := range x.roots(n.owner) {
			files = append(append(files, root), x.included(root)...)
		}
	}
	for _, path := range files {
		if declares(x.file(path), n.kind, to) {
			return fmt.Errorf("want a name that is free, have %q, which another %s of %s has", to, n.kind, filepath.Base(path))
		}
	}
	return nil
}

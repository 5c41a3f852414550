// Package editor answers the questions of an editor about the text of a pipeline file: what can be written at a point, what a
// word means, where it is declared, what is wrong, and how the text is formatted.
package editor

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

// catalogue holds what pipelines can name.
type catalogue struct {
	Sources, Sinks []wire.Info
	Vars           map[string]string                   // values of variables
	Plugins        []string                            // that a step may name
	Plugin         func(name string) (wire.Info, bool) // the declaration of a plugin
	Barred         func(name string) string            // the program of a plugin that is not started, since the user does not trust it; or ""
}

// Document is the text of a pipeline file or of a file of tests. Offsets into it count bytes.
type Document struct {
	path    string
	src     []byte
	outline *config.Outline
	known   catalogue
	outside config.Given
}

// Span is a part of the text.
type Span struct{ Start, End int }

// Steps names the steps of the file as TYPE.NAME.
func (d *Document) Steps() (names []string) {
	for _, s := range d.all("step") {
		names = append(names, s.Label(0)+"."+s.Label(1))
	}
	return names
}

// Variable is an input of the file.
type Variable struct {
	Name, Type, Default, Description string // Default as it is written, empty when there is none or it is sensitive
}

// Variables returns the inputs of the file, in its order.
func (d *Document) Variables() (all []Variable) {
	for _, b := range d.outline.All("variable") {
		v := Variable{Name: b.Name(), Type: b.Value("type"), Default: b.Value("default"), Description: b.Value("description")}
		v.Description = strings.Trim(v.Description, `"`)
		if s := b.Value("sensitive"); s != "" && s != "false" {
			v.Default = ""
		}
		all = append(all, v)
	}
	return all
}

// Plugins returns the plugins that the steps of the file name, each once.
func (d *Document) Plugins() (names []string) {
	for _, s := range d.all("step") {
		if name := s.Label(0); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Diagnose returns the mistakes that can be found without starting plugins.
func (d *Document) Diagnose() config.Diagnostics {
	if d.ofSteps() {
		return config.CheckSteps(d.path, d.src, d.given(true))
	}
	if !d.tests() {
		tree, diags := config.Parse(d.path, d.src, d.given(true))
		return append(diags, d.unstarted(tree)...)
	}
	layout, diags := config.LoadLayout(strings.TrimSuffix(d.path, config.TestEnding) + ".hcl")
	if diags.HasErrors() { // which the pipeline file shows
		_, diags = config.Format(d.path, d.src)
		return diags
	}
	_, diags = config.ParseTests(d.path, d.src, layout, d.given(true))
	return diags
}

// unstarted returns a warning for each plugin of a file without mistakes that is not started.
func (d *Document) unstarted(tree *config.Pipeline) (diags config.Diagnostics) {
	if tree == nil {
		return nil
	}
	told := map[string]bool{}
	for _, s := range tree.Steps() {
		if told[s.Type] {
			continue
		}
		told[s.Type] = true
		if path := d.known.Barred(s.Type); path != "" {
			diags = append(diags, tree.AtRange(s.Range, "plugin "+s.Type+" not started", config.ProgramNotTrusted(s.Type, path, d.path)).AsUntrusted())
		}
	}
	return diags
}

// tests reports whether the file has the tests of a pipeline.
func (d *Document) tests() bool { return strings.HasSuffix(d.path, config.TestEnding) }

// ofSteps reports whether the file has steps for pipelines that include it.
func (d *Document) ofSteps() bool { return strings.HasSuffix(d.path, config.StepsEnding) }

func (d *Document) kind(b *config.Item) string {
	switch k := b.Kind.Text; {
	case k == "" && d.tests():
		return config.TestFileKind
	case k == "" && d.ofSteps():
		return config.StepsFileKind
	case k == "expect":
		return k + " " + b.Label(0)
	default:
		return k
	}
}

// Runs reports whether the file is a pipeline without visible mistakes, in which every variable that it needs has a value.
func (d *Document) Runs() bool {
	_, diags := config.Parse(d.path, d.src, d.given(false))
	return !d.tests() && !diags.HasErrors()
}

func (d *Document) given(draft bool) config.Given {
	given := d.outside
	given.Draft = draft
	return given
}

// Define returns where the word at an offset is declared: a variable, also one of an included file, that file or another that a text
// names, the plugin block of a step, or the step that sets a label.
func (d *Document) Define(offset int) (Location, bool) {
	p := d.outline.At(d.outline.WordEnd(offset))
	kind, name := "", p.Word.Text
	switch {
	case p.In == config.InPath && p.Root == "var":
		kind = "variable"
	case p.In == config.InLabel && p.Head == "step" && p.Label == 0:
		kind = "plugin"
	}
	for _, b := range d.outline.All(kind) {
		if name != "" && b.Name() == name {
			at := b.Labels[len(b.Labels)-1]
			return Location{Span: Span{at.Start, at.End}}, true
		}
	}
	if m, ok := d.mentioned(p, offset); ok {
		return d.defineLabel(m, offset)
	}
	if at, ok := d.defineIncluded(p); ok {
		return at, true
	}
	return d.defineFile(p, offset)
}

// A Symbol is a block of the file.
type Symbol struct {
	Kind, Name string
	Whole      Span
	Head       Span // its first word and labels
	Inside     []Symbol
}

// Symbols returns the blocks of the file.
func (d *Document) Symbols() []Symbol { return symbols(d.outline.Blocks) }

func symbols(blocks []*config.Item) []Symbol {
	all := []Symbol{}
	for _, b := range blocks {
		var labels []string
		head := Span{b.Kind.Start, b.Kind.End}
		for _, l := range b.Labels {
			labels = append(labels, l.Text)
			head.End = max(head.End, l.End)
		}
		all = append(all, Symbol{
			Kind: b.Kind.Text, Name: strings.Join(labels, "."), Whole: Span{b.Kind.Start, max(b.End, head.End)}, Head: head, Inside: symbols(b.Blocks),
		})
	}
	return all
}

// Format returns the text of a pipeline file with standard spacing. The path names it in mistakes. The error is of type
// host.Diagnostics when the syntax is wrong.
func Format(path string, src []byte) ([]byte, error) {
	text, diags := config.Format(path, src)
	if diags.HasErrors() {
		return nil, diags
	}
	return text, nil
}

// Literal returns a JSON value as a pipeline file spells it, on one line.
func Literal(json string) string { return config.Literal(json) }

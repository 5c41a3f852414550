package config

import "slices"

// A Layout is the blocks of a pipeline file, enabled or not. Nothing in them is evaluated.
type Layout struct {
	Path  string
	Parts []*Part // at the top level, in file order

	file *listing
}

// A Part is one block of a pipeline file.
type Part struct {
	Kind   string   // as the language names it, such as "step"
	Labels []string // as many as the kind has
	Above  *Part    // the block around it; nil at the top level
	Parts  []*Part  // blocks in it, in file order
	Range  Range    // of the header
}

// Name returns the last label.
func (p *Part) Name() string { return p.Labels[len(p.Labels)-1] }

// LoadLayout reads the blocks of one pipeline file. The layout is nil after a mistake.
func LoadLayout(path string) (*Layout, Diagnostics) {
	src, diags := read(path)
	if diags != nil {
		return nil, diags
	}
	l, err := newLoader(path, src, Given{})
	if err != nil {
		return nil, noFolder(path, err)
	}
	top := l.top(pipelineFile, "want at least a source and a sink")
	if l.done().HasErrors() {
		return nil, l.diags
	}
	o := &Layout{Path: path, file: l.file}
	o.Parts = parts(top, nil)
	return o, nil
}

func parts(b *block, above *Part) []*Part {
	var all []*Part
	for _, c := range b.blocks {
		p := &Part{Kind: c.kind, Labels: c.labels, Above: above, Range: c.at}
		p.Parts = parts(c, p)
		all = append(all, p)
	}
	return all
}

// All returns the blocks of the given kinds anywhere in the file, in file order.
func (o *Layout) All(kinds ...string) []*Part {
	var found []*Part
	var walk func([]*Part)
	walk = func(parts []*Part) {
		for _, p := range parts {
			if slices.Contains(kinds, p.Kind) {
				found = append(found, p)
			}
			walk(p.Parts)
		}
	}
	walk(o.Parts)
	return found
}

// names returns the names of all blocks of the given kinds, each once.
func (o *Layout) names(kinds ...string) []string {
	var names []string
	for _, p := range o.All(kinds...) {
		if !slices.Contains(names, p.Name()) {
			names = append(names, p.Name())
		}
	}
	return names
}

// Line returns the text of a line of the file, "" when there is no such line.
func (o *Layout) Line(n int) string { return o.file.line(n) }

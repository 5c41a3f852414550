package editor

import "github.com/sluicehq/sluice/host/internal/config"

// References returns where the document uses what the word at an offset names, a variable or a plugin, and where it declares it if
// that is asked for.
func (d *Document) References(offset int, declared bool) (all []Span) {
	p := d.outline.At(d.outline.WordEnd(offset))
	add := func(words ...config.Word) {
		for _, w := range words {
			all = append(all, Span{w.Start, w.End})
		}
	}
	first := p.In == config.InLabel && p.Label == 0
	kind := ""
	switch {
	case p.Word.Text == "":
		return nil
	case p.In == config.InPath && p.Root == "var", first && p.Head == "variable":
		kind = "variable"
	case first && (p.Head == "step" || p.Head == "plugin"):
		kind = "plugin"
	}
	// A label that is not finished at the offset may go on behind it.
	name := string(d.src[p.Word.Start:d.outline.WordEnd(p.Word.End)])
	if declared && kind != "" {
		for _, b := range d.outline.All(kind) {
			if b.Name() == name && len(b.Labels) > 0 {
				add(b.Labels[0])
			}
		}
	}
	switch kind {
	case "variable":
		add(d.outline.Uses(name)...)
	case "plugin":
		for _, s := range d.outline.All("step") {
			if s.Label(0) == name {
				add(s.Labels[0])
			}
		}
	}
	return all
}

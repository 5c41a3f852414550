package config

import (
	"fmt"
	"maps"
	"slices"
)

// checkUses reports variables without a value that something uses. When the file has no mistake at all, so that everything
// in it was understood, it warns of variables and pins that nothing uses.
func (l *loader) checkUses(top *block) {
	for _, b := range top.all("variable") {
		if !l.unset[b.name()] || !l.used[b.name()] {
			continue
		}
		summary := b.title() + " has no value"
		detail := fmt.Sprintf("want %[2]s %[1]s=VALUE, SLUICE_VAR_%[1]s in the environment, or a default", b.name(), l.in.Flag)
		if l.in.Draft {
			l.warn(b, summary, detail, "")
			continue
		}
		l.report(b.header, b.context, summary, detail, "")
	}
	if l.diags.HasErrors() {
		return
	}
	for _, b := range top.all("variable", "plugin") {
		switch {
		case b.kind == "variable" && !l.used[b.name()] && !l.idle[b.name()]:
			l.warn(b, b.title()+" is not used", fmt.Sprintf("want var.%s in the file, or remove the block", b.name()), "")
		case b.kind == "plugin" && !l.plugins[b.name()]:
			l.warn(b, b.title()+" is not used", fmt.Sprintf("add a step of plugin %q, or remove the block", b.name()),
				Nearest(b.name(), slices.Sorted(maps.Keys(l.plugins))))
		}
	}
}

// warn adds a warning at the header of a block.
func (l *loader) warn(b *block, summary, detail, suggestion string) {
	l.diags = append(l.diags, l.file.at(b.at, b.context, summary, detail, suggestion).AsWarning())
}

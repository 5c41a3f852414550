package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/sdk/nearest"
)

// checkSequence checks that every record of a sequence reaches a sink and that records reach every block. A case or default that may
// rejoin the stream after its route need not end in a sink.
func (l *loader) checkSequence(b *block, mustEnd bool) {
	nodes := b.all(stream...)
	end := slices.IndexFunc(nodes, takesAll)
	if end >= 0 && end+1 < len(nodes) {
		last, next := nodes[end], nodes[end+1]
		advice := fmt.Sprintf("want nothing after a sink; put %s in a tee to send it a copy of the stream", last.context)
		if last.kind == "route" {
			advice = "every case of the route ends in a sink; leave it out where the records should go on"
		}
		l.report(next.header, next.context, fmt.Sprintf("nothing reaches %s after %s", next.context, last.context), advice, "")
	}
	mustEnd = mustEnd && end < 0 && !b.partial
	for i, n := range nodes {
		switch n.kind {
		case "tee":
			l.checkSequence(n, true)
		case "route":
			for _, branch := range n.all("case", "default") {
				l.checkSequence(branch, mustEnd && i == len(nodes)-1)
			}
		}
	}
	if !mustEnd {
		return
	}
	if len(nodes) == 0 {
		l.report(b.header, b.context, b.title()+" has no sink", "want a sink at its end, or its records are lost", "")
		return
	}
	if last := nodes[len(nodes)-1]; last.kind != "route" {
		l.report(last.header, last.context, b.title()+" ends without a sink",
			fmt.Sprintf("want a sink after %s, or its records are lost", last.context), "")
	}
}

// takesAll reports whether no record gets past a block: a sink, or a route of which every branch ends.
func takesAll(b *block) bool {
	if b.kind != "route" {
		return b.kind == "sink"
	}
	branches := b.all("case", "default")
	return len(branches) > 0 && !slices.ContainsFunc(branches, func(branch *block) bool {
		return !slices.ContainsFunc(branch.blocks, takesAll)
	})
}

// sourcesFirst reports a source below a step: the records of every source go through everything.
func (l *loader) sourcesFirst(top *block) {
	var above *block
	for _, b := range top.blocks {
		switch {
		case slices.Contains(stream, b.kind) && above == nil:
			above = b
		case b.kind == "source" && above != nil:
			l.report(b.header, b.context, fmt.Sprintf("%s comes after %s", b.context, above.context),
				"move the sources to the top; the records of each go through everything", "")
		}
	}
}

// checkUses reports variables without a value that something uses. When the file has no mistake at all, so that everything
// in it was understood, it warns of variables and pins that nothing uses.
func (l *loader) checkUses(tops ...*block) {
	var all []*block
	for _, top := range tops {
		all = append(all, top.all("variable", "plugin")...)
	}
	for _, b := range all {
		leave := l.enter(b.hclFile)
		if b.kind == "variable" && l.unset[b.name()] && l.used[b.name()] {
			l.noValue(b)
		}
		leave()
	}
	if l.diags.HasErrors() {
		return
	}
	for _, b := range all {
		l.unusedBlock(b)
	}
}

// noValue reports a variable without a value that something uses.
func (l *loader) noValue(b *block) {
	summary := b.title() + " has no value"
	detail := fmt.Sprintf("want %[2]s %[1]s=VALUE, SLUICE_VAR_%[1]s in the environment, or a default", b.name(), l.in.Flag)
	if l.hclFile != l.main {
		detail = fmt.Sprintf("want %s = VALUE in the include block, or a default", b.name())
	}
	if l.in.Draft {
		l.warn(b, summary, detail, "")
		return
	}
	l.report(b.header, b.context, summary, detail, "")
}

// unusedBlock warns of a variable or pin that nothing uses.
func (l *loader) unusedBlock(b *block) {
	defer l.enter(b.hclFile)()
	switch {
	case b.kind == "variable" && !l.used[b.name()] && !l.idle[b.name()]:
		l.warn(b, b.title()+" is not used", fmt.Sprintf("want var.%s in the file, or remove the block", b.name()), "")
	case b.kind == "plugin" && !l.plugins[b.name()]:
		l.warn(b, b.title()+" is not used", fmt.Sprintf("add a step of plugin %q, or remove the block", b.name()),
			nearest.Word(b.name(), slices.Sorted(maps.Keys(l.plugins))))
	}
}

// warn adds a warning at the header of a block.
func (l *loader) warn(b *block, summary, detail, suggestion string) {
	l.diags = append(l.diags, l.file.at(b.at, b.context, summary, detail, suggestion).AsWarning())
}

package editor

import (
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
)

// renameVariable notes the declaration of a variable, its uses, and where pipelines and tests set it.
func (x *project) renameVariable(n name) {
	x.renameLabels(n.owner, "variable", 0, n.text)
	for _, w := range x.file(n.owner).outline.Uses(n.text) {
		x.replace(n.owner, spanOf(w))
	}
	for _, root := range x.roots(n.owner) {
		if root == n.owner {
			x.renameInVariables(testsOf(root), n.text)
			continue
		}
		d := x.file(root)
		for _, by := range d.outline.All("include") {
			if path, ok := d.includedPath(by); !ok || x.key(path) != n.owner {
				continue
			}
			for _, a := range by.Attributes {
				if a.Name.Text == n.text {
					x.replace(root, spanOf(a.Name))
				}
			}
		}
	}
}

// renameInVariables notes the keys of a name in the attribute variables of tests.
func (x *project) renameInVariables(tests, text string) {
	d := x.file(tests)
	if d == nil {
		return
	}
	key := regexp.MustCompile(`(?m)(?:^|[{,])[ \t]*"?(` + regexp.QuoteMeta(text) + `)"?[ \t]*[=:]`)
	for _, b := range d.outline.All("test") {
		for _, a := range b.Attributes {
			if a.Name.Text != "variables" {
				continue
			}
			for _, at := range key.FindAllStringSubmatchIndex(a.Value.Text, -1) {
				x.replace(tests, Span{a.Value.Start + at[2], a.Value.Start + at[3]})
			}
		}
	}
}

// renamePlugin notes the plugin block and the steps of the pipeline that has it, also in files that it includes and in other
// pipelines that include these.
func (x *project) renamePlugin(n name) {
	roots := []string{n.owner}
	done := map[string]bool{}
	for len(roots) > 0 {
		root := roots[0]
		if roots = roots[1:]; done[root] {
			continue
		}
		done[root] = true
		x.renameLabels(root, "plugin", 0, n.text)
		x.renameLabels(root, "step", 0, n.text)
		for _, steps := range x.included(root) {
			if x.renameLabels(steps, "step", 0, n.text) {
				roots = append(roots, x.roots(steps)...)
			}
		}
	}
}

// renameBlock notes the name of a block, and where tests of the pipelines that have it use it.
func (x *project) renameBlock(n name) {
	x.renameLabels(n.owner, n.kind, len(config.Labels(n.kind))-1, n.text)
	for _, root := range x.roots(n.owner) {
		tests := testsOf(root)
		if x.file(tests) == nil {
			continue
		}
		switch n.kind {
		case "source":
			x.renameLabels(tests, "input", 0, n.text)
		case "step":
			x.renameLabels(tests, "mock", 0, n.text)
		}
		x.renameExpected(tests, n)
	}
}

// renameExpected notes a name in what tests expect: of a sink, of the step of an output, and the attributes step, sink and output.
func (x *project) renameExpected(tests string, n name) {
	outline := x.file(tests).outline
	for _, b := range outline.All("expect") {
		if len(b.Labels) < 2 {
			continue
		}
		switch kind, at := b.Label(0), b.Labels[1]; {
		case kind == "sink" && n.kind == "sink" && at.Text == n.text:
			x.replace(tests, spanOf(at))
		case kind == "output" && n.kind == "step" && strings.HasPrefix(at.Text, n.text+"."):
			x.replace(tests, Span{at.Start, at.Start + len(n.text)})
		}
	}
	for _, kind := range []string{"expect", config.Never, config.Always} {
		for _, b := range outline.All(kind) {
			for _, a := range b.Attributes {
				text, at := strings.Trim(a.Value.Text, `"`), a.Value.Start+1
				whole := text == n.text && (a.Name.Text == "step" || a.Name.Text == n.kind)
				if whole || a.Name.Text == "output" && n.kind == "step" && strings.HasPrefix(text, n.text+".") {
					x.replace(tests, Span{at, at + len(n.text)})
				}
			}
		}
	}
}

// renameLabels notes a label of blocks of a kind, and reports whether there is one.
func (x *project) renameLabels(path, kind string, label int, text string) (found bool) {
	for _, b := range x.file(path).outline.All(kind) {
		if b.Label(label) == text {
			x.replace(path, spanOf(b.Labels[label]))
			found = true
		}
	}
	return found
}

func testsOf(root string) string { return strings.TrimSuffix(root, ".hcl") + config.TestEnding }

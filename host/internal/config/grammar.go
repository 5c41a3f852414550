package config

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// form is what one kind of block takes.
type form struct {
	labels     []string // what each label means
	free       bool     // labels are any text
	inner      bool     // a label names the block within the one around it, not within the file
	repeats    bool     // several may have one label
	attributes []string // of the host
	open       bool     // attributes belong to the plugin, source or sink
	blocks     []string // blocks inside it
	once       []string // those of them that may be there once
	needs      []need
}

// need is an attribute or block that has to be there; or names a block that does as well.
type need struct{ word, or, why string }

// stream are the blocks that records go through.
var stream = []string{"step", "first", "route", "tee", "shadow", "sink"}

// The top levels of files.
const (
	pipelineFile = ""
	testFile     = "NAME" + TestEnding
)

// grammar has the form of every kind of block. A kind of two words is a block whose first label is the second word.
var grammar = map[string]form{
	pipelineFile: {
		blocks: append([]string{"variable", "plugin", "source", "dead_letter", "manifest"}, stream...),
		once:   []string{"dead_letter", "manifest"},
		needs:  []need{{word: "source", why: "want at least one, to say where records come from"}},
	},
	"variable": {labels: []string{"NAME"}, attributes: []string{"default", "type", "description", "sensitive"}},
	"plugin":   {labels: []string{"NAME"}, attributes: []string{"path", "sha256", "name", "env"}},
	"source":   {labels: []string{"TYPE", "NAME"}, open: true},
	"step":     {labels: []string{"PLUGIN", "NAME"}, open: true, blocks: []string{"host", "output"}, once: []string{"host"}},
	"host":     {attributes: []string{"workers", "process", "timeout", "memory", "on_crash", "env", "deprecated", "enabled"}},
	"output": {
		labels: []string{"NAME"}, inner: true, blocks: []string{"sink"}, once: []string{"sink"},
		needs: []need{{word: "sink", why: "want one, to say where the rows go"}},
	},
	"first": {
		labels: []string{"NAME"}, attributes: []string{"report"}, blocks: []string{"step", "shadow"},
		needs: []need{{word: "step", or: "shadow", why: "want at least one; they are tried in order until one does not decline"}},
	},
	"route": {
		labels: []string{"NAME"}, attributes: []string{"on"}, blocks: []string{"case", "default"}, once: []string{"default"},
		needs: []need{
			{word: "on", why: `want a path into the record such as "metadata.split", or a label such as "@split"`},
			{word: "case", why: "add at least one; use a tee for a branch that every record takes"},
		},
	},
	"case":    {labels: []string{"VALUE"}, free: true, inner: true, blocks: stream},
	"default": {blocks: stream},
	"tee":     {labels: []string{"NAME"}, blocks: stream},
	"shadow": {
		labels: []string{"NAME"}, attributes: []string{"limit", "report", "values"},
		blocks: []string{"current", "candidate", "sink"}, once: []string{"current", "candidate", "sink"},
		needs: []need{
			{word: "current", why: "want a block with the step whose records go on"},
			{word: "candidate", why: "want a block with the step to compare"},
		},
	},
	"current":     {blocks: []string{"step"}, once: []string{"step"}, needs: []need{{word: "step", why: "want one, whose records go on"}}},
	"candidate":   {blocks: []string{"step"}, once: []string{"step"}, needs: []need{{word: "step", why: "want one, to compare"}}},
	"sink":        {labels: []string{"TYPE", "NAME"}, open: true},
	"manifest":    {attributes: []string{"path"}, needs: []need{{word: "path", why: "want the path of a file"}}},
	"dead_letter": {attributes: []string{"limit"}, blocks: []string{"sink"}, once: []string{"sink"}},

	testFile: {
		blocks: []string{"test"},
		needs:  []need{{word: "test", why: "want at least one"}},
	},
	"test": {
		labels: []string{"NAME"}, free: true, attributes: []string{"variables"},
		blocks: append([]string{"input"}, expectations...),
		needs:  []need{{word: "input", why: "want at least one, to say what a source reads"}},
	},
	"input":      {labels: []string{"SOURCE"}, inner: true, attributes: []string{"rows", "text", "file", "name"}},
	expectSink:   {labels: []string{"NAME"}, inner: true, repeats: true, attributes: []string{"rows", "contains", "count", "bytes", "path"}},
	expectOutput: {labels: []string{"STEP.OUTPUT"}, free: true, inner: true, repeats: true, attributes: []string{"rows", "contains", "count", "bytes"}},
	expectReject: {attributes: []string{"code", "step", "path", "line", "count"}},
	expectDrop:   {attributes: []string{"reason", "step", "count"}},
}

// What a test may expect.
const (
	expectSink   = "expect sink"
	expectOutput = "expect output"
	expectReject = "expect reject"
	expectDrop   = "expect drop"
)

var expectations = []string{expectSink, expectOutput, expectReject, expectDrop}

// kindOf returns the kind of a block inside one of this form.
func (s form) kindOf(h *hclsyntax.Block) string {
	twoWords := func(kind string) bool { return strings.HasPrefix(kind, h.Type+" ") }
	if len(h.Labels) > 0 && slices.ContainsFunc(s.blocks, twoWords) {
		return h.Type + " " + h.Labels[0]
	}
	return h.Type
}

// places names the blocks that a kind of block may stand in, for a person to read.
func places(kind string) string {
	var in []string
	for k, s := range grammar {
		if k != pipelineFile && slices.Contains(s.blocks, kind) {
			in = append(in, k)
		}
	}
	slices.Sort(in)
	top := slices.Contains(grammar[pipelineFile].blocks, kind)
	switch {
	case top && in == nil:
		return "belongs at the top level"
	case top:
		return "belongs at the top level or in " + strings.Join(in, ", ")
	}
	return "belongs in " + strings.Join(in, ", ")
}

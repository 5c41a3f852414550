package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/sluicehq/sluice/sdk/nearest"
)

// TestEnding is how the name of a file of tests ends; its pipeline has .hcl there.
const TestEnding = ".test.hcl"

// A TestFile is the tests of one pipeline, NAME.test.hcl next to NAME.hcl.
type TestFile struct {
	Path   string
	Dir    string      // absolute folder of the file
	Tests  []Test      // in file order
	Always []Invariant // of all tests, in file order
	Layout *Layout

	file  *listing
	given Given
}

// A Test expects what its pipeline makes of some input.
type Test struct {
	Name    string
	Vars    map[string]string // of the pipeline, as --var sets them
	Inputs  []Input
	Expects []Expect // in file order
	Always  []Invariant
	Mocks   []Mock // also those of the file
	Range   Range
}

// An Input is what a source reads in a test: rows, a text, or files.
type Input struct {
	Source string // its name
	Rows   *Rows  // nil when a text or a file is given
	File   string // a file or a pattern, from the folder of the test file; "" when rows or a text are given
	Name   string // of a file with Text otherwise
	Text   string
	Range  Range
}

// An Expect is one thing that a test expects. What it leaves out is empty, nil, or -1 for Count.
type Expect struct {
	Kind string // ExpectSink and so on
	Sink *Block // the sink, also that of a side output

	Rows     *Rows  // all rows of the sink
	Contains *Rows  // each row has all members of one of these, in their order
	Bytes    bool   // rows are compared byte for byte
	File     string // how the path of one of the sink's files ends, when it has several

	Code, Path, Step, Reason string // of rejects and drops; Step is a name
	Line                     int64  // of the input; 0 when it is not given

	Count int64
	Range Range // of the header
	at    map[string]Range
}

// RangeOf returns the range of an attribute of the block, or else that of the block.
func (e *Expect) RangeOf(attr string) Range {
	if at, ok := e.at[attr]; ok {
		return at
	}
	return e.Range
}

// Rows are JSON values that follow each other in a text.
type Rows struct {
	All   []Row
	Range Range // of the value of the attribute
}

// A Row is one JSON value of Rows.
type Row struct {
	Text string // as it is written, without white space around it
	Line int    // of the file; that of the attribute when the text is not written out there
}

// LoadTests reads the tests of one pipeline, with the blocks of the pipeline. All mistakes are reported at once;
// the file is nil when there is any.
func LoadTests(path string, given Given) (*TestFile, Diagnostics) {
	name, ok := strings.CutSuffix(path, TestEnding)
	if !ok {
		return nil, Diagnostics{fileError(path, "not a test file", "want NAME"+TestEnding+" next to the pipeline NAME.hcl", "")}
	}
	src, diags := read(path)
	if diags != nil {
		return nil, diags
	}
	pipeline := name + ".hcl"
	if _, err := os.Stat(pipeline); errors.Is(err, fs.ErrNotExist) {
		return nil, Diagnostics{fileError(path, "no pipeline for these tests", "want it at "+pipeline, "")}
	}
	layout, diags := LoadLayout(pipeline)
	if diags.HasErrors() {
		return nil, diags
	}
	return ParseTests(path, src, layout, given)
}

// ParseTests reads tests of the pipeline that has a layout.
func ParseTests(path string, src []byte, layout *Layout, given Given) (*TestFile, Diagnostics) {
	l := newLoader(path, src, given)
	f := &TestFile{Path: path, Dir: l.dir, Layout: layout, file: l.file, given: given}
	if top := l.top(TestFileKind, "want at least one test"); top != nil {
		t := testLoader{l, layout}
		var mocks []Mock
		for _, b := range top.blocks {
			switch b.kind {
			case "test":
				f.Tests = append(f.Tests, t.test(b))
			case "mock":
				mocks = append(mocks, t.mock(b))
			default:
				f.Always = append(f.Always, t.invariant(b))
			}
		}
		for i := range f.Tests {
			f.Tests[i].Mocks = with(f.Tests[i].Mocks, mocks)
		}
	}
	if l.done().HasErrors() {
		return nil, l.diags
	}
	return f, nil
}

// A testLoader reads tests of one pipeline.
type testLoader struct {
	*loader
	layout *Layout
}

func (l testLoader) test(b *block) Test {
	t := Test{Name: b.name(), Vars: l.testVars(b), Range: b.at}
	for _, c := range b.blocks {
		switch c.kind {
		case "input":
			t.Inputs = append(t.Inputs, l.input(c))
		case "mock":
			t.Mocks = append(t.Mocks, l.mock(c))
		case Never, Always:
			t.Always = append(t.Always, l.invariant(c))
		default:
			t.Expects = append(t.Expects, l.expect(c))
		}
	}
	return t
}

// testVars returns the variables that a test sets in its pipeline.
func (l testLoader) testVars(b *block) map[string]string {
	vars := map[string]string{}
	v, ok := l.attr(b, "variables")
	if !ok {
		return vars
	}
	value := b.attrs["variables"].value
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		l.wrongValue(b, "variables", `a map such as { target = "qwen3" }`, l.describe(v, value), "")
		return vars
	}
	at := map[string]Range{}
	l.locate(at, "variables", value)
	known := l.layout.names("variable")
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		name := key.AsString()
		switch {
		case !slices.Contains(known, name):
			l.diags = append(l.diags, l.file.at(at["variables."+name], b.context, fmt.Sprintf("unknown variable %q in %s", name, b.title()),
				l.known("variables", known), nearest.Word(name, known)))
		case element.IsNull():
		case element.Type() == cty.String:
			vars[name] = element.AsString()
		default: // as --var takes it, where strings are templates
			vars[name] = escapes.Replace(string(appendJSON(nil, element)))
		}
	}
	return vars
}

// known lists what a name may be.
func (l testLoader) known(what string, names []string) string {
	if len(names) == 0 {
		return l.layout.Path + " has no " + what
	}
	return "want " + OneOf(names)
}

// refer reports a name that the pipeline has not.
func (l testLoader) refer(b *block, attr, what, name string, kinds ...string) {
	names := l.layout.names(kinds...)
	if slices.Contains(names, name) {
		return
	}
	at := b.header
	if a, ok := b.attrs[attr]; ok {
		at = a.value.Range()
	}
	l.unknown(b, at, what, name, names)
}

func (l testLoader) unknown(b *block, at hcl.Range, what, name string, names []string) {
	near := nearest.Word(name, names)
	if _, own, _ := strings.Cut(name, "."); slices.Contains(names, own) { // as messages say it, with its type
		near = own
	}
	l.report(at, b.context, fmt.Sprintf("unknown %s %q in %s", what, name, b.title()), l.known(what+"s", names), near)
}

func (l testLoader) input(b *block) Input {
	in := Input{Source: b.name(), Rows: l.rows(b, "rows"), File: l.nonEmpty(b, "file", "the path of a file"), Name: l.nonEmpty(b, "name", "the name of a file"), Range: b.at}
	l.refer(b, "", "source", in.Source, "source")
	switch have := b.wrote("rows", "text", "file"); {
	case len(have) != 1 && !l.broken:
		l.report(b.header, b.context, fmt.Sprintf("want one of rows, text and file in %s, have %s", b.title(), cmp.Or(strings.Join(have, " and "), "none")),
			"rows are JSON, text is read byte for byte, file is the path of a file", "")
	case in.Name != "" && in.File != "":
		l.wrongValue(b, "name", "it only with rows or text", "it with file", "")
	case strings.ContainsAny(in.Name, `/\`) || strings.HasPrefix(in.Name, "."):
		l.wrongValue(b, "name", `the name of a file such as "talk.json"`, "a path", "")
	}
	if in.File == "" {
		l.inputText(b, &in)
	}
	return in
}

// inputText sets the text of an input, and a name with the ending that its source expects.
func (l testLoader) inputText(b *block, in *Input) {
	kind := ""
	for _, s := range l.layout.All("source") {
		if s.Name() == in.Source {
			kind = s.Labels[0]
		}
	}
	if in.Name == "" {
		in.Name = in.Source + l.in.Ending(kind)
	}
	if in.Rows != nil {
		lines := make([]string, len(in.Rows.All))
		for i, row := range in.Rows.All {
			lines[i] = oneLine(row.Text)
		}
		var ok bool
		if in.Text, ok = l.in.Join(kind, lines); !ok {
			l.report(b.attrs["rows"].name, b.context, "a source of type "+kind+" reads no rows", "want text in "+b.title()+", or file", "")
		}
	} else if text, ok := l.str(b, "text"); ok {
		in.Text = l.raw(b.attrs["text"].value, text)
	}
}

// wrote returns which of the attributes the block has.
func (b *block) wrote(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { _, ok := b.attrs[name]; return !ok })
}

func (l testLoader) expect(b *block) Expect {
	e := Expect{Kind: b.kind, Count: l.integer(b, "count", 0, -1), Range: b.at, at: map[string]Range{}}
	for name, a := range b.attrs {
		e.at[name] = l.file.rangeOf(a.value.Range())
	}
	switch b.kind {
	case ExpectSink, ExpectOutput:
		l.expectRows(b, &e)
	case ExpectReject:
		e.Code, e.Path, e.Line = l.text(b, "code"), l.text(b, "path"), l.integer(b, "line", 1, 0)
		if e.Step = l.text(b, "step"); e.Step != "" {
			l.refer(b, "step", "step", e.Step, "step", "source", "route", "first", "sink")
		}
	case ExpectDrop:
		e.Reason = l.text(b, "reason")
		if e.Step = l.text(b, "step"); e.Step != "" {
			l.refer(b, "step", "step", e.Step, "step")
		}
	}
	return e
}

func (l testLoader) expectRows(b *block, e *Expect) {
	e.Rows, e.Contains, e.Bytes = l.rows(b, "rows"), l.rows(b, "contains"), l.boolean(b, "bytes", false)
	e.File = l.nonEmpty(b, "path", "how the path of a file ends")
	e.Sink = l.sinkOf(b, b.header, b.kind, b.name())
	if len(b.wrote("rows", "contains", "count")) == 0 && !l.broken {
		l.report(b.header, b.context, b.title()+" is empty", "write rows, contains or count in it", "")
	}
	if e.Bytes && len(b.wrote("rows")) == 0 {
		l.wrongValue(b, "bytes", "it with rows", "no rows", "")
	}
}

// sinkOf finds the sink that a block names at a range. The sink of a side output is named by the output.
func (l testLoader) sinkOf(b *block, at hcl.Range, kind, name string) *Block {
	var names []string
	if kind == ExpectOutput {
		for _, o := range l.layout.All("output") {
			output := o.Above.Name() + "." + o.Name()
			if output == name {
				return o.Blocks[0]
			}
			names = append(names, output)
		}
		l.unknown(b, at, "output", name, names)
		return nil
	}
	for _, s := range l.layout.All("sink") {
		takes, suggestion := "", ""
		if above := s.Above; above != nil && above.Kind == "output" {
			takes, suggestion = "a side output", l.instead(b, ExpectOutput, above.Above.Name()+"."+above.Name())
		} else if above != nil && above.Kind == "dead_letter" {
			takes, suggestion = "the rejects", l.instead(b, ExpectReject, "")
		}
		switch {
		case s.Name() == name && takes == "":
			return s
		case s.Name() == name:
			l.report(at, b.context, fmt.Sprintf("sink %q takes %s", name, takes), "", suggestion)
			return nil
		case takes == "":
			names = append(names, s.Name())
		}
	}
	l.unknown(b, at, "sink", name, names)
	return nil
}

// instead returns what a block writes for rows that come from no sink of the stream.
func (l testLoader) instead(b *block, kind, name string) string {
	switch {
	case b.kind == ExpectSink:
		return strings.TrimSpace(kind + " " + name)
	case kind == ExpectReject:
		return "rejects = true"
	}
	return fmt.Sprintf("output = %q", name)
}

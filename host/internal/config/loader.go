package config

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// loader is the state of reading one pipeline, with the files that it includes, or one file of tests.
type loader struct {
	*hclFile // the file whose blocks are being read

	in       Given
	main     *hclFile
	files    map[string]*hclFile // by path
	includes []*include
	dir      string
	shared   Args                 // of the first whose members are being read
	first    map[string]hcl.Range // the first block of each kind and name
	plugins  map[string]bool      // plugins that a step uses, enabled or not

	mispinned  map[string]bool // plugins with a mistake in their block
	incomplete bool            // a block was not understood

	reads    []Reading
	withheld []Reading
	trusted  func() bool // whether the user trusts the pipeline
	diags    Diagnostics
}

// hclFile is the state of reading one file.
type hclFile struct {
	file     *listing
	what     string      // the file is, as in "the pipeline"
	syntax   []hcl.Range // where the syntax is wrong; nothing there is evaluated
	broken   bool        // blocks may be missing from the tree, so none is reported as absent
	unclosed bool        // blocks may be inside others than they were meant to
	spoilt   []hcl.Range // blocks of the top level in which HCL has found its way again, but may have moved what is in them
	scope    *hcl.EvalContext
	vars     map[string]cty.Value // nil while the defaults of variables are read
	unset    map[string]bool      // variables without a value
	used     map[string]bool      // variables that something uses
	idle     map[string]bool      // variables in paths that are not read
	secret   map[string]bool      // sensitive variables
}

func (l *loader) newHCLFile(file *listing) *hclFile {
	u := &hclFile{file: file, scope: l.newScope(), unset: map[string]bool{}, used: map[string]bool{}, idle: map[string]bool{}, secret: map[string]bool{}}
	l.files[file.path] = u
	return u
}

// enter makes the blocks of a file those that are being read, until the function that it returns is called.
func (l *loader) enter(u *hclFile) (leave func()) {
	before := l.hclFile
	l.hclFile = u
	return func() { l.hclFile = before }
}

// report adds an error at a range of the file.
func (l *loader) report(at hcl.Range, context, summary, detail, suggestion string) {
	file := l.file
	if u := l.files[at.Filename]; u != nil {
		file = u.file
	}
	l.diags = append(l.diags, file.at(file.rangeOf(at), context, summary, detail, suggestion))
}

// reportFile adds an error about the whole file.
func (l *loader) reportFile(summary, detail string) {
	d := fileError(l.file.path, summary, detail, "")
	d.IncludedBy = l.file.by
	l.diags = append(l.diags, d)
}

// addHCL adds what HCL found, in the style of this package.
func (l *loader) addHCL(diags hcl.Diagnostics, context string) {
	for _, d := range diags {
		summary, detail := lowerFirst(d.Summary), lowerFirst(strings.TrimSuffix(d.Detail, "."))
		call, isCall := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
		switch {
		case !isCall:
			summary = strings.ReplaceAll(summary, "argument", "attribute")
			detail = strings.ReplaceAll(detail, "argument", "attribute")
		case call.FunctionCallError() != nil:
			detail = call.CalledFunctionName() + ": " + call.FunctionCallError().Error()
		}
		if context != "" {
			summary += " in " + context
		}
		var at hcl.Range
		if d.Subject != nil {
			at = *d.Subject
		}
		l.report(at, context, summary, detail, "")
	}
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' || len(s) > 1 && s[1] == ' ' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

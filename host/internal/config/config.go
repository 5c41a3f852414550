// Package config reads a pipeline file: HCL to an ordered tree, with every mistake of the file as a diagnostic.
// It starts nothing and knows no plugin, source or sink.
//
// A file is read in four passes: form (which blocks, labels, attributes and names belong where, by the table in
// grammar.go), reach (every record reaches a sink), values (variables first, then everything that uses them), and uses
// (what has no effect).
package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// The HCL parser recurses once per nested bracket and a stack overflow cannot be caught, so both are bounded.
const (
	maxSize  = 128 << 10
	maxDepth = 100
)

// Given is what a pipeline file gets from outside. The zero value has no variables and an empty environment.
type Given struct {
	Vars map[string]string           // from --var name=value
	Flag string                      // the flag that sets Vars, for messages; "--var" when empty
	Env  func(string) (string, bool) // os.LookupEnv; read for SLUICE_VAR_name and env("NAME")
	// Pathless leaves the paths of the sources unread and empty, for a run that reads other files.
	Pathless bool
	Steps    map[string][]byte // texts to read instead of files of steps, by their names in include blocks
	// Trusted reports whether the user trusts a pipeline with this hash. What env and file would take from outside of the folder of
	// one that is not trusted is withheld: it is not read, and what needs it has no value. When it is nil, every pipeline is trusted.
	Trusted func(sha256 string) bool
	// Draft is for a file that is not run: a variable without a value is a warning, and what needs it is left out.
	Draft bool
	// Ending returns how the files of a type of source are named, such as ".jsonl", and Join writes rows, each on one line, as
	// the text of such a file, or reports false when it does not hold JSON. ParseTests and LoadTests need both.
	Ending func(kind string) string
	Join   func(kind string, rows []string) (text string, ok bool)
}

// Load reads one pipeline file. All mistakes are reported at once; the pipeline is nil when any is an error, and comes
// with the warnings otherwise.
func Load(path string, given Given) (*Pipeline, Diagnostics) {
	p, diags := LoadMistaken(path, given)
	if diags.HasErrors() {
		return nil, diags
	}
	return p, diags
}

// LoadMistaken does what Load does, and returns what can be read of a file with mistakes, in which more of them can be found. The
// pipeline is nil when the syntax is wrong.
func LoadMistaken(path string, given Given) (*Pipeline, Diagnostics) {
	src, diags := read(path)
	if diags != nil {
		return nil, diags
	}
	return ParseMistaken(path, src, given)
}

// ParseMistaken does what LoadMistaken does, with src as the text of the file.
func ParseMistaken(path string, src []byte, given Given) (*Pipeline, Diagnostics) {
	l := newLoader(path, src, given)
	p := l.pipeline()
	diags := l.done()
	if p != nil {
		p.Mistaken = diags.HasErrors() || len(p.Withheld) > 0
	}
	if l.broken {
		p = nil
	}
	return p, diags
}

func read(path string) ([]byte, Diagnostics) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, Diagnostics{fileError(path, "a pipeline is a file, this is a directory", "want the path of an .hcl file", nearestFile(path, ""))}
	}
	var src []byte
	if err == nil {
		src, err = os.ReadFile(path)
	}
	if oserr.Missing(err) {
		return nil, Diagnostics{fileError(path, "no such file", "want the path of an .hcl file", nearestFile(filepath.Dir(path), filepath.Base(path)))}
	}
	if err != nil {
		return nil, Diagnostics{fileError(path, "cannot read the file", err.Error(), "")}
	}
	return src, nil
}

// Parse reads a pipeline from src. The path names it in diagnostics, and its folder is pipeline.dir.
func Parse(path string, src []byte, given Given) (*Pipeline, Diagnostics) {
	l := newLoader(path, src, given)
	p := l.pipeline()
	if l.done().HasErrors() {
		return nil, l.diags
	}
	return p, l.diags
}

func newLoader(path string, src []byte, given Given) *loader {
	abs, err := filepath.Abs(path)
	given.Flag = cmp.Or(given.Flag, "--var")
	if given.Env == nil {
		given.Env = func(string) (string, bool) { return "", false }
	}
	l := &loader{
		in:      given,
		dir:     filepath.Dir(abs),
		first:   map[string]hcl.Range{},
		plugins: map[string]bool{},
		files:   map[string]*hclFile{},

		mispinned: map[string]bool{},
	}
	l.trusted = sync.OnceValue(func() bool { return given.Trusted == nil || given.Trusted(l.sum()) })
	l.hclFile = l.newHCLFile(&listing{path: path, src: src, secrets: &secrets{}})
	l.main = l.hclFile
	if err != nil {
		l.diags = Diagnostics{fileError(path, "cannot find the folder of the file", err.Error(), "")}
	}
	return l
}

// done returns the diagnostics of a file that was read, in their order.
func (l *loader) done() Diagnostics {
	for i := range l.diags { // some came before it was known what to hide
		if u := l.files[l.diags[i].Path]; u != nil {
			l.diags[i].Source = u.file.line(l.diags[i].Line)
		}
	}
	l.diags.Sort()
	return l.diags
}

// pipeline runs the passes; what it returns is whole only when no error was reported.
func (l *loader) pipeline() *Pipeline {
	if strings.HasSuffix(l.file.path, StepsEnding) {
		l.diags = append(l.diags, fileError(l.file.path, "a file of steps is no pipeline by itself", "want a pipeline, such as one that includes it", ""))
		return nil
	}
	top := l.top(PipelineFileKind, "want at least a source and a sink")
	if top == nil {
		return nil
	}
	if !l.broken { // otherwise the sink may be what was not understood
		l.checkSequence(top, true)
		l.sourcesFirst(top)
	}
	p := &Pipeline{
		Path: l.file.path, Dir: l.dir, SHA256: l.sum(),
		Plugins: map[string]Pin{}, Hash: filehash.Default, file: l.file,
	}
	p.Vars = l.variables(top)
	for _, x := range l.includes {
		l.setVariables(x)
	}
	for _, b := range top.blocks {
		switch b.kind {
		case "plugin":
			before := len(l.diags)
			p.Plugins[b.name()] = l.pin(b)
			l.mispinned[b.name()] = len(l.diags) > before
		case "source":
			if args := l.sourceArgs(b); b.labelled() {
				p.Sources = append(p.Sources, Source{Type: b.labels[0], Name: b.labels[1], Args: args, Range: b.at})
			}
		case "dead_letter":
			p.DeadLetter = &DeadLetter{Limit: l.limit(b), Sink: l.sinkIn(b)}
		case "receipt":
			p.Hash = l.choice(b, "hash", filehash.Algorithms...)
		case "manifest":
			p.Manifest = &Manifest{Path: l.nonEmpty(b, "path", "the path of a file"), Range: b.at}
		}
	}
	p.Body = l.sequence(top)
	p.Reads, p.Withheld = l.sorted(l.reads), l.sorted(l.withheld)
	p.Incomplete = l.incomplete
	tops := []*block{top}
	for _, x := range l.includes {
		if x.top != nil {
			tops = append(tops, x.top)
		}
	}
	l.checkUses(tops...)
	l.distrust(p)
	return p
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// parse returns the syntax tree, or nil when the file is not worth reading any further.
func (l *loader) parse() *hclsyntax.Body {
	path, src := l.file.path, l.file.src
	if strings.EqualFold(filepath.Ext(path), ".json") {
		l.reportFile("JSON is not supported", "want HCL in its native syntax, in an .hcl file")
		return nil
	}
	if len(src) > maxSize {
		l.reportFile(l.what+" is too large", fmt.Sprintf("want at most %d bytes, have %d; long lists belong in a file of their own", maxSize, len(src)))
		return nil
	}
	if at, deep := tooDeep(src, path); deep {
		l.report(at, "", "nested too deep", fmt.Sprintf("want at most %d brackets inside each other", maxDepth), "")
		return nil
	}
	body, diags := parseFrom(src, path, hcl.InitialPos)
	if diags.HasErrors() {
		body, diags, l.spoilt = parseApart(src, path)
	}
	for _, d := range diags {
		if d.Subject != nil {
			l.syntax = append(l.syntax, *d.Subject)
		}
		l.broken = l.broken || d.Summary != redefined
		l.unclosed = l.unclosed || d.Summary == "Unclosed configuration block"
	}
	if len(diags) > 0 {
		l.file.hideUnread()
	}
	l.addHCL(diags, "")
	return body
}

// redefined is the one error of HCL after which all blocks are where they were written.
const redefined = "Attribute redefined"

func parseFrom(src []byte, path string, start hcl.Pos) (*hclsyntax.Body, hcl.Diagnostics) {
	file, diags := hclsyntax.ParseConfig(src, path, start)
	return file.Body.(*hclsyntax.Body), diags
}

var topLevel = regexp.MustCompile(`(?m)^[A-Za-z_]\w*(?:[ \t]+"[^"\n]*")*[ \t]*\{`)

// parseApart parses every block that starts a line by itself. HCL stops at the first bracket or quote that is
// never closed; this way the rest of the file is read all the same. It also returns where the syntax is wrong.
func parseApart(src []byte, path string) (all *hclsyntax.Body, diags hcl.Diagnostics, spoilt []hcl.Range) {
	all = &hclsyntax.Body{Attributes: hclsyntax.Attributes{}}
	start := hcl.InitialPos
	ends := topLevel.FindAllIndex(src, -1)
	for i := range len(ends) + 1 {
		end := len(src)
		if i < len(ends) {
			end = ends[i][0]
		}
		part := src[start.Byte:end]
		body, found := parseFrom(part, path, start)
		diags = append(diags, withoutEchoes(found)...)
		if slices.ContainsFunc(found, func(d *hcl.Diagnostic) bool { return d.Summary != redefined }) {
			spoilt = append(spoilt, hcl.Range{Start: start, End: hcl.Pos{Byte: end}})
		}
		maps.Copy(all.Attributes, body.Attributes)
		all.Blocks = append(all.Blocks, body.Blocks...)
		start.Byte, start.Line = end, start.Line+bytes.Count(part, []byte("\n"))
	}
	return all, diags, spoilt
}

// ofQuotes are the errors that HCL has for a missing quote, one after the other.
var ofQuotes = []string{
	"Invalid multi-line string", "Unterminated template string", "Invalid string literal",
	"Extra characters after interpolation expression", "Unclosed template interpolation sequence",
}

// withoutEchoes leaves the first error of a missing quote, which HCL repeats in other words for what comes after it.
func withoutEchoes(diags hcl.Diagnostics) hcl.Diagnostics {
	if !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool { return slices.Contains(ofQuotes[:2], d.Summary) }) {
		return diags
	}
	var first *hcl.Diagnostic
	for _, d := range diags {
		if slices.Contains(ofQuotes, d.Summary) && d.Subject != nil && (first == nil || d.Subject.Start.Byte < first.Subject.Start.Byte) {
			first = d
		}
	}
	return slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return d != first && slices.Contains(ofQuotes, d.Summary) })
}

// tooDeep reports the bracket that is one too many.
func tooDeep(src []byte, path string) (hcl.Range, bool) {
	tokens, _ := hclsyntax.LexConfig(src, path, hcl.InitialPos)
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			depth--
		}
		if depth > maxDepth {
			return t.Range, true
		}
	}
	return hcl.Range{}, false
}

// nearestFile suggests a pipeline in dir: the one whose name is like name, or else the only one.
func nearestFile(dir, name string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "*.hcl"))
	found = slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, TestEnding) || strings.HasSuffix(f, StepsEnding) })
	if len(found) == 1 {
		return found[0]
	}
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	if near := nearest.Word(name, names); near != "" {
		return filepath.Join(dir, near)
	}
	return ""
}

// Format returns src with the spacing that all files of this language have: blocks indented by two blanks, and the = of
// neighbouring attributes below each other. It fails when the syntax is wrong, and looks at nothing but that.
func Format(path string, src []byte) ([]byte, Diagnostics) {
	l := newLoader(path, src, Given{})
	if l.parse(); l.done().HasErrors() {
		return nil, l.diags
	}
	return hclwrite.Format(src), nil
}

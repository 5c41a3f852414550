package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/sluicehq/sluice/sdk/nearest"
)

// An include is a file of steps in a pipeline, with the block that takes it in.
type include struct {
	by  *block
	top *block // of the file; nil when it could not be read
}

// include reads the file that an include block names, and returns its blocks that records go through, for they are in the
// place of the include block.
func (l *loader) include(parent, b *block) (steps []*block) {
	x := &include{by: b}
	l.includes = append(l.includes, x)
	src, path, ok := l.stepsFile(b)
	if !ok {
		parent.partial, l.incomplete = true, true
		return nil
	}
	u := l.newHCLFile(&listing{path: path, src: src, by: &Position{l.file.path, b.at.Line, b.at.Column}, secrets: l.file.secrets})
	u.scope.Variables["include"] = cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal(filepath.Dir(l.fromDir(x.file())))})
	leave := l.enter(u)
	top := l.top(StepsFileKind, "want at least a step")
	leave()
	if top == nil {
		parent.partial, l.incomplete = true, true
		return nil
	}
	x.top = top
	parent.partial = parent.partial || top.partial || u.broken
	for _, c := range top.all(stream...) {
		if takes := grammar[parent.kind].blocks; !slices.Contains(takes, c.kind) {
			if !l.moved(b.header) {
				l.report(c.header, c.context, fmt.Sprintf("%s does not belong in %s", c.kind, parent.title()), parent.takes(c.kind), "")
			}
			parent.partial, l.incomplete = true, true
			continue
		}
		steps = append(steps, c)
	}
	return steps
}

// file returns the path of the file as it is written.
func (x *include) file() string {
	name, _ := written(x.by.attrs["file"].value)
	return name
}

// fromDir returns a path that is found from the folder of the pipeline.
func (l *loader) fromDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.dir, name)
}

// stepsFile reads the file that an include block names, and returns how messages name it.
func (l *loader) stepsFile(b *block) (src []byte, path string, ok bool) {
	a, given := b.attrs["file"]
	if l.hclFile != l.main {
		l.report(b.header, b.context, "include does not belong in a file of steps", "want it in the pipeline", "")
		return nil, "", false
	}
	if !given {
		return nil, "", false
	}
	name, literal := written(a.value)
	if !literal {
		l.report(a.value.Range(), b.context, "wrong value for file in "+b.title(), "want a path in quotes, without variables and functions, have "+string(a.value.Range().SliceBytes(l.file.src)), "")
		return nil, "", false
	}
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(filepath.Dir(l.file.path), name)
	}
	wrong := func(summary, detail, suggestion string) ([]byte, string, bool) {
		l.report(a.value.Range(), b.context, summary+" in "+b.title(), detail, suggestion)
		return nil, "", false
	}
	switch _, twice := l.files[path]; {
	case !strings.HasSuffix(name, StepsEnding):
		return wrong("not a file of steps", fmt.Sprintf("want the path of a file NAME%s, have %q", StepsEnding, name), l.nearestSteps(name))
	case twice:
		return wrong("second include of "+name, "want each file of steps once in a pipeline, since names of steps are unique", "")
	}
	src, given = l.in.Steps[name]
	var err error
	if !given {
		src, err = os.ReadFile(l.fromDir(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return wrong("no such file", "want the path of a file of steps, from the folder of the pipeline", l.nearestSteps(name))
	}
	if err != nil {
		return wrong("cannot read the file", err.Error(), "")
	}
	l.reads = append(l.reads, Reading{Kind: ReadFile, Name: name, Inside: l.isInside(name), SHA256: hexSHA256(src)})
	return src, path, true
}

// written returns a string that an expression spells out.
func written(expr hclsyntax.Expression) (string, bool) {
	t, ok := expr.(*hclsyntax.TemplateExpr)
	if !ok || !t.IsStringLiteral() {
		return "", false
	}
	v, diags := t.Value(nil)
	return v.AsString(), !diags.HasErrors()
}

// nearestSteps suggests a file of steps near a path: the one whose name is like it, or else the only one.
func (l *loader) nearestSteps(name string) string {
	folder := filepath.Dir(name)
	found, _ := filepath.Glob(filepath.Join(l.fromDir(folder), "*"+StepsEnding))
	for i := range found {
		found[i] = filepath.Join(folder, filepath.Base(found[i]))
	}
	if meant := strings.TrimSuffix(filepath.Clean(name), filepath.Ext(name)) + StepsEnding; slices.Contains(found, meant) {
		return meant
	}
	if len(found) == 1 && found[0] != filepath.Clean(name) {
		return found[0]
	}
	return nearest.Word(name, found)
}

// setVariables evaluates the attributes of an include block, which are the variables of its file.
func (l *loader) setVariables(x *include) {
	var names []string
	if x.top != nil {
		for _, v := range x.top.all("variable") {
			names = append(names, v.name())
		}
	}
	given := map[string]cty.Value{}
	for _, name := range x.by.order {
		if name == "file" {
			continue
		}
		a := x.by.attrs[name]
		v, ok := l.eval(a.value, x.by.title())
		if !ok {
			v = cty.DynamicVal
		}
		given[name] = v
		if x.top != nil && !slices.Contains(names, name) && !x.top.hclFile.broken {
			l.notAVariable(x, name, a.name, names)
		}
	}
	if x.top == nil {
		return
	}
	defer l.enter(x.top.hclFile)()
	l.declare(x.top, func(b *block) (Variable, cty.Value) { return l.included(x.by, b, given) })
}

func (l *loader) notAVariable(x *include, name string, at hcl.Range, names []string) {
	detail := "want " + OneOf(append([]string{"file"}, names...))
	l.report(at, x.by.context, fmt.Sprintf("unknown variable %q in %s", name, x.by.title()), detail, nearest.Word(name, names))
}

// included returns a variable of a file of steps: the value in the include block, unless that is null, or else the default.
func (l *loader) included(by, b *block, given map[string]cty.Value) (Variable, cty.Value) {
	v := Variable{Name: b.name(), Description: l.text(b, "description"), Sensitive: l.sensitive(b)}
	if v.Name == "file" {
		l.report(b.header, b.context, `bad name "file"`, "want another, since the include block has a file", "")
	}
	k, value, ok := l.declared(b)
	set, isSet := given[v.Name]
	switch {
	case !ok:
		return v, cty.DynamicVal
	case isSet && !set.IsKnown():
		return v, cty.DynamicVal
	case isSet && !set.IsNull():
		return v, l.converted(by, k, v, set)
	case value == cty.NilVal:
		l.unset[v.Name] = !l.broken
		return v, cty.DynamicVal
	}
	return v, value
}

// converted returns the value of a variable in an include block, as its type. What is sensitive stays so.
func (l *loader) converted(by *block, k valueType, v Variable, set cty.Value) cty.Value {
	file := l.hclFile
	defer l.enter(by.hclFile)()
	expr := by.attrs[v.Name].value
	if v.Sensitive {
		l.file.hidden = append(l.file.hidden, l.file.rangeOf(expr.Range()))
	}
	file.secret[v.Name] = file.secret[v.Name] || l.isSensitive(expr)
	value, err := convert.Convert(set, k.of)
	if err != nil {
		l.wrongValue(by, v.Name, k.want, l.describe(set, expr), "")
		return cty.DynamicVal
	}
	return value
}

// sum returns the hash of a pipeline with what it includes.
func (l *loader) sum() string {
	text := slices.Clip(l.main.file.src)
	for _, x := range l.includes {
		if x.top != nil {
			text = fmt.Appendf(text, "\n%s", hexSHA256(x.top.hclFile.file.src))
		}
	}
	return hexSHA256(text)
}

// CheckSteps returns the mistakes of a file of steps that show without a pipeline.
func CheckSteps(path string, src []byte, given Given) Diagnostics {
	given.Draft = true
	l := newLoader(path, src, given)
	l.main = &hclFile{file: l.file}
	l.scope.Variables["include"] = cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal(l.dir)})
	top := l.top(StepsFileKind, "want at least a step")
	if top == nil {
		return l.done()
	}
	l.declare(top, func(b *block) (Variable, cty.Value) { return l.included(nil, b, nil) })
	clear(l.unset) // the pipeline sets them
	l.checkSequence(top, false)
	l.sequence(top)
	l.checkUses(top)
	return l.done()
}

package config

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// eval gives the value of an expression. It is not ok after a mistake, which was reported here or where a variable
// it uses is set.
func (r *reader) eval(expr hclsyntax.Expression, context string) (cty.Value, bool) {
	before := len(r.diags)
	for _, t := range expr.Variables() {
		r.checkName(t, context)
	}
	r.checkNodes(expr, context)
	if len(r.diags) > before {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(r.scope)
	r.foreign(diags, context)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return cty.DynamicVal, false
	}
	if hasHuge(v) {
		r.huge(expr.Range(), context)
		return cty.DynamicVal, false
	}
	return v, true
}

// attr gives the value of an attribute of the host; it is not ok when absent, null or wrong.
func (r *reader) attr(b *block, name string) (cty.Value, bool) {
	a, ok := b.attrs[name]
	if !ok {
		return cty.DynamicVal, false
	}
	v, ok := r.eval(a.value, b.title())
	return v, ok && !v.IsNull()
}

// checkName reports a name that stands for no value.
func (r *reader) checkName(t hcl.Traversal, context string) {
	root, next := t.RootName(), ""
	at := t.SourceRange()
	if len(t) > 1 {
		switch step := t[1].(type) {
		case hcl.TraverseAttr:
			next = step.Name
		case hcl.TraverseIndex:
			if step.Key.Type() == cty.String {
				next = step.Key.AsString()
			}
		}
		at = t[:2].SourceRange()
	}
	names := slices.Sorted(maps.Keys(r.vars))
	unknown := func(what, detail, suggestion string) {
		r.report(at, context, "unknown "+what+" in "+context, detail, suggestion)
	}
	switch {
	case root == "pipeline" && next == "dir":
	case root == "pipeline":
		unknown("value of pipeline", "want pipeline.dir, the folder of the file", "pipeline.dir")
	case root == "var" && r.vars == nil:
		r.report(at, context, context+" uses a variable", "want a value without var; env, file and pipeline.dir are there", "")
	case root == "var" && next == "":
		r.report(at, context, "var without a name in "+context, "want var.NAME", "")
	case root == "var" && r.vars[next] == cty.NilVal:
		unknown(fmt.Sprintf("variable %q", next), r.whichVariable(), Nearest(next, names))
	case root != "var":
		suggestion := Nearest(root, []string{"var", "pipeline"})
		if slices.Contains(names, root) {
			suggestion = "var." + root
		}
		unknown(fmt.Sprintf("name %q", root), `want var.NAME, pipeline.dir or env("NAME"); a string is written in quotes`, suggestion)
	}
}

// checkNodes reports calls of functions that do not exist, and numbers that would take ages to write out.
func (r *reader) checkNodes(expr hclsyntax.Expression, context string) {
	names := slices.Sorted(maps.Keys(r.scope.Functions))
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			if !slices.Contains(names, n.Name) {
				r.report(n.NameRange, context, fmt.Sprintf("unknown function %q in %s", n.Name, context),
					"want "+oneOf(names), Nearest(n.Name, names))
			}
		case *hclsyntax.LiteralValueExpr:
			if hasHuge(n.Val) {
				r.huge(n.SrcRange, context)
			}
		}
		return nil
	})
}

func (r *reader) huge(at hcl.Range, context string) {
	r.report(at, context, "number out of range in "+context, "want one that a double can hold, at most 1.8e308", "")
}

// hasHuge reports a number anywhere in v whose size a double cannot hold. Its digits may be more.
func hasHuge(v cty.Value) bool {
	huge := false
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.Number {
			n := v.AsBigFloat()
			f, _ := n.Float64()
			huge = huge || math.IsInf(f, 0) || f == 0 && n.Sign() != 0
		}
		return true, nil
	})
	return huge
}

// unfit reports the value of an attribute of the host.
func (r *reader) unfit(b *block, name, want, have, suggestion string) {
	r.report(b.attrs[name].value.Range(), b.context, fmt.Sprintf("wrong value for %s in %s", name, b.title()),
		fmt.Sprintf("want %s, have %s", want, have), suggestion)
}

// found says what v is. Of strings only those that stand in the file are shown: others may be secrets.
func (r *reader) found(v cty.Value, expr hclsyntax.Expression) string {
	switch t := v.Type(); {
	case isLiteral(expr):
		return string(expr.Range().SliceBytes(r.file.text))
	case v.IsNull():
		return "null"
	case t == cty.Number, t == cty.Bool:
		return string(appendJSON(nil, v))
	case t == cty.String:
		return "a string"
	case t.IsTupleType(), t.IsListType(), t.IsSetType():
		return "a list"
	}
	return "an object"
}

func isLiteral(expr hclsyntax.Expression) bool {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.TemplateExpr:
		return e.IsStringLiteral()
	case *hclsyntax.UnaryOpExpr:
		return isLiteral(e.Val)
	}
	return false
}

// text gives a string, "" by default.
func (r *reader) text(b *block, name string) string {
	s, _ := r.given(b, name)
	return s
}

// filled gives a string that must not be empty when it is there.
func (r *reader) filled(b *block, name, want string) string {
	s, ok := r.given(b, name)
	if ok && s == "" {
		r.unfit(b, name, want, "an empty string", "")
	}
	return s
}

// given gives a string; it is not ok when absent, null or wrong.
func (r *reader) given(b *block, name string) (string, bool) {
	v, ok := r.attr(b, name)
	if !ok {
		return "", false
	}
	if v.Type() != cty.String {
		r.unfit(b, name, "a string", r.found(v, b.attrs[name].value), "")
		return "", false
	}
	return v.AsString(), true
}

// whole gives a whole number of at least least.
func (r *reader) whole(b *block, name string, least, otherwise int64) int64 {
	v, ok := r.attr(b, name)
	if !ok {
		return otherwise
	}
	if n, err := convert.Convert(v, cty.Number); err == nil {
		if i, exact := n.AsBigFloat().Int64(); exact == big.Exact && i >= least {
			return i
		}
	}
	r.unfit(b, name, fmt.Sprintf("a whole number of %d or more", least), r.found(v, b.attrs[name].value), "")
	return otherwise
}

// truth gives true or false.
func (r *reader) truth(b *block, name string, otherwise bool) bool {
	v, ok := r.attr(b, name)
	if !ok {
		return otherwise
	}
	if yes, err := convert.Convert(v, cty.Bool); err == nil {
		return yes.True()
	}
	r.unfit(b, name, "true or false", r.found(v, b.attrs[name].value), "")
	return otherwise
}

// duration gives a time such as "30s", 0 by default.
func (r *reader) duration(b *block, name string) time.Duration {
	v, ok := r.attr(b, name)
	if !ok {
		return 0
	}
	have, suggestion := r.found(v, b.attrs[name].value), ""
	switch v.Type() {
	case cty.String:
		if d, err := time.ParseDuration(v.AsString()); err == nil && d >= 0 {
			return d
		}
	case cty.Number:
		suggestion = string(appendJSON(nil, v)) + "s"
	}
	r.unfit(b, name, `a duration such as "30s", "5m" or "1h30m"`, have, suggestion)
	return 0
}

var (
	sizeForm  = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$`)
	sizeUnits = map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}
)

// size gives bytes, written as a number or as a string; 0 by default.
func (r *reader) size(b *block, name string) int64 {
	v, ok := r.attr(b, name)
	if !ok {
		return 0
	}
	suggestion := ""
	if s, err := convert.Convert(v, cty.String); err == nil {
		n, err := ParseSize(s.AsString())
		if err == nil {
			return n
		}
		suggestion = nearestSize(s.AsString())
	}
	r.unfit(b, name, `a size such as "512MiB" or "2GB"`, r.found(v, b.attrs[name].value), suggestion)
	return 0
}

// ParseSize reads a size such as "512MiB", "1.5 GB" or "4096" in bytes. Units are B, kB or KB, MB, GB, TB, KiB, MiB,
// GiB and TiB.
func ParseSize(s string) (int64, error) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil || sizeUnits[m[2]] == 0 {
		return 0, fmt.Errorf("want a size such as \"512MiB\", have %q", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	n *= sizeUnits[m[2]]
	if err != nil || n != math.Trunc(n) || n >= math.MaxInt64 {
		return 0, fmt.Errorf("want a size in whole bytes that fits 64 bits, have %q", s)
	}
	return int64(n), nil
}

// nearestSize is the size that was probably meant: a unit in the wrong case, or without its B.
func nearestSize(s string) string {
	if m := sizeForm.FindStringSubmatch(s); m != nil && sizeUnits[m[2]] == 0 {
		for _, u := range slices.Sorted(maps.Keys(sizeUnits)) {
			if strings.EqualFold(u, m[2]) || strings.EqualFold(u, m[2]+"iB") {
				return m[1] + u
			}
		}
	}
	return ""
}

// choice gives one of the words, the first by default.
func (r *reader) choice(b *block, name string, words ...string) string {
	v, ok := r.attr(b, name)
	if !ok {
		return words[0]
	}
	given := ""
	if v.Type() == cty.String {
		given = v.AsString()
	}
	if !slices.Contains(words, given) {
		r.unfit(b, name, strconv.Quote(words[0])+" or "+strconv.Quote(words[1]), r.found(v, b.attrs[name].value), Nearest(given, words))
		return words[0]
	}
	return given
}

// envNames gives the names of environment variables.
func (r *reader) envNames(b *block, name string) []string {
	v, ok := r.attr(b, name)
	if !ok {
		return nil
	}
	const want = `a list of names such as ["HOME", "LANG"]`
	list, err := convert.Convert(v, cty.List(cty.String))
	if err != nil {
		r.unfit(b, name, want, r.found(v, b.attrs[name].value), "")
		return nil
	}
	var names []string
	for _, e := range list.AsValueSlice() {
		if e.IsNull() || e.AsString() == "" || strings.Contains(e.AsString(), "=") {
			r.unfit(b, name, want, "one that is empty or has a =; values come from where the command runs", "")
			return nil
		}
		names = append(names, e.AsString())
	}
	return names
}

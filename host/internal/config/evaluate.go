package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// eval returns the value of an expression. It is not ok after a mistake, which was reported here or where a variable
// it uses is set.
func (l *loader) eval(expr hclsyntax.Expression, context string) (cty.Value, bool) {
	before := len(l.diags)
	for _, t := range expr.Variables() {
		l.checkName(t, context)
	}
	l.checkNodes(expr, context)
	if len(l.diags) > before {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(l.scope)
	l.addHCL(diags, context)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return cty.DynamicVal, false
	}
	if hasHuge(v) {
		l.huge(expr.Range(), context)
		return cty.DynamicVal, false
	}
	return v, true
}

// attr returns the value of an attribute of the host; it is not ok when absent, null or wrong.
func (l *loader) attr(b *block, name string) (cty.Value, bool) {
	a, ok := b.attrs[name]
	if !ok {
		return cty.DynamicVal, false
	}
	v, ok := l.eval(a.value, b.title())
	return v, ok && !v.IsNull()
}

// checkName reports a name that has no value.
func (l *loader) checkName(t hcl.Traversal, context string) {
	root, next := t.RootName(), member(t)
	at := t[:min(len(t), 2)].SourceRange()
	names := slices.Sorted(maps.Keys(l.vars))
	unknown := func(what, detail, suggestion string) {
		l.report(at, context, "unknown "+what+" in "+context, detail, suggestion)
		l.used[strings.TrimPrefix(suggestion, "var.")] = true // what was meant counts as used
	}
	if root == "var" {
		l.used[next] = true
	}
	switch {
	case root == "pipeline" && next == "dir":
	case root == "pipeline":
		unknown("value of pipeline", "want pipeline.dir, the folder of the file", "pipeline.dir")
	case root == "var" && l.vars == nil:
		l.report(at, context, context+" uses a variable", "write a value without var; env, file and pipeline.dir may be used", "")
	case root == "var" && next == "":
		l.report(at, context, "var without a name in "+context, "want var.NAME", "")
	case root == "var" && l.vars[next] == cty.NilVal:
		unknown(fmt.Sprintf("variable %q", next), l.whichVariable(), Nearest(next, names))
	case root != "var":
		suggestion := Nearest(root, []string{"var", "pipeline"})
		if slices.Contains(names, root) {
			suggestion = "var." + root
		}
		unknown(fmt.Sprintf("name %q", root), `want var.NAME, pipeline.dir or env("NAME"); a string is written in quotes`, suggestion)
	}
}

// member returns the name behind the root: input in var.input and in var["input"].
func member(t hcl.Traversal) string {
	if len(t) < 2 {
		return ""
	}
	switch step := t[1].(type) {
	case hcl.TraverseAttr:
		return step.Name
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String {
			return step.Key.AsString()
		}
	}
	return ""
}

// checkNodes reports calls of functions that do not exist, and numbers that would take ages to write out.
func (l *loader) checkNodes(expr hclsyntax.Expression, context string) {
	names := slices.Sorted(maps.Keys(l.scope.Functions))
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			if !slices.Contains(names, n.Name) {
				l.report(n.NameRange, context, fmt.Sprintf("unknown function %q in %s", n.Name, context),
					"want "+oneOf(names), Nearest(n.Name, names))
			}
		case *hclsyntax.LiteralValueExpr:
			if hasHuge(n.Val) {
				l.huge(n.SrcRange, context)
			}
		}
		return nil
	})
}

func (l *loader) huge(at hcl.Range, context string) {
	l.report(at, context, "number out of range in "+context, "want a number that a double can hold, at most 1.8e308", "")
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

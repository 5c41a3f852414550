package config

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/sluicehq/sluice/sdk/nearest"
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
	known := len(l.withheld)
	v, diags := expr.Value(l.scope)
	l.addHCL(diags, context)
	l.tellWithheld(expr.Range(), context, known)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return cty.DynamicVal, false
	}
	if hasHuge(v) {
		if hasNumber(v, (*big.Float).IsInf) {
			l.report(expr.Range(), context, "no number in "+context, "want a number, have infinity, as from a division by zero", "")
		} else {
			l.huge(expr.Range(), context)
		}
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
	case root == "pipeline" && next == "dir", root == "include" && next == "dir" && l.hclFile != l.main:
	case root == "pipeline":
		unknown("value of pipeline", "want pipeline.dir, the folder of the file", "pipeline.dir")
	case root == "var" && l.vars == nil:
		l.report(at, context, context+" uses a variable", "write a value without var; env, file and pipeline.dir may be used", "")
	case root == "var" && next == "":
		l.report(at, context, "var without a name in "+context, "want var.NAME", "")
	case root == "var" && l.vars[next] == cty.NilVal:
		unknown(fmt.Sprintf("variable %q", next), l.whichVariable(), nearest.Word(next, names))
	case root != "var":
		suggestion := nearest.Word(root, []string{"var", "pipeline"})
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
					"want "+OneOf(names), nearest.Word(n.Name, names))
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
	return hasNumber(v, func(n *big.Float) bool {
		f, _ := n.Float64()
		return math.IsInf(f, 0) || f == 0 && n.Sign() != 0
	})
}

// hasNumber reports a number of some kind anywhere in v.
func hasNumber(v cty.Value, is func(*big.Float) bool) bool {
	found := false
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.Number {
			found = found || is(v.AsBigFloat())
		}
		return true, nil
	})
	return found
}

// newScope has what an expression may use, all but the variables.
func (l *loader) newScope() *hcl.EvalContext {
	return &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"pipeline": cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal(l.dir)}),
		},
		Functions: map[string]function.Function{
			"env":        l.envFunc(),
			"file":       l.fileFunc(),
			"basename":   textFunc(func(s string) (string, error) { return filepath.Base(s), nil }),
			"dirname":    textFunc(func(s string) (string, error) { return filepath.Dir(s), nil }),
			"lower":      stdlib.LowerFunc,
			"upper":      stdlib.UpperFunc,
			"trimspace":  stdlib.TrimSpaceFunc,
			"join":       stdlib.JoinFunc,
			"split":      stdlib.SplitFunc,
			"format":     stdlib.FormatFunc,
			"concat":     stdlib.ConcatFunc,
			"coalesce":   stdlib.CoalesceFunc,
			"jsonencode": stdlib.JSONEncodeFunc,
		},
	}
}

// envFunc is env(name) and env(name, default). A null default makes an attribute as if it were not written.
func (l *loader) envFunc() function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "name", Type: cty.String}},
		VarParam: &function.Parameter{Name: "default", Type: cty.String, AllowNull: true},
		Type:     function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			read := Reading{Kind: ReadEnv, Name: name}
			if !l.trusted() {
				l.withheld = append(l.withheld, read)
				return cty.UnknownVal(cty.String), nil
			}
			value, set := l.in.Env(name)
			if set {
				read.SHA256 = hexSHA256([]byte(value))
			}
			l.reads = append(l.reads, read)
			switch {
			case len(args) > 2:
				return cty.NilVal, fmt.Errorf("want a name and at most one default, have %d values", len(args))
			case set && !utf8.ValidString(value):
				return cty.NilVal, fmt.Errorf("want UTF-8 in %s, have invalid bytes", name)
			case set:
				return cty.StringVal(value), nil
			case len(args) == 2:
				return args[1], nil
			case l.in.Draft:
				return cty.UnknownVal(cty.String), nil
			}
			return cty.NilVal, fmt.Errorf("%s is not set; set it, or write env(%q, \"...\") with a default", name, name)
		},
	})
}

// textFunc makes a function of one string.
func textFunc(f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := f(args[0].AsString())
			return cty.StringVal(text), err
		},
	})
}

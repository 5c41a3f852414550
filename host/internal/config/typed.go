package config

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// wrongValue reports a wrong value of an attribute of the host.
func (l *loader) wrongValue(b *block, name, want, have, suggestion string) {
	expr := b.attrs[name].value
	if l.isSensitive(expr) {
		suggestion = ""
	}
	l.report(expr.Range(), b.context, fmt.Sprintf("wrong value for %s in %s", name, b.title()),
		fmt.Sprintf("want %s, have %s", want, have), suggestion)
}

// describe returns v in words. Only strings that are written in the file are shown, for others may be secrets, and of sensitive
// values only the type.
func (l *loader) describe(v cty.Value, expr hclsyntax.Expression) string {
	sensitive := l.isSensitive(expr)
	switch t := v.Type(); {
	case isLiteral(expr) && !sensitive:
		return string(expr.Range().SliceBytes(l.file.src))
	case v.IsNull():
		return "null"
	case t == cty.String:
		return "a string"
	case sensitive && t == cty.Number:
		return "a number"
	case sensitive && t == cty.Bool:
		return "true or false"
	case t == cty.Number, t == cty.Bool:
		return string(appendJSON(nil, v))
	case t.IsTupleType(), t.IsListType(), t.IsSetType():
		return "a list"
	}
	return "an object"
}

// isSensitive reports whether an expression uses a sensitive variable, or is the default of one.
func (l *loader) isSensitive(expr hclsyntax.Expression) bool {
	return slices.Contains(l.file.hidden, l.file.rangeOf(expr.Range())) ||
		slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool { return t.RootName() == "var" && l.secret[member(t)] })
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

// text returns a string, "" by default.
func (l *loader) text(b *block, name string) string {
	s, _ := l.str(b, name)
	return s
}

// nonEmpty returns a string that must not be empty when it is there.
func (l *loader) nonEmpty(b *block, name, want string) string {
	s, ok := l.str(b, name)
	if ok && s == "" {
		l.wrongValue(b, name, want, "an empty string", "")
	}
	return s
}

// str returns a string; it is not ok when absent, null or wrong.
func (l *loader) str(b *block, name string) (string, bool) {
	v, ok := l.attr(b, name)
	if !ok {
		return "", false
	}
	if v.Type() != cty.String {
		l.wrongValue(b, name, "a string", l.describe(v, b.attrs[name].value), "")
		return "", false
	}
	return v.AsString(), true
}

// integer returns a whole number of at least least.
func (l *loader) integer(b *block, name string, least, otherwise int64) int64 {
	v, ok := l.attr(b, name)
	if !ok {
		return otherwise
	}
	if n, err := convert.Convert(v, cty.Number); err == nil {
		if i, exact := n.AsBigFloat().Int64(); exact == big.Exact && i >= least {
			return i
		}
	}
	l.wrongValue(b, name, fmt.Sprintf("a whole number of %d or more", least), l.describe(v, b.attrs[name].value), "")
	return otherwise
}

// boolean returns true or false.
func (l *loader) boolean(b *block, name string, otherwise bool) bool {
	v, ok := l.attr(b, name)
	if !ok {
		return otherwise
	}
	if yes, err := convert.Convert(v, cty.Bool); err == nil {
		return yes.True()
	}
	l.wrongValue(b, name, "true or false", l.describe(v, b.attrs[name].value), Nearest(stringIn(v), []string{"true", "false"}))
	return otherwise
}

// stringIn returns a string, "" for a value that is none.
func stringIn(v cty.Value) string {
	if v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}

// duration returns a time such as "30s".
func (l *loader) duration(b *block, name string, otherwise time.Duration) time.Duration {
	v, ok := l.attr(b, name)
	if !ok {
		return otherwise
	}
	have, suggestion := l.describe(v, b.attrs[name].value), ""
	switch v.Type() {
	case cty.String:
		if d, err := time.ParseDuration(v.AsString()); err == nil && d >= 0 {
			return d
		}
	case cty.Number:
		suggestion = string(appendJSON(nil, v)) + "s"
	}
	l.wrongValue(b, name, `a duration such as "30s", "5m" or "1h30m"`, have, suggestion)
	return otherwise
}

// size returns bytes, written as a number or as a string.
func (l *loader) size(b *block, name string, otherwise int64) int64 {
	v, ok := l.attr(b, name)
	if !ok {
		return otherwise
	}
	suggestion := ""
	if s, err := convert.Convert(v, cty.String); err == nil {
		n, err := ParseSize(s.AsString())
		if err == nil {
			return n
		}
		suggestion = nearestSize(s.AsString())
	}
	l.wrongValue(b, name, `a size such as "512MiB" or "2GB"`, l.describe(v, b.attrs[name].value), suggestion)
	return otherwise
}

// choice returns one of the words, the first by default.
func (l *loader) choice(b *block, name string, words ...string) string {
	v, ok := l.attr(b, name)
	if !ok {
		return words[0]
	}
	given := stringIn(v)
	if !slices.Contains(words, given) {
		l.wrongValue(b, name, strconv.Quote(words[0])+" or "+strconv.Quote(words[1]), l.describe(v, b.attrs[name].value), Nearest(given, words))
		return words[0]
	}
	return given
}

// envNames returns the names of environment variables.
func (l *loader) envNames(b *block, name string) []string {
	v, ok := l.attr(b, name)
	if !ok {
		return nil
	}
	const want = `a list of names such as ["HOME", "LANG"]`
	list, err := convert.Convert(v, cty.List(cty.String))
	if err != nil {
		l.wrongValue(b, name, want, l.describe(v, b.attrs[name].value), "")
		return nil
	}
	var names []string
	for _, e := range list.AsValueSlice() {
		if e.IsNull() || e.AsString() == "" || strings.Contains(e.AsString(), "=") {
			l.wrongValue(b, name, want, "one that is empty or has a =; values come from where the command runs", "")
			return nil
		}
		names = append(names, e.AsString())
	}
	return names
}

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

	"github.com/sluicehq/sluice/sdk/nearest"
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

// valueOf returns what from reads of an attribute, or otherwise when it is absent or null. A value that from cannot read is
// reported, with the suggestion of from.
func valueOf[T any](l *loader, b *block, name, want string, otherwise T, from func(cty.Value) (value T, suggestion string, ok bool)) T {
	v, ok := l.attr(b, name)
	if !ok {
		return otherwise
	}
	value, suggestion, ok := from(v)
	if !ok {
		l.wrongValue(b, name, want, l.describe(v, b.attrs[name].value), suggestion)
		return otherwise
	}
	return value
}

func (l *loader) integer(b *block, name string, least, otherwise int64) int64 {
	want := fmt.Sprintf("a whole number of %d or more", least)
	return valueOf(l, b, name, want, otherwise, func(v cty.Value) (int64, string, bool) {
		n, err := convert.Convert(v, cty.Number)
		if err != nil {
			return 0, "", false
		}
		i, exact := n.AsBigFloat().Int64()
		return i, "", exact == big.Exact && i >= least
	})
}

func (l *loader) boolean(b *block, name string, otherwise bool) bool {
	return valueOf(l, b, name, "true or false"+l.notText(b, name), otherwise, func(v cty.Value) (bool, string, bool) {
		if v.Type() != cty.Bool {
			return false, nearest.Word(stringIn(v), []string{"true", "false"}), false
		}
		return v.True(), "", true
	})
}

// notText returns how to write true or false where the file has a string, which no attribute takes for it.
func (l *loader) notText(b *block, name string) string {
	a, ok := b.attrs[name]
	if !ok {
		return ""
	}
	switch text := string(a.value.Range().SliceBytes(l.file.src)); {
	case text == `"true"`, text == `"false"`:
		return " without quotes"
	case strings.HasPrefix(text, "env("):
		return fmt.Sprintf(", such as %s == \"true\"", text)
	}
	return ""
}

// stringIn returns a string, "" for a value that is none.
func stringIn(v cty.Value) string {
	if v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}

func (l *loader) duration(b *block, name string, otherwise time.Duration) time.Duration {
	const want = `a duration such as "30s", "5m" or "1h30m"`
	return valueOf(l, b, name, want, otherwise, func(v cty.Value) (time.Duration, string, bool) {
		switch v.Type() {
		case cty.String:
			d, err := time.ParseDuration(v.AsString())
			return d, "", err == nil && d >= 0
		case cty.Number:
			return 0, string(appendJSON(nil, v)) + "s", false
		}
		return 0, "", false
	})
}

// size returns bytes, written as a number or as a string.
func (l *loader) size(b *block, name string, otherwise int64) int64 {
	return valueOf(l, b, name, `a size such as "512MiB" or "2GB"`, otherwise, func(v cty.Value) (int64, string, bool) {
		s, err := convert.Convert(v, cty.String)
		if err != nil {
			return 0, "", false
		}
		n, err := ParseSize(s.AsString())
		return n, nearestSize(s.AsString()), err == nil
	})
}

// choice returns one of two words, the first by default.
func (l *loader) choice(b *block, name string, words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	last := len(words) - 1
	want := strings.Join(quoted[:last], ", ") + " or " + quoted[last]
	return valueOf(l, b, name, want, words[0], func(v cty.Value) (string, string, bool) {
		given := stringIn(v)
		return given, nearest.Word(given, words), slices.Contains(words, given)
	})
}

// stringList returns the strings of a list, which are all good, or what the attribute has in place of them: the first element that is not.
func (l *loader) stringList(b *block, name string, v cty.Value, good func(string) bool) (texts []string, have string) {
	expr := b.attrs[name].value
	if t := v.Type(); !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		return nil, l.describe(v, expr)
	}
	written, _ := expr.(*hclsyntax.TupleConsExpr)
	for i, e := range v.AsValueSlice() {
		text, err := convert.Convert(e, cty.String)
		if err != nil || text.IsNull() || !good(text.AsString()) {
			if written != nil {
				expr = written.Exprs[i]
			}
			return nil, "one with " + l.describe(e, expr)
		}
		texts = append(texts, text.AsString())
	}
	return texts, ""
}

// envNames reads the names of variables of the environment that a program gets.
func (l *loader) envNames(b *block) []string {
	const name = "env"
	v, ok := l.attr(b, name)
	if !ok {
		return nil
	}
	const want = `a list of names such as ["HOME", "LANG"]`
	names, have := l.stringList(b, name, v, func(string) bool { return true })
	if have != "" {
		l.wrongValue(b, name, want, have, "")
		return nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return name == "" || strings.Contains(name, "=") }) { // which may be secret
		l.wrongValue(b, name, want, "one that is empty or has a =; values come from where the command runs", "")
		return nil
	}
	return names
}

package config

import (
	"bytes"
	"encoding/json"
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

// Args are the attributes of a source, step or sink. Its plugin or kind checks them.
type Args struct {
	// JSON is one object with the attributes in file order. Numbers are exact and strings in Unicode normal form C.
	// An attribute that is null is left out, as if it were not written.
	JSON []byte

	names   []string
	header  Range
	context string
	at      map[string]Range // by path: "a" is the name of an attribute, "a.b" and "a.0" what is inside its value
	unread  []string         // attributes without a value because of a mistake, which JSON lacks
}

// follows reports whether a mistake at an attribute may be due to one that was reported: the attribute, or one that the text names,
// has no value. That an attribute is unknown never is.
func (a Args) follows(attr, text string) bool {
	root, _, _ := strings.Cut(attr, ".")
	if strings.Contains(text, fmt.Sprintf("have %q", attr[strings.LastIndexByte(attr, '.')+1:])) {
		return false
	}
	return attr == "" && len(a.unread) > 0 ||
		slices.ContainsFunc(a.unread, func(name string) bool { return name == root || strings.Contains(text, name) })
}

// Names returns the attributes that are written in the file, in its order.
func (a Args) Names() []string { return a.names }

// At returns an error at an attribute of args, or at something inside it, such as "a", "a.b" or "a.0.b". It points at the
// smallest part of that path that is written in the file, or else at the header of the block.
func (p *Pipeline) At(args Args, attr, summary, detail string) Diagnostic {
	d := p.atArg(args, attr, summary, detail)
	d.follows = args.follows(attr, detail)
	return d
}

func (p *Pipeline) atArg(args Args, attr, summary, detail string) Diagnostic {
	for path := attr; path != ""; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
		if at, ok := args.at[path]; ok {
			return at.in(p.file).at(at, args.context, summary, detail, "")
		}
	}
	return args.header.in(p.file).at(args.header, args.context, summary, detail, "")
}

// AtArg returns an error at an attribute of a step, or of the first around it, see At.
func (p *Pipeline) AtArg(s *Step, attr, summary, detail string) Diagnostic {
	name, _, _ := strings.Cut(attr, ".")
	if _, own := s.Args.at[name]; !own {
		if _, shared := s.Shared.at[name]; shared {
			return p.At(s.Shared, attr, summary, detail)
		}
	}
	d := p.At(s.Args, attr, summary, detail)
	d.follows = d.follows || s.Shared.follows(attr, detail)
	return d
}

// AtRange returns an error at a range of the file, such as that of a Pin or a Step.
func (p *Pipeline) AtRange(at Range, summary, detail string) Diagnostic {
	return at.in(p.file).at(at, "", summary, detail, "")
}

// AtHost returns an error at an attribute of the host block of a step. It points at its value, or at the step when the
// file does not have it.
func (p *Pipeline) AtHost(s *Step, attr, summary, detail string) Diagnostic {
	at, ok := s.Host.at[attr]
	if !ok {
		at = s.Range
	}
	return at.in(p.file).at(at, s.Args.context, summary, detail, "")
}

// args evaluates the attributes of a block but those of the host.
func (l *loader) args(b *block) Args {
	args := Args{header: b.at, context: b.context, at: map[string]Range{}}
	object := []byte("{")
	for _, name := range b.order {
		if slices.Contains(grammar[b.kind].attributes, name) {
			continue
		}
		a := b.attrs[name]
		args.names = append(args.names, name)
		args.at[name] = l.file.rangeOf(a.name)
		l.locate(args.at, name, a.value)
		v, ok := l.eval(a.value, b.title())
		if !ok {
			args.unread = append(args.unread, name)
		}
		if !ok || v.IsNull() {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(appendString(object, name), ':')
		object = appendJSON(object, v)
	}
	args.JSON = append(object, '}')
	return args
}

// sourceArgs returns the attributes of a source. Paths that are not read need no values for the variables in them.
func (l *loader) sourceArgs(b *block) Args {
	a, ok := b.attrs["paths"]
	if !l.in.Pathless || !ok {
		return l.args(b)
	}
	for _, t := range a.value.Variables() {
		l.idle[member(t)] = true
	}
	nothing := hclsyntax.TupleConsExpr{SrcRange: a.value.Range(), OpenRange: a.value.Range()}
	b.attrs["paths"] = attribute{name: a.name, value: &nothing}
	return l.args(b)
}

// locate notes the ranges of the parts of a value, as far as they are written out.
func (l *loader) locate(at map[string]Range, path string, expr hclsyntax.Expression) {
	switch e := expr.(type) {
	case *hclsyntax.TupleConsExpr:
		for i, element := range e.Exprs {
			inner := path + "." + strconv.Itoa(i)
			at[inner] = l.file.rangeOf(element.Range())
			l.locate(at, inner, element)
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			key, diags := item.KeyExpr.Value(nil)
			if diags.HasErrors() || !key.IsKnown() || key.IsNull() || key.Type() != cty.String {
				continue
			}
			inner := path + "." + key.AsString()
			at[inner] = l.file.rangeOf(item.KeyExpr.Range())
			l.locate(at, inner, item.ValueExpr)
		}
	}
}

// appendJSON writes a known value; the keys of an object inside it are sorted, for HCL does not keep their order.
func appendJSON(dst []byte, v cty.Value) []byte {
	t := v.Type()
	switch {
	case v.IsNull():
		return append(dst, "null"...)
	case t == cty.String:
		return appendString(dst, v.AsString())
	case t == cty.Number:
		return v.AsBigFloat().Append(dst, 'f', -1)
	case t == cty.Bool:
		return strconv.AppendBool(dst, v.True())
	}
	isObject := t.IsObjectType() || t.IsMapType()
	open, end := byte('['), byte(']')
	if isObject {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for it, first := v.ElementIterator(), true; it.Next(); first = false {
		key, element := it.Element()
		if !first {
			dst = append(dst, ',')
		}
		if isObject {
			dst = append(appendString(dst, key.AsString()), ':')
		}
		dst = appendJSON(dst, element)
	}
	return append(dst, end)
}

func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

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
			return false, Nearest(stringIn(v), []string{"true", "false"}), false
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
		return given, Nearest(given, words), slices.Contains(words, given)
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

func (l *loader) envNames(b *block, name string) []string {
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

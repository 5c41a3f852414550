package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
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

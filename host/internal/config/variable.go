package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/sluicehq/sluice/sdk/nearest"
)

// valueType is a type of variables.
type valueType struct {
	name string
	of   cty.Type
	want string
}

var valueTypes = []valueType{
	{"string", cty.String, "a string"},
	{"number", cty.Number, "a number"},
	{"bool", cty.Bool, "true or false"},
	{"list(string)", cty.List(cty.String), `a list of strings such as ["a", "b"]`},
	{"map(string)", cty.Map(cty.String), `a map of strings such as { a = "b" }`},
	{"map(number)", cty.Map(cty.Number), "a map of numbers such as { a = 1 }"},
}

// variables evaluates every variable and puts it in scope. A wrong one is in scope as unknown, so that what
// uses it is not reported as well.
func (l *loader) variables(top *block) []Variable {
	renamed := l.renamed(top)
	vars := l.declare(top, func(b *block) (Variable, cty.Value) {
		v, value := l.variable(b)
		v.Name = cmp.Or(renamed[b], v.Name)
		return v, value
	})
	names := slices.Sorted(maps.Keys(l.vars))
	for _, name := range slices.Sorted(maps.Keys(l.in.Vars)) {
		if slices.Contains(names, name) || l.broken {
			continue
		}
		l.diags = append(l.diags, fileError(l.file.path, fmt.Sprintf("unknown variable %q in %s", name, l.in.Flag), l.whichVariable(), nearest.Word(name, names)))
	}
	return vars
}

// renamed returns the name that was probably meant in a second block of one name: the first that expressions use and no block
// declares. It is suggested there, and not reported as unknown where it is used.
func (l *loader) renamed(top *block) map[*block]string {
	declared := map[string]bool{}
	var second []*block
	for _, b := range top.all("variable") {
		if declared[b.name()] {
			second = append(second, b)
		}
		declared[b.name()] = true
	}
	names := slices.Collect(maps.Keys(declared))
	var missing []string
	for _, name := range usedNames(top) {
		if !declared[name] && nearest.Word(name, names) == "" && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	meant := map[*block]string{}
	for i, b := range second[:min(len(second), len(missing))] {
		meant[b] = missing[i]
		for k := range l.diags {
			if d := &l.diags[k]; d.Line == b.at.Line && d.Column == b.at.Column && d.Context == b.context {
				d.Suggestion = missing[i]
			}
		}
	}
	return meant
}

// usedNames returns the names of the variables in a block, in the order of the file.
func usedNames(b *block) (names []string) {
	for _, name := range b.order {
		for _, t := range b.attrs[name].value.Variables() {
			if t.RootName() == "var" && member(t) != "" {
				names = append(names, member(t))
			}
		}
	}
	for _, c := range b.blocks {
		if c.hclFile == b.hclFile {
			names = append(names, usedNames(c)...)
		}
	}
	return names
}

// declare puts the variables of a file in scope, with the values that read returns.
func (l *loader) declare(top *block, read func(*block) (Variable, cty.Value)) (vars []Variable) {
	values := map[string]cty.Value{}
	for _, b := range top.all("variable") {
		v, value := read(b)
		values[v.Name] = value
		vars = append(vars, v)
		if v.Sensitive {
			l.file.secrets.keep(value)
		}
	}
	l.vars = values
	l.scope.Variables["var"] = cty.ObjectVal(values)
	return vars
}

// variable returns the strongest value: the flag, the environment, the default. The value is unknown after a mistake.
func (l *loader) variable(b *block) (Variable, cty.Value) {
	v := Variable{Name: b.name(), Description: l.text(b, "description"), Sensitive: l.sensitive(b)}
	k, value, ok := l.declared(b)
	v.Type = k.name
	raw, isFlag := l.in.Vars[v.Name]
	fromEnv, isEnv := l.in.Env("SLUICE_VAR_" + v.Name)
	switch {
	case !ok:
		return v, cty.DynamicVal
	case isFlag:
		value, ok = k.parse(raw)
		if !ok {
			have, suggestion := fmt.Sprintf("%q in", raw), ""
			if v.Sensitive {
				have = "something else in"
			} else if k.of == cty.Bool {
				suggestion = nearest.Word(raw, []string{"true", "false"})
			}
			l.wrongVariable(b, k, have+" "+l.in.Flag+" "+v.Name, suggestion)
		}
	case isEnv:
		value, ok = k.parse(fromEnv)
		if !ok {
			// What is in the environment may be secret.
			l.wrongVariable(b, k, "something else in SLUICE_VAR_"+v.Name, "")
		}
	case value == cty.NilVal && l.broken:
		ok = false
	case value == cty.NilVal:
		l.unset[v.Name] = true
		v.Value = json.RawMessage("null")
		ok = false
	}
	if !ok {
		return v, cty.DynamicVal
	}
	v.Value = appendJSON(nil, value)
	return v, value
}

// sensitive reports whether a variable must not be shown, and hides its default. With a mistake in the attribute it
// is taken for sensitive.
func (l *loader) sensitive(b *block) bool {
	before := len(l.diags)
	if !l.boolean(b, "sensitive", false) && len(l.diags) == before {
		return false
	}
	l.secret[b.name()] = true
	if a, ok := b.attrs["default"]; ok {
		l.file.hidden = append(l.file.hidden, l.file.rangeOf(a.value.Range()))
	}
	return true
}

// whichVariable lists what an unknown name may have meant.
func (l *loader) whichVariable() string {
	if len(l.vars) == 0 {
		return l.what + " has no variables"
	}
	return "want " + OneOf(slices.Sorted(maps.Keys(l.vars)))
}

func (l *loader) wrongVariable(b *block, k valueType, have, suggestion string) {
	l.report(b.header, b.context, "wrong value for "+b.title(), fmt.Sprintf("want %s, have %s", k.want, have), suggestion)
}

// declared returns the type of a variable and its default, NilVal when it has none. Without a type, it is that of the default;
// without either it is a string.
func (l *loader) declared(b *block) (valueType, cty.Value, bool) {
	k, ok := valueTypes[0], true
	declared, hasType := b.attrs["type"]
	if hasType {
		k, ok = l.kindOf(b, declared.value)
	}
	a, hasDefault := b.attrs["default"]
	if !hasDefault {
		return k, cty.NilVal, ok
	}
	v, evaluated := l.eval(a.value, b.title())
	if !ok || !evaluated {
		return k, cty.NilVal, false
	}
	if !hasType {
		if k, ok = infer(v); !ok {
			l.wrongValue(b, "default", "a string, number, bool, list of strings or map of strings", l.describe(v, a.value), "")
			return k, cty.NilVal, false
		}
	}
	converted, err := convert.Convert(v, k.of)
	if err != nil {
		l.wrongValue(b, "default", k.want, l.describe(v, a.value), "")
		return k, cty.NilVal, false
	}
	return k, converted, true
}

// kindOf reads a type, which is a keyword and not a value: type = list(string).
func (l *loader) kindOf(b *block, expr hclsyntax.Expression) (valueType, bool) {
	written := strings.Join(strings.Fields(string(expr.Range().SliceBytes(l.file.src))), "")
	var names []string
	for _, k := range valueTypes {
		if k.name == written {
			return k, true
		}
		names = append(names, k.name)
	}
	unquoted := strings.Trim(written, `"`)
	if slices.Contains(names, unquoted) {
		l.wrongValue(b, "type", unquoted+" without quotes", written, "")
	} else {
		l.wrongValue(b, "type", OneOf(names)+", without quotes", written, nearest.Word(unquoted, names))
	}
	return valueTypes[0], false
}

// infer returns the type of a default.
func infer(v cty.Value) (valueType, bool) {
	t := v.Type()
	if v.IsNull() {
		return valueTypes[0], true
	}
	for _, k := range valueTypes {
		if t.Equals(k.of) {
			return k, true
		}
	}
	isList, isMap := t.IsTupleType(), t.IsObjectType()
	if !isList && !isMap {
		return valueTypes[0], false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, element := it.Element(); element.Type() != cty.String {
			return valueTypes[0], false
		}
	}
	if isList {
		return valueTypes[3], true
	}
	return valueTypes[4], true
}

// parse reads a value from a flag or the environment. Lists and maps are written as in the file.
func (k valueType) parse(raw string) (cty.Value, bool) {
	if !utf8.ValidString(raw) {
		return cty.DynamicVal, false
	}
	switch k.of {
	case cty.String:
		return cty.StringVal(raw), true
	case cty.Number:
		n, err := cty.ParseNumberVal(raw)
		return n, err == nil && !hasHuge(n)
	case cty.Bool:
		return cty.BoolVal(raw == "true"), raw == "true" || raw == "false"
	}
	src := []byte(raw)
	if _, deep := tooDeep(src, ""); deep || len(src) > maxSize {
		return cty.DynamicVal, false
	}
	expr, diags := hclsyntax.ParseExpression(src, "", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(nil)
	if diags.HasErrors() || !v.IsWhollyKnown() || hasHuge(v) {
		return cty.DynamicVal, false
	}
	v, err := convert.Convert(v, k.of)
	return v, err == nil && !v.IsNull()
}

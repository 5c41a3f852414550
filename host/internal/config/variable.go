package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// kind is a type of variables.
type kind struct {
	name string
	of   cty.Type
	want string
}

var kinds = []kind{
	{"string", cty.String, "a string"},
	{"number", cty.Number, "a number"},
	{"bool", cty.Bool, "true or false"},
	{"list(string)", cty.List(cty.String), `a list of strings such as ["a", "b"]`},
	{"map(string)", cty.Map(cty.String), `a map of strings such as { a = "b" }`},
}

// variables gives every variable its value and puts it in scope. A wrong one is in scope as unknown, so that what
// uses it is not said to be wrong too.
func (r *reader) variables(top *block) []Variable {
	values := map[string]cty.Value{}
	var vars []Variable
	for _, b := range top.all("variable") {
		v, value := r.variable(b)
		values[v.Name] = value
		vars = append(vars, v)
	}
	r.vars = values
	r.scope.Variables["var"] = cty.ObjectVal(values)

	names := slices.Sorted(maps.Keys(values))
	for _, name := range slices.Sorted(maps.Keys(r.in.Vars)) {
		if slices.Contains(names, name) || r.broken {
			continue
		}
		r.diags = append(r.diags, fileError(r.file.path, fmt.Sprintf("unknown variable %q in --var", name), r.whichVariable(), Nearest(name, names)))
	}
	return vars
}

// variable gives the strongest value: the flag, the environment, the default. The value is unknown after a mistake.
func (r *reader) variable(b *block) (Variable, cty.Value) {
	v := Variable{Name: b.name(), Description: r.text(b, "description"), Sensitive: r.truth(b, "sensitive", false), Range: b.at}
	k, value, ok := r.declared(b)
	v.Type = k.name
	raw, isFlag := r.in.Vars[v.Name]
	fromEnv, isEnv := r.in.Env("SLUICE_VAR_" + v.Name)
	switch {
	case !ok:
		return v, cty.DynamicVal
	case isFlag:
		v.From = FromFlag
		value, ok = k.parse(raw)
		if !ok {
			have := fmt.Sprintf("%q in", raw)
			if v.Sensitive {
				have = "something else in"
			}
			r.wrongVariable(b, k, have+" --var "+v.Name)
		}
	case isEnv:
		v.From = FromEnv
		value, ok = k.parse(fromEnv)
		if !ok {
			// What is in the environment may be secret.
			r.wrongVariable(b, k, "something else in SLUICE_VAR_"+v.Name)
		}
	case value == cty.NilVal && r.broken:
		ok = false
	case value == cty.NilVal:
		r.report(b.header, b.context, b.title()+" has no value",
			fmt.Sprintf("want --var %[1]s=VALUE, SLUICE_VAR_%[1]s in the environment, or a default", v.Name), "")
		ok = false
	default:
		v.From = FromDefault
	}
	if !ok {
		return v, cty.DynamicVal
	}
	v.Value = appendJSON(nil, value)
	return v, value
}

// whichVariable lists what an unknown name may have meant.
func (r *reader) whichVariable() string {
	if len(r.vars) == 0 {
		return "the pipeline has no variables"
	}
	return "want " + oneOf(slices.Sorted(maps.Keys(r.vars)))
}

func (r *reader) wrongVariable(b *block, k kind, have string) {
	r.report(b.header, b.context, "wrong value for "+b.title(), fmt.Sprintf("want %s, have %s", k.want, have), "")
}

// declared gives the type of a variable and its default, NilVal when it has none. Without a type, the default
// tells it; without either it is a string.
func (r *reader) declared(b *block) (kind, cty.Value, bool) {
	k, ok := kinds[0], true
	declared, hasType := b.attrs["type"]
	if hasType {
		k, ok = r.kindOf(b, declared.value)
	}
	a, hasDefault := b.attrs["default"]
	if !hasDefault {
		return k, cty.NilVal, ok
	}
	v, evaluated := r.eval(a.value, b.title())
	if !ok || !evaluated {
		return k, cty.NilVal, false
	}
	if !hasType {
		if k, ok = infer(v); !ok {
			r.unfit(b, "default", "a string, number, bool, list of strings or map of strings", r.found(v, a.value), "")
			return k, cty.NilVal, false
		}
	}
	converted, err := convert.Convert(v, k.of)
	if err != nil {
		r.unfit(b, "default", k.want, r.found(v, a.value), "")
		return k, cty.NilVal, false
	}
	return k, converted, true
}

// kindOf reads a type, which is a keyword and not a value: type = list(string).
func (r *reader) kindOf(b *block, expr hclsyntax.Expression) (kind, bool) {
	written := strings.Join(strings.Fields(string(expr.Range().SliceBytes(r.file.text))), "")
	var names []string
	for _, k := range kinds {
		if k.name == written {
			return k, true
		}
		names = append(names, k.name)
	}
	suggestion := Nearest(strings.Trim(written, `"`), names)
	if unquoted := strings.Trim(written, `"`); slices.Contains(names, unquoted) {
		suggestion = unquoted
	}
	r.unfit(b, "type", oneOf(names)+", without quotes", written, suggestion)
	return kinds[0], false
}

// infer tells the type from a default.
func infer(v cty.Value) (kind, bool) {
	t := v.Type()
	if v.IsNull() {
		return kinds[0], true
	}
	for _, k := range kinds {
		if t.Equals(k.of) {
			return k, true
		}
	}
	isList, isMap := t.IsTupleType(), t.IsObjectType()
	if !isList && !isMap {
		return kinds[0], false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, element := it.Element(); element.Type() != cty.String {
			return kinds[0], false
		}
	}
	if isList {
		return kinds[3], true
	}
	return kinds[4], true
}

// parse reads a value from a flag or the environment. Lists and maps are written as in the file.
func (k kind) parse(raw string) (cty.Value, bool) {
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

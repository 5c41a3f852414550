package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Form is what most schemas say, so that a value can be held to it as it lies there. It knows which values certainly fit; the others are
// for the validator, which takes many times as long. Any number of goroutines may use it.
type Form struct {
	opaque     bool // the schema says more
	types      []string
	words      []string // that a string may be
	number     string   // that the value is
	filled     bool     // a string is not empty
	least      *float64 // of a number
	properties map[string]*Form
	required   []string
	closed     bool // an object has properties only
	elements   *Form
	few        bool // a list has an element at least
	either     []*Form
	cond       [3]*Form // if, then, else
	ref        *Form
}

// A verdict says whether a value fits.
type verdict int8

const (
	unknown verdict = iota
	no
	yes
)

// formOf returns the form of a schema, nil for nil.
func formOf(s *jsonschema.Schema) *Form {
	if s == nil {
		return nil
	}
	f := &Form{
		required: s.Required, closed: s.AdditionalProperties == false, elements: formOf(s.Items2020), ref: formOf(s.Ref),
		filled: s.MinLength != nil && *s.MinLength == 1, few: s.MinItems != nil && *s.MinItems == 1,
		cond: [3]*Form{formOf(s.If), formOf(s.Then), formOf(s.Else)},
	}
	f.opaque = saysMore(s) || !f.readValues(s)
	if s.Types != nil {
		f.types = s.Types.ToStrings()
	}
	if s.Minimum != nil {
		n, _ := s.Minimum.Float64()
		f.least = &n
	}
	for name, of := range s.Properties {
		if f.properties == nil {
			f.properties = map[string]*Form{}
		}
		f.properties[name] = formOf(of)
	}
	for _, of := range s.AnyOf {
		f.either = append(f.either, formOf(of))
	}
	return f
}

// saysMore reports whether a schema has a keyword that a form has no place for.
func saysMore(s *jsonschema.Schema) bool {
	moreThanOne := func(bound *int) bool { return bound != nil && *bound > 1 }
	others, isSchema := s.AdditionalProperties.(*jsonschema.Schema)
	return s.Bool != nil || s.Not != nil || len(s.AllOf)+len(s.OneOf)+len(s.PatternProperties)+len(s.DependentSchemas)+len(s.DependentRequired)+len(s.PrefixItems) > 0 ||
		s.RecursiveRef != nil || s.DynamicRef != nil || s.Enum != nil && s.Const != nil || s.Format != nil || s.Pattern != nil || s.MaxLength != nil || moreThanOne(s.MinLength) ||
		s.ContentSchema != nil || s.MaxItems != nil || moreThanOne(s.MinItems) || s.UniqueItems || s.Contains != nil || s.UnevaluatedItems != nil ||
		s.MaxProperties != nil || s.MinProperties != nil || s.PropertyNames != nil || s.UnevaluatedProperties != nil || isSchema && others != nil ||
		s.Maximum != nil || s.ExclusiveMaximum != nil || s.ExclusiveMinimum != nil || s.MultipleOf != nil
}

// readValues reads the values that a schema allows, strings or one number. It returns false for others.
func (f *Form) readValues(s *jsonschema.Schema) bool {
	var values []any
	if s.Enum != nil {
		values = s.Enum.Values
	}
	if s.Const != nil {
		values = append(values, *s.Const)
	}
	for _, v := range values {
		word, ok := v.(string)
		switch text := fmt.Sprint(v); {
		case ok:
			f.words = append(f.words, word)
		case len(values) == 1 && text != "" && strings.Trim(text, "0123456789") == "":
			f.number = text
		default:
			return false
		}
	}
	return true
}

// Fits reports whether a value, which is JSON, certainly fits. To a nil Form nothing does.
func (f *Form) Fits(v jsontext.JSON) bool { return f != nil && f.judge(v) == yes }

// judge says whether a value fits, as far as it is certain.
func (f *Form) judge(v jsontext.JSON) verdict {
	switch {
	case f == nil:
		return yes
	case f.opaque:
		return unknown
	}
	all := min(f.value(v), f.ref.judge(v))
	if all == yes && f.cond[0] != nil {
		switch f.cond[0].judge(v) {
		case yes:
			all = f.cond[1].judge(v)
		case no:
			all = f.cond[2].judge(v)
		default:
			all = unknown
		}
	}
	if all == yes && len(f.either) > 0 {
		all = no
		for _, of := range f.either {
			if is := of.judge(v); is == yes {
				all = yes
				break
			} else if is == unknown {
				all = unknown
			}
		}
	}
	switch {
	case all == yes && v.Kind() == '{':
		return f.object(v)
	case all == yes && v.Kind() == '[':
		return f.list(v)
	}
	return all
}

// value judges the value itself, without what is in it.
func (f *Form) value(v jsontext.JSON) verdict {
	name := jsontext.KindName(v.Kind())
	name = name[strings.IndexByte(name, ' ')+1:]
	if whole := slices.Contains(f.types, "integer"); len(f.types) > 0 && !slices.Contains(f.types, name) {
		if name != "number" || !whole {
			return no
		}
		if strings.ContainsAny(string(v), ".eE") { // 1.0 is an integer too
			return unknown
		}
	}
	switch {
	case f.number != "" && string(v) != f.number:
		return unknown
	case f.words != nil && (name != "string" || !slices.Contains(f.words, v.Text())), f.filled && v == `""`:
		return no
	case f.least != nil && name == "number":
		if n, ok := v.Number(); !ok || n < *f.least {
			return unknown
		}
	}
	return yes
}

func (f *Form) object(v jsontext.JSON) verdict {
	if len(f.required) > 64 {
		return unknown
	}
	missing := uint64(1)<<len(f.required) - 1
	enough := func() bool { return missing == 0 && f.properties == nil && !f.closed }
	if enough() {
		return yes
	}
	for key, value := range v.Members() {
		of, known := f.properties[key]
		switch {
		case !known && f.closed:
			return no
		case known && of.judge(value) != yes: // the last of several members of that name counts, whatever this one is
			return unknown
		}
		if i := slices.Index(f.required, key); i >= 0 {
			if missing &^= 1 << i; enough() {
				return yes
			}
		}
	}
	if missing > 0 {
		return no
	}
	return yes
}

func (f *Form) list(v jsontext.JSON) verdict {
	if f.few && v.Empty() {
		return no
	}
	if f.elements == nil {
		return yes
	}
	for _, e := range v.Elements() {
		if is := f.elements.judge(e); is != yes {
			return is
		}
	}
	return yes
}

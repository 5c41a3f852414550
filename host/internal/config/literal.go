package config

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/tidwall/gjson"
	"github.com/zclconf/go-cty/cty"
)

// Literal writes a JSON value as a pipeline file has it, on one line: {"a":["b"]} is { a = ["b"] }.
func Literal(json string) string { return literal(gjson.Parse(json)) }

func literal(v gjson.Result) string {
	var parts []string
	switch {
	case v.IsArray():
		for _, e := range v.Array() {
			parts = append(parts, literal(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.IsObject():
		v.ForEach(func(key, e gjson.Result) bool {
			name := key.Str
			if !hclsyntax.ValidIdentifier(name) {
				name = quoted(name)
			}
			parts = append(parts, name+" = "+literal(e))
			return true
		})
		if parts == nil {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case v.Type == gjson.String:
		return quoted(v.Str)
	}
	return v.Raw
}

func quoted(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Uses returns where expressions of the file name a variable: NAME in var.NAME and in var["NAME"].
func (o *Outline) Uses(variable string) (all []Word) {
	tokens, _ := hclsyntax.LexConfig(o.src, "", hcl.InitialPos)
	is := func(i int, kind hclsyntax.TokenType) bool { return i >= 0 && i < len(tokens) && tokens[i].Type == kind }
	for i, t := range tokens {
		if string(t.Bytes) != "var" || !is(i, hclsyntax.TokenIdent) || is(i-1, hclsyntax.TokenDot) {
			continue
		}
		at := 0
		switch {
		case is(i+1, hclsyntax.TokenDot) && is(i+2, hclsyntax.TokenIdent):
			at = i + 2
		case is(i+1, hclsyntax.TokenOBrack) && is(i+2, hclsyntax.TokenOQuote) && is(i+3, hclsyntax.TokenQuotedLit):
			at = i + 3
		default:
			continue
		}
		if w := tokens[at]; string(w.Bytes) == variable {
			all = append(all, Word{variable, w.Range.Start.Byte, w.Range.End.Byte})
		}
	}
	return all
}

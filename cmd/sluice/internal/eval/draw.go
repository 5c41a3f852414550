package eval

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// A drawer draws the texts of documents. A library of made-up data brings lists of names and words, which every start of the program would
// load; here regular expressions say all that is needed.
type drawer struct{ *rand.Rand }

func (d drawer) oneOf(texts ...string) string { return texts[d.IntN(len(texts))] }

// matching returns a text that an expression matches. Its repetitions have bounds.
func (d drawer) matching(expression string) string {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err) // the expressions are part of the program
	}
	var text strings.Builder
	d.write(&text, re)
	return text.String()
}

func (d drawer) write(text *strings.Builder, re *syntax.Regexp) {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		text.WriteString(string(re.Rune))
		return
	case syntax.OpCharClass:
		text.WriteRune(d.of(re.Rune))
		return
	case syntax.OpAlternate:
		d.write(text, re.Sub[d.IntN(len(re.Sub))])
		return
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	case syntax.OpConcat, syntax.OpCapture, syntax.OpEmptyMatch:
	default:
		panic(fmt.Sprintf("want an expression that can be drawn from, have %s", re))
	}
	for range least + d.IntN(most-least+1) {
		for _, sub := range re.Sub {
			d.write(text, sub)
		}
	}
}

// of returns a character of a class, which is a list of the first and the last of each range.
func (d drawer) of(class []rune) rune {
	all := 0
	for i := 0; i < len(class); i += 2 {
		all += int(class[i+1]-class[i]) + 1
	}
	n := rune(d.IntN(all))
	for i := 0; ; i += 2 {
		if size := class[i+1] - class[i] + 1; n >= size {
			n -= size
			continue
		}
		return class[i] + n
	}
}

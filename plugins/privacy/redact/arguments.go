package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// An argument is a string that the options of a command say something of.
type argument struct {
	start   int // in the document
	matches []recognise.Match
}

// The most arguments of a command that are read, and the bytes of them.
const mostArguments, longestCommand = 64, 2000

// arguments returns what the options of a command in an array say of its strings: ["curl", "-u", "user:password"]. The first of them is at
// at, behind the bracket.
func (f *Filter) arguments(doc string, at int) (found []argument) {
	var words []string
	var starts []int
	for size := 0; len(words) < mostArguments && size < longestCommand; {
		kind, start, end, next := Token(doc, at)
		if kind != StringKind {
			break
		}
		word := Decode(doc[start:end], start).Decoded
		if len(words) == 0 && !recognise.IsProgram(word) {
			return nil
		}
		words, starts, at = append(words, word), append(starts, start), next
		size += end - start
	}
	if len(words) < 2 {
		return nil
	}
	matches := f.scan.InArguments(words)
	for i, start := range starts {
		if len(matches[i]) > 0 {
			found = append(found, argument{start, matches[i]})
		}
	}
	return found
}

// argument returns the class of an element of an array that the option before it names, as in ["--api-key", "x"], and keeps what the
// options of a command say of it.
func (f *Filter) argument(s *sweep, top *frame, at span) (class rules.Class) {
	if len(s.arguments) > 0 && s.arguments[0].start == at.start {
		s.told, s.arguments = s.arguments[0].matches, s.arguments[1:]
	}
	if isOption(s.doc, at.start, at.end) {
		top.option, top.optionAt = f.nameIn(s.doc, at.start, at.end)&namedSecrets, top.index
	} else if top.option != 0 && top.optionAt+1 == top.index {
		class = top.option
	}
	return class
}

// isOption reports whether a string is an option by its name.
func isOption(doc string, start, end int) bool {
	return end-start > 3 && doc[start] == '-' && doc[start+1] == '-'
}

// namesNext reports whether a string is an option that names a secret in the string behind it.
func (f *Filter) namesNext(doc string, start, end int) bool {
	if !isOption(doc, start, end) || f.nameIn(doc, start, end)&namedSecrets == 0 {
		return false
	}
	kind, _, _, _ := Token(doc, end+1)
	return kind == StringKind
}

package editor

import (
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/nearest"
)

var wordsIn = regexp.MustCompile(`[\w-]+`)

// Fix returns which part of a text to replace by the suggestion of a mistake that is about the text: what is in the quotes of a
// string, or else the word that the mistake names and that is nearest to the suggestion.
func Fix(text string, d config.Diagnostic) (at Span, ok bool) {
	if d.Suggestion == "" || strings.Contains(text, "\n") {
		return Span{}, false
	}
	if inner, quoted := strings.CutPrefix(text, `"`); quoted && strings.Index(inner, `"`) == len(inner)-1 {
		return Span{1, len(text) - 1}, true
	}
	spans := wordsIn.FindAllStringIndex(text, -1)
	var words []string
	for _, s := range spans {
		words = append(words, text[s[0]:s[1]])
	}
	near, found := nearest.Word(d.Suggestion, words), 0
	if len(words) == 1 && words[0] == text {
		near = text
	}
	if !strings.Contains(d.Summary+d.Detail, `"`+near+`"`) { // it is not what is wrong
		return Span{}, false
	}
	for i, s := range spans {
		if words[i] == near {
			at = Span{s[0], s[1]}
			found++
		}
	}
	return at, found == 1
}

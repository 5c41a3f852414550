package notation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestParagraphs holds that texts with blank lines between them are parted again, whatever line breaks they have and however these are
// spelled.
func TestParagraphs(t *testing.T) {
	for _, texts := range [][]string{
		{"a", "b"},
		{"a\n", "b"},
		{"a\n\n\n", "b\n"},
		{"a", "\nb"},
		{"a\n", "\n\nb"},
		{"a\n\nb\n\n\nc", "d\n\n", "e"},
		{"\n\na", "b"},
		{"\n", "b"},
		{"a\\n\n", "\\\\n\\n"},
		{"é\n", "\U0001f600\n"},
	} {
		for _, newline := range []string{`\n`, `\u000a`} {
			bodies := make([]jsontext.Body, len(texts))
			for i, text := range texts {
				bodies[i] = jsontext.Body(strings.NewReplacer(`\\`, `\\`, `\n`, newline).Replace(string(jsontext.BodyOf(text))))
			}
			joined := ""
			for i, body := range bodies {
				if i > 0 {
					joined += `\n\n`
				}
				joined += string(body)
			}
			var have []string
			rest := jsontext.Body(joined)
			for _, body := range bodies {
				n, breaks := Paragraphs(body)
				first, left, ok := CutParagraphs(rest, n, breaks)
				if !ok {
					t.Errorf("%q: want %d paragraphs, have fewer in %q", texts, n, rest)
				}
				have, rest = append(have, first.Text()), left
			}
			if fmt.Sprintf("%q", have) != fmt.Sprintf("%q", texts) || rest != "" {
				t.Errorf("want %q, have %q and %q left", texts, have, rest)
			}
		}
	}
	if _, _, ok := CutParagraphs(`a\n\nb`, 3, 0); ok {
		t.Error("three paragraphs of two: want none, have them")
	}
	if first, rest, ok := CutParagraphs(`a\n\nb`, 1, 4); !ok || first != "a" || rest != "b" {
		t.Errorf("line breaks that were taken out: want a and b, have %q and %q", first, rest)
	}
}

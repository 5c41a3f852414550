package fingerprint

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// FuzzTokens holds that a text is compared in the form NFKC though mostly only what is not ASCII is looked at, and that its
// first tokens are the same when no more are asked for.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{
		"", "one", "Don't stop: 1.5 a != b, C++ e\u0301 \u0301 ﬁ … ½ ᄒ\u1161\u11ab 東京はどこ", "naïve café\n\nline\n ́two",
		strings.Repeat("one, (two)\n three. ", 40), strings.Repeat("no_blank_at_all", 40), strings.Repeat("( é) \u0301", 100),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		quoted := string(jsontext.AppendString(nil, text))
		body := jsontext.Body(quoted[1 : len(quoted)-1])
		var all, few tokenizer
		all.read(body, maxTokens)
		if want := norm.NFKC.String(text); string(all.text) != want {
			t.Fatalf("want %q, have %q", want, all.text)
		}
		few.read(body, short)
		if len(few.tokens) > short+1 {
			t.Errorf("%q: want at most %d tokens, have %d", text, short+1, len(few.tokens))
		}
		if len(all.tokens) < short && !slices.Equal(few.tokens, all.tokens) || len(all.tokens) >= short && len(few.tokens) < short {
			t.Errorf("%q: want %v, have %v", text, all.tokens, few.tokens)
		}
		for i, have := range few.tokens {
			if want := all.tokens[i]; have.word != want.word {
				t.Errorf("%q: token %d: want %x, have %x", text, i, want.word, have.word)
			}
		}
	})
}

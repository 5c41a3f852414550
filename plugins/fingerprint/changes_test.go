package fingerprint

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// wordingOf returns the wording of one text.
func wordingOf(words []uint64) *wording {
	var s Sketch
	var tokens []token
	for _, w := range words {
		tokens = append(tokens, token{word: w})
	}
	s.ask(tokens)
	return &s.asked
}

// TestChanges holds that single changed words are counted, wherever they are, and that words next to each other are no such change.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const tries, length = 500, 300
	for _, c := range []struct {
		reason string
		change func(words []uint64) []uint64
		want   int // words; -1: something else is asked
		failed int // of the tries at most
	}{
		{"nothing", func(w []uint64) []uint64 { return w }, 0, 0},
		{"a word", func(w []uint64) []uint64 { w[r.IntN(length)] = r.Uint64(); return w }, 1, 5},
		{"the first", func(w []uint64) []uint64 { w[0] = r.Uint64(); return w }, 1, 5},
		{"the last", func(w []uint64) []uint64 { w[length-1] = r.Uint64(); return w }, 1, 5},
		{"one more", func(w []uint64) []uint64 { return append(w, r.Uint64()) }, 1, 5},
		{"one less", func(w []uint64) []uint64 { return append(w[:100], w[101:]...) }, 1, 5},
		{"four", func(w []uint64) []uint64 {
			for i := range 4 {
				w[i*70+r.IntN(60)] = r.Uint64()
			}
			return w
		}, 4, 25},
		{"five", func(w []uint64) []uint64 {
			for i := range 5 {
				w[i*60+r.IntN(50)] = r.Uint64()
			}
			return w
		}, -1, 5},
		{"two next to each other", func(w []uint64) []uint64 { i := r.IntN(length - 1); w[i], w[i+1] = r.Uint64(), r.Uint64(); return w }, -1, 5},
		{"two more at the end", func(w []uint64) []uint64 { return append(w, r.Uint64(), r.Uint64()) }, -1, 5},
		{"all", func(w []uint64) []uint64 { return w[:0] }, -1, 0},
	} {
		failed := 0
		for range tries {
			words := make([]uint64, length)
			for i := range words {
				words[i] = r.Uint64()
			}
			before := wordingOf(words)
			n, ok := before.changes(wordingOf(c.change(words)))
			if !ok {
				n = -1
			}
			if n != c.want {
				failed++
			}
		}
		if failed > c.failed {
			t.Errorf("%s: want %d changes in all but %d of %d, have others in %d", c.reason, c.want, c.failed, tries, failed)
		}
	}
}

// TestTokens holds what is one word of a text, and where lines and sentences end.
func TestTokens(t *testing.T) {
	show := func(text string) (ends string, words []uint64) {
		var tk tokenizer
		tk.read(jsontext.BodyOf(text), 1<<30)
		for _, x := range tk.tokens {
			ends += []string{"w", "s", "l"}[x.ends]
			words = append(words, x.word)
		}
		return ends, words
	}
	for _, c := range []struct{ text, ends string }{
		{"", ""}, {" \n\t.", ""}, {"one", "l"}, {"one two", "wl"}, {"One. Two", "sl"}, {"one\nTwo", "ll"}, {"one\ntwo", "wl"}, {"one\n\ntwo", "ll"},
		{"one.\ntwo", "ll"}, {"one. \ntwo", "ll"}, {strings.Repeat("a ", 24) + "\nb", strings.Repeat("w", 23) + "ll"}, {"user:\r\nhello there", "lwl"}, {"1.5 3:30 don't", "wwl"}, {"a+b", "wwl"}, {"(one), two!", "wl"}, {"東京は", "wwl"},
		{"東京。は", "wsl"}, {"👍", "l"}, {"a\u200db", "l"},
	} {
		if ends, _ := show(c.text); ends != c.ends {
			t.Errorf("%q: want %s, have %s", c.text, c.ends, ends)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Über", "über", true}, {"ＡＢ１", "ab1", true}, {"é", "e\u0301", true}, {"it’s", "it's", true}, {"its", "it's", false}, {"-5", "5", false},
		{"1.5", "15", false}, {"a b", "ab", false}, {"“a”", "a", true}, {"a…", "a", true}, {"C#", "C", false}, {"x!=y", "x=y", false},
	} {
		_, a := show(c.a)
		_, b := show(c.b)
		same := len(a) == len(b)
		for i := range a {
			same = same && a[i] == b[i]
		}
		if same != c.same {
			t.Errorf("%q and %q: want the same words: %v, have %v", c.a, c.b, c.same, same)
		}
	}
}

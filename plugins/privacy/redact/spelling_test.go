package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// encoders are ways in which programs write the characters of JSON strings. Each says which ones it escapes, and how.
var encoders = []struct {
	name   string
	escape func(i int, c rune) string // "" for as JSON requires
}{
	{"Python's json.dumps", func(_ int, c rune) string { return unless(c < 0x7f, "%04x", c) }},
	{"Go's json.Marshal", func(_ int, c rune) string { return unless(!strings.ContainsRune("<>&\u2028\u2029", c), "%04x", c) }},
	{".NET's JsonSerializer", func(_ int, c rune) string {
		return unless(c < 0x7f && !strings.ContainsRune("\"'<>&+`", c), "%04X", c)
	}},
	{"PHP's json_encode", func(_ int, c rune) string {
		if c == '/' {
			return `\/`
		}
		return unless(c < 0x7f, "%04x", c)
	}},
	{"one of each third character", func(i int, c rune) string { return unless(i%3 != 0, "%04x", c) }},
	{"one of digits", func(_ int, c rune) string { return unless(c < '0' || c > '9', "%04x", c) }},
	{"one of letters", func(_ int, c rune) string { return unless((c|0x20) < 'a' || (c|0x20) > 'z', "%04x", c) }},
	{"one of all", func(_ int, c rune) string { return unless(false, "%04x", c) }},
}

// unless returns the escape of a character, or "" when that is plain.
func unless(plain bool, form string, c rune) (escape string) {
	if plain {
		return ""
	}
	for _, unit := range utf16.Encode([]rune{c}) {
		escape += `\u` + fmt.Sprintf(form, unit)
	}
	return escape
}

// respelled writes the strings of a JSON text, and of the JSON in them that is below most deep, as an encoder does; it leaves all else
// as it is. Without an encoder it writes what JSON requires.
func respelled(doc string, escape func(i int, c rune) string, deep int) string {
	var b strings.Builder
	for at := 0; at < len(doc); at++ {
		if b.WriteByte(doc[at]); doc[at] != '"' {
			continue
		}
		end := stringEnd(doc, at+1)
		text := Decode(doc[at+1:end], 0).Decoded
		if isEmbedded(text) {
			text = respelled(text, escape, deep-1)
		}
		for i, c := range []rune(text) {
			out := ""
			if escape != nil && deep <= 0 {
				out = escape(i, c)
			}
			if out == "" {
				out = string(jsontext.AppendBody(nil, string(c)))
			}
			b.WriteString(out)
		}
		b.WriteByte('"')
		at = end
	}
	return b.String()
}

// verdict is all that a filter says of a record, in the spelling that JSON requires.
func verdict(t *testing.T, f *Filter, doc string) (lines []string) {
	t.Helper()
	found, err := f.Find(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range found.Findings {
		path := string(x.Path.Append(nil, nil))
		lines = append(lines, fmt.Sprintf("%s %t %s %s %d-%d %q -> %s", path, x.InKey, x.Entity, x.Rule, x.Start, x.End, x.Value, x.Out))
	}
	out := string(Apply(doc, found.Edits))
	lines = append(lines, "out "+respelled(out, nil, 0))
	suspects := f.Look(doc, found.Edits)
	for _, s := range suspects.Sure {
		lines = append(lines, fmt.Sprintf("sure of %s behind %s", s.Kind, s.Word))
	}
	for _, s := range suspects.Denied {
		lines = append(lines, fmt.Sprintf("suspects %s behind %s", s.Kind, s.Word))
	}
	return append(lines, fmt.Sprintf("%d numbers", suspects.Numbers))
}

// TestSpellingChangesNothing holds that the verdict on a record does not depend on how an encoder wrote it.
func TestSpellingChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var docs []string
	for _, form := range missed {
		text := strings.NewReplacer("#p", drawn(r, "ABCDEFGHabcdefgh23456789!#%*", 10), "#t", drawn(r, base64URL[:62], 32), "#h", drawn(r, "0123456789abcdef", 32)).Replace(form)
		docs = append(docs, spellings(text)...)
	}
	for range 200 {
		docs = append(docs, spellings(randomText(r, 1+r.IntN(8)))...)
	}
	f := &Filter{Engine: testEngine}
	one := 24 // of so many
	if *long {
		one = 4
	}
	for i, doc := range docs {
		if i%one == r.IntN(one) {
			checkSpellings(t, f, respelled(doc, nil, 0))
		}
	}
}

func checkSpellings(t *testing.T, f *Filter, doc string) {
	t.Helper()
	for level := range 3 {
		want := verdict(t, f, doc)
		for _, e := range encoders {
			for deep := range level + 1 {
				other := respelled(doc, e.escape, deep)
				if have := verdict(t, f, other); !slices.Equal(have, want) {
					t.Errorf("%s, level %d, deep %d:\n%s\n%s\n%s", e.name, level, deep, doc, other, cmp.Diff(want, have))
					return
				}
			}
		}
		text, _ := json.Marshal(doc)
		doc = respelled(`{"arguments":`+string(text)+`}`, nil, 0)
	}
}

package redact

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// TestReading holds what a text reads as, and that offsets lead back to what is written.
func TestReading(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"nothing to undo", `Zx9 kQ`, `Zx9 kQ`},
		{"a URL", `a%40b%2Fc`, `a@b/c`},
		{"a letter of two bytes", `%C3%A4`, `ä`},
		{"a URL in a URL", `a%2540b`, `a@b`},
		{"no escape", `100% &c &; %zz %4`, `100% &c &; %zz %4`},
		{"JSON", `a\"b\\c\/d\u0026e`, `abc/d&e`},
		{"JSON in JSON", `a\\\"b\\u0026c`, `ab&c`},
		{"a character of two units", `\ud83d\ude00`, `😀`},
		{"half a character", `\ud83dx`, "\ufffdx"},
		{"bytes", `a\x26b\xc3\xa4`, `a&bä`},
		{"HTML", `a&amp;b&quot;c&#39;d&#x27;e&apos;f&lt;&auml;`, `a&bcdef<ä`},
		{"HTML in HTML", `a&amp;amp;b&amp;quot;c`, `a&bc`},
		{"HTML in a URL", `a%26amp%3Bb`, `a&b`},
		{"a shell", `a'\''b\$c"'"d`, `ab$cd`},
		{"SQL", `a''b`, `ab`},
		{"a folder", `C:\new`, `C:new`},
		{"backslashes at the end", `a\\`, `a`},
	} {
		r := read(c.in)
		if r.text != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, r.text)
		}
		last := 0
		for i := range len(r.text) {
			from, to := r.start(i), r.end(i+1)
			if from < last && r.text[i] < 0x80 || to <= from || to > len(c.in) {
				t.Errorf("%s: want byte %d after byte %d of %q, have %d to %d", c.reason, i, last, c.in, from, to)
			}
			if last = to; ascii.IsAlnum(r.text[i]) && to == from+1 && c.in[from] != r.text[i] {
				t.Errorf("%s: want byte %d of %q as written, have it from %d", c.reason, i, c.in, from)
			}
		}
	}
}

// TestSpellings holds that a secret goes in every spelling, in whichever it was found.
func TestSpellings(t *testing.T) {
	quoted := func(s string) string {
		out, _ := json.Marshal(s)
		return string(out)
	}
	inner := func(s string) string { return strings.Trim(quoted(s), `"`) }
	escapedSlash := func(s string) string { return strings.ReplaceAll(s, "/", `\/`) }
	unwritten := strings.NewReplacer("ä", `\u00e4`)
	shell := strings.NewReplacer("'", `'\''`)
	small := regexp.MustCompile(`%[0-9A-F]{2}`)
	for _, secret := range []string{"Zx9@kQ2mWw77tR", "Zx9!kQ2mWw77tR", "Zx9/kQ2mWw77tR+3", "Zx9&kQ2mWw77tR<", `Zx9"kQ2mWw77tR'4`, `Zx9$kQ2mWw77tR\5`, "Zx9äkQ2mWw77tR", "Zx9?k#=2"} {
		spellings := map[string]string{
			"as it is": secret, "a query": url.QueryEscape(secret), "a path": url.PathEscape(secret),
			"a query in small letters": small.ReplaceAllStringFunc(url.QueryEscape(secret), strings.ToLower),
			"JSON of Go":               inner(secret), "JSON of PHP": unwritten.Replace(escapedSlash(inner(secret))), "HTML of Go": html.EscapeString(secret),
			"HTML of Python": strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(html.EscapeString(secret)),
			"XML":            strings.NewReplacer("&#34;", "&quot;", "&#39;", "&apos;").Replace(html.EscapeString(secret)),
			"a shell":        shell.Replace(secret), "JSON in JSON": inner(inner(secret)),
		}
		for found, first := range spellings {
			for copied, second := range spellings {
				findings := []Finding{{Label: seedWord, Value: first}}
				c := newCopies(findings, testEngine, false)
				text := "see " + second + " there"
				have := c.find(text)
				if len(have) != 1 || text[have[0].Start:have[0].End] != second {
					t.Errorf("%s: want %q found in the spelling of %s as %s writes it, have %v", secret, second, found, copied, have)
				}
				if word := longestWord(first); !strings.Contains(second, word) {
					t.Errorf("%s: want a word that all spellings have, have %q of %s, which %s lacks", secret, word, found, copied)
				}
			}
		}
	}
}

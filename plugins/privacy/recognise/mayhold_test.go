package recognise

import (
	"strings"
	"testing"
)

// looks are texts without anything personal or secret, of the kinds that programs and people write most.
var looks = []struct{ reason, text string }{
	{"a negation", "pass := !isEmpty(object)"},
	{"a negation of a variable", "$pass = !$pass;"},
	{"a negation in minified code", "s.x&&(a=!f,e.pass=!o.pass)"},
	{"a row of files below the name of a program", "-rwsr-xr-x  1 root root   88496 Apr  7  2025  gpasswd\n-rwxr-xr-x  1 root root  178928 Jan  1  2026  gpgconf\n"},
	{"a row of zones below a code of a country", "PW\t+0720+13429\tPacific/Palau\nRS,BA,HR,ME,MK\t+4450+02030\tEurope/Belgrade\n"},
	{"a package and its version", "ii  login       1:4.13+dfsg1-1+deb12u1    amd64        system login tools"},
	{"a cell with a list of words, before another", "| name | values | default |\n|---|---|---|\n| `full` | \"reject\", \"pass\" | `\"reject9\"` |"},
	{"a pattern piped in a line", "| `printer/mgmt/2017-05-15/addons` | [passwd](https://h.dev/a1) |"},
	{"a UUID", "request 7f3a9c07-1b5d-42f4-8ae3-fa9c07e1b5d8 done"},
	{"a commit", "commit 3fa9c07e1b5d82f46ae3fa9c07e1b5d82f46ae3f"},
	{"a digest", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{"an identifier of objects", "ObjectIdentifier 2.5.29.45 and OID 1.2.840.113549.1.1.11"},
	{"a version of four numbers", "version 10.0.19041.1 of the package"},
	{"a section", "15.5.4.11 Queue model"},
	{"a row of bytes", "bytes 61 308 73 65"},
	{"an ISBN", "ISBN 978-0-306-40615-7"},
	{"a snowflake", "message 1189442371958374411 in channel 998877665544332211"},
	{"nanoseconds", "ts=1732286400123456789"},
	{"a place in a picture", "pos 64.9708, 78.9667"},
	{"a matrix", "0.9239 -0.3827 0.1200 10.5000\n0.3827 0.9239 12.3000 0.1000"},
	{"a path of a picture", `<path d="M17.2042,71.0295 60.2295,79.2259 32.4405,20.8891z"/>`},
	{"a number of a part", "part no. KLM-4411-208X"},
	{"names of tokens", `pad_token_id=0 eos_token="<|im_end|>" max_tokens=4096 tokenizer: cl100k_base`},
	{"a line of a dump", "00003f80: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF"},
	{"groups of digits in a dump", "000009d0: 0000 2b00 0000 0000 4025 3700 0000 0000  ..+.....@%7....."},
	{"a measure in an attribute", `<text anchor="middle" x="403.2749" y="-42.3">`},
	{"a handle of a program", "A handle to an opaque @FT_Incremental handle provided by the caller"},
	{"times of a file", "Modify: 2026-01-02 03:04:05.000000000 +0000\n Birth: 2026-01-02 03:04:05.000000000 +0000"},
	{"keys of collation", "1F243 ; [*038A.0020.0004][.83F0.0020.0004]"},
	{"what a policy says", "The password must have 12 characters. Your API key is missing; the token expired."},
	{"a schema", `{"password":{"type":"string","minLength":8},"token":{"type":"string","description":"from login"}}`},
	{"code that reads a secret", `password := os.Getenv("DB_PASSWORD"); token = process.env.API_TOKEN; auth=(user, password)`},
}

// TestLooks holds that none of them is found, as it is and in the dresses in which it comes.
func TestLooks(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP", "PL", "CN"}}))
	dresses := []struct {
		reason string
		write  func(text string) string
	}{
		{"as it is", func(v string) string { return v }},
		{"code", func(v string) string { return "so `" + v + "`." }},
		{"bold", func(v string) string { return "**" + v + "**" }},
		{"a colour", func(v string) string { return "\x1b[32m" + v + "\x1b[0m" }},
		{"a colour a word", func(v string) string { return "\x1b[1m" + strings.ReplaceAll(v, " ", "\x1b[0m \x1b[36m") + "\x1b[0m" }},
		{"escapes", func(v string) string {
			return `stdout='ok\n` + strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(v) + `\n'`
		}},
		{"hard blanks", func(v string) string { return strings.ReplaceAll(v, " ", "&nbsp;") }},
		{"no-break blanks", func(v string) string { return strings.ReplaceAll(v, " ", "\u00a0") }},
		{"percent signs", func(v string) string {
			return "q=" + strings.NewReplacer("%", "%25", " ", "%20", "\n", "%0A", "=", "%3D", ":", "%3A", `"`, "%22").Replace(v) + "&n=1"
		}},
	}
	for _, d := range dresses {
		for _, c := range looks {
			if text := d.write(c.text); len(s.Find(text, 0, nil)) > 0 {
				t.Errorf("%s, %s: want nothing in %q, have %v", c.reason, d.reason, text, spans(s.Find(text, 0, nil)))
			}
		}
	}
}

// TestMayHold holds what the first look at the text of a JSON string, with its escapes, passes over, and what it must not.
func TestMayHold(t *testing.T) {
	e := New(Options{})
	for _, c := range []struct {
		reason, raw string
		want        bool
	}{
		{"letters that are escapes", `caf\u00e9 na\u00efve \u6771\u4eac \ud83d\ude00 \u0416\u0435 \u00E9t\u00E9`, false},
		{"a few digits behind an escape", `\u00e912 and \u6771 3`, false},
		{"the end of a line behind a number", `there were 12\nand then 3\t4`, false},
		{"an escaped @", `alice\u0040example`, true},
		{"an escaped digit", `\u00341111`, true},
		{"a full-width digit", `\uff14`, true},
		{"a word before a secret", `contrase\u00f1a`, true},
		{"another one, of Chinese", `\u5bc6\u7801`, true},
		{"one in capitals", `CONTRASE\u00D1A`, true},
		{"a word before a date", `n\u00e9 le trois`, true},
		{"degrees", `48\u00b0`, true},
		{"degrees behind a blank", `48 \u00b0`, true},
		{"digits behind an escape", `\u00e94155550199`, true},
		{"an escape in code, which the text reads as one", `contrase\\u00f1a`, true},
		{"an escaped backslash", `\\u4155550199`, true},
		{"an Italian tax code with letters for digits", `RSSMRA45C12F2LRI`, true},
		{"one behind the end of a line", `\nRSSMRA45C12F2LRI.`, true},
		{"a word of that length", `abcdefghij2klmno`, true},
		{"a shorter one", `abcdefghij2klmn`, false},
	} {
		if have := e.mayHold(c.raw, 0, len(c.raw)); have != c.want {
			t.Errorf("%s: want it looked at %t, have %t", c.reason, c.want, have)
		}
	}
}

package recognise

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// kinds are the kinds of values with a generator of each, and the word that a kind needs, if it needs one.
var kinds = []struct {
	entity, word string
	value        func(r *rand.Rand) string
}{
	{rules.EmailAddress, "", func(r *rand.Rand) string { return letters(r, 6) + "." + letters(r, 5) + "@" + letters(r, 7) + ".org" }},
	{rules.IPAddress, "", func(r *rand.Rand) string {
		return fmt.Sprintf("%d.%d.%d.%d", 60+r.IntN(60), r.IntN(250), r.IntN(250), 41+r.IntN(200))
	}},
	{rules.MACAddress, "", func(r *rand.Rand) string {
		return fmt.Sprintf("3c:%02x:%02x:%02x:%02x:%02x", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256))
	}},
	{"US_SSN", "SSN", func(r *rand.Rand) string {
		return fmt.Sprintf("%03d-%02d-%04d", 210+r.IntN(300), 11+r.IntN(80), 1001+r.IntN(8000))
	}},
	{rules.CreditCard, "", func(r *rand.Rand) string {
		n := withLuhn(fmt.Sprintf("4%011d", r.IntN(1e11)), 16)
		return n[:4] + " " + n[4:8] + " " + n[8:12] + " " + n[12:]
	}},
	{rules.IBANCode, "", func(r *rand.Rand) string { return iban(fmt.Sprintf("%018d", r.IntN(1e18))) }},
	{rules.PhoneNumber, "", func(r *rand.Rand) string { return fmt.Sprintf("+49 30 %03d%05d", 200+r.IntN(700), r.IntN(1e5)) }},
	{rules.DateOfBirth, "Date of birth", func(r *rand.Rand) string {
		return fmt.Sprintf("19%02d-%02d-%02d", 40+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28))
	}},
	{rules.GeoCoordinates, "", func(r *rand.Rand) string {
		return fmt.Sprintf("48.%05d, 11.%05d", 10001+r.IntN(80000), 10001+r.IntN(80000))
	}},
	{rules.Password, "Password", func(r *rand.Rand) string {
		return letters(r, 5) + string("!%&$#"[r.IntN(5)]) + strings.ToUpper(letters(r, 2)) + fmt.Sprint(10+r.IntN(90))
	}},
	{rules.GenericSecret, "token", func(r *rand.Rand) string { return drawn(r, 32) }},
	{"ACCESS_TOKEN", "", func(r *rand.Rand) string { return "ghp_" + drawn(r, 36) }},
	{rules.JWT, "", func(r *rand.Rand) string {
		return "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI" + drawn(r, 20) + "." + drawn(r, 43)
	}},
	{"PL_PESEL", "PESEL", func(r *rand.Rand) string {
		for {
			if n := fmt.Sprintf("%02d%02d%02d%05d", 40+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28), r.IntN(1e5)); checkdigit.ByName["pesel"].Holds == nil || checkdigit.ByName["pesel"].Holds(n) {
				return n
			}
		}
	}},
	{rules.UKNINO, "National Insurance number", func(r *rand.Rand) string {
		n := fmt.Sprintf("AB%06dC", r.IntN(1e6))
		return n[:2] + " " + n[2:4] + " " + n[4:6] + " " + n[6:8] + " " + n[8:]
	}},
	{"UK_NHS", "NHS number", checked("nhs", "943%07d")}, {"IN_AADHAAR", "Aadhaar", checked("verhoeff", "2341%08d")},
	{"BR_CPF", "CPF", checked("cpf", "%011d")}, {"CN_RESIDENT_ID", "", checked("resident-id", "11010519491231%03dX")},
	{"NL_BSN", "BSN", checked("bsn", "111%06d")}, {"AU_TFN", "TFN", checked("tfn", "123%06d")}, {"CA_SIN", "SIN", checked("luhn", "130%06d")},
	{"DE_TAX_ID", "Steuer-ID", checked("tax-id", "365742%05d")}, {"FR_NIR", "", checked("nir", "1840575%08d")},
	{"ES_DNI", "DNI", func(r *rand.Rand) string {
		n := r.IntN(1e8)
		return fmt.Sprintf("%08d%c", n, "TRWAGMYFPDXBNJZSQVHLCKE"[n%23])
	}},
	{rules.USPassport, "passport number", func(r *rand.Rand) string { return fmt.Sprintf("A%08d", 10000001+r.IntN(8e7)) }},
	{"API_KEY", "", func(r *rand.Rand) string { return "sk-proj-" + drawn(r, 48) }},
	{rules.CryptoWallet, "wallet", func(r *rand.Rand) string {
		return "0x" + strings.ToLower(fmt.Sprintf("%016x%016x%08x", r.Uint64()|1<<63, r.Uint64()|1<<63, r.Uint32()|1<<31))
	}},
	{rules.URLCredentials, "", func(r *rand.Rand) string { return letters(r, 6) + ":" + drawn(r, 14) }},
}

// checked returns a generator of numbers that a check holds for.
func checked(check, form string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		for {
			most := 1
			for range strings.Count(form, "0") + len(form) {
				most *= 10
				if len(fmt.Sprintf(form, most)) > len(fmt.Sprintf(form, 0)) {
					break
				}
			}
			if n := fmt.Sprintf(form, r.IntN(most)); checkdigit.ByName[check].Holds(n) {
				return n
			}
		}
	}
}

func iban(body string) string {
	for check := 2; ; check++ {
		if whole := fmt.Sprintf("DE%02d%s", check, body); checkdigit.ByName["mod97"].Holds(whole) {
			return whole[:4] + " " + whole[4:8] + " " + whole[8:12] + " " + whole[12:16] + " " + whole[16:20] + " " + whole[20:]
		}
	}
}

func letters(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte("bdfgklmnprstvz"[r.IntN(14)])
		if b.Len()%2 == 0 {
			b.WriteByte("aeiou"[r.IntN(5)])
		}
	}
	return b.String()[:n]
}

func drawn(r *rand.Rand, n int) string {
	const from = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	var b strings.Builder
	for range n {
		b.WriteByte(from[r.IntN(len(from))])
	}
	return b.String()
}

// dresses are the ways in which texts for people and for programs write a label and its value. The label may be "".
var dresses = []struct {
	name  string
	write func(label, value string) string // "" for a value that nobody writes so
}{
	{"as it is", func(l, v string) string { return "so " + colon(l) + v + " ok" }},
	{"colour around the value", func(l, v string) string { return "so " + colon(l) + "\x1b[36m" + v + "\x1b[0m ok" }},
	{"colour behind a word", func(l, v string) string { return "so " + colon(l) + "foo\x1b[0m\x1b[36m" + v + "\x1b[0m ok" }},
	{"bold label in colour", func(l, v string) string {
		return "\x1b[1m" + strings.TrimSpace(colon(l)) + "\x1b[0m \x1b[38;5;12m" + v + "\x1b[0m"
	}},
	{"a match of grep", func(l, v string) string {
		return "so " + colon(l) + v[:3] + "\x1b[01;31m\x1b[K" + v[3:6] + "\x1b[m\x1b[K" + v[6:] + " ok"
	}},
	{"colour as text", func(l, v string) string { return `so ` + colon(l) + `\x1b[36m` + v + `\x1b[0m ok` }},
	{"colour as octal text", func(l, v string) string { return `so ` + colon(l) + `\033[1;32m` + v + `\033[0m ok` }},
	{"colour as JSON text", func(l, v string) string { return `so ` + colon(l) + `\u001b[36m` + v + `\u001b[0m ok` }},
	{"colour with carets", func(l, v string) string { return `so ` + colon(l) + `^[[36m` + v + `^[[0m ok` }},
	{"a link in a terminal", func(l, v string) string {
		return "so " + colon(l) + "\x1b]8;;https://docs.site/\x1b\\" + v + "\x1b]8;;\x1b\\ ok"
	}},
	{"a line break as text", func(l, v string) string { return `stdout='done\n` + colon(l) + v + `\nnext\n'` }},
	{"a tab as text", func(l, v string) string { return `row\t` + colon(l) + `\t` + v + `\tnext` }},
	{"doubled backslashes", func(l, v string) string { return `done\\n` + colon(l) + v + `\\nnext` }},
	{"bold value", func(l, v string) string { return "- " + colon(l) + "**" + v + "**" }},
	{"bold label", func(l, v string) string { return "- " + bold(l, "**") + v }},
	{"bold label and colon", func(l, v string) string { return "so\n\n**" + strings.TrimSpace(colon(l)+" ") + "** `" + v + "`\n" }},
	{"underlined label", func(l, v string) string { return "so " + bold(l, "__") + v }},
	{"code in italics", func(l, v string) string { return "so " + bold(l, "*") + "`" + v + "` ok" }},
	{"struck out", func(l, v string) string { return "so " + colon(l) + "~~" + v + "~~ ok" }},
	{"a table", func(l, v string) string {
		return "| name | value |\n|---|---|\n| " + l + " | " + v + " |\n| other | x |"
	}},
	{"a table with code", func(l, v string) string { return "| name | value |\n|:--|--:|\n| **" + l + "** | `" + v + "` |" }},
	{"a table of lines", func(l, v string) string {
		return "┌────┬────┐\n│ " + l + " │ " + v + " │\n└────┴────┘"
	}},
	{"elements", func(l, v string) string { return "<p><b>" + strings.TrimSpace(colon(l)) + "</b> " + v + "</p>" }},
	{"code element", func(l, v string) string { return "<li>" + colon(l) + "<code>" + v + "</code></li>" }},
	{"cells", func(l, v string) string { return `<tr><td class="k">` + l + "</td>\n  <td>" + v + "</td></tr>" }},
	{"a list of definitions", func(l, v string) string { return "<dl><dt>" + l + "</dt><dd>" + v + "</dd></dl>" }},
	{"spans", func(l, v string) string { return `<span class="k">` + l + `</span><span class="v">` + v + `</span>` }},
	{"a span with a blank", func(l, v string) string { return `<strong>` + l + `</strong>: <span class="v">` + v + `</span>` }},
	{"hard blank", func(l, v string) string { return "so " + strings.TrimSpace(colon(l)) + "&nbsp;" + v + "&nbsp;ok" }},
	{"references", func(l, v string) string {
		return "so " + colon(l) + strings.NewReplacer("@", "&#64;", ".", "&period;", "-", "&#x2d;", ":", "&colon;").Replace(v) + "&lt;br&gt;"
	}},
	{"no-break blanks", func(l, v string) string { return "so " + strings.ReplaceAll(colon(l)+v, " ", "\u00a0") + "\u00a0ok" }},
	{"zero width", func(l, v string) string { return "so " + colon(l) + v[:4] + "\u200b" + v[4:] + " ok" }},
	{"soft hyphen", func(l, v string) string { return "so " + colon(l) + v[:7] + "\u00ad" + v[7:] + " ok" }},
	{"byte order mark", func(l, v string) string { return "\ufeff" + colon(l) + v }},
	{"full width", func(l, v string) string { return "so " + colon(l) + wide(v) + " ok" }},
	{"hyphens that do not break", func(l, v string) string { return "so " + colon(l) + strings.ReplaceAll(v, "-", "\u2011") + " ok" }},
	{"an arrow", func(l, v string) string { return "so " + l + " → " + v + " ok" }},
	{"an arrow of signs", func(l, v string) string { return "so " + l + " => " + v + " ok" }},
	{"a dash", func(l, v string) string { return "so " + l + " — " + v + " ok" }},
	{"a list with a dash", func(l, v string) string { return "* **" + l + "x**\n* **" + l + "** - " + v }},
	{"a query", func(l, v string) string { return "GET /a?x=1&" + key(l) + "=" + percent(v, false) + "&y=2 HTTP/1.1" }},
	{"a form", func(l, v string) string { return "x=1&" + key(l) + "=" + percent(v, true) + "&y=2" }},
	{"lines that go on", func(l, v string) string { return "so " + key(l) + ": " + v[:len(v)/2] + "\\\n" + v[len(v)/2:] + "\nok" }},
	{"parts in quotes", func(l, v string) string {
		if len(v) < 28 || strings.ContainsAny(v, " @,:") {
			return ""
		}
		return key(l) + ` = "` + v[:max(8, len(v)/2)] + "\" +\n    \"" + v[max(8, len(v)/2):] + `"`
	}},
}

func colon(label string) string {
	if label == "" {
		return ""
	}
	return label + ": "
}

func bold(label, mark string) string {
	if label == "" {
		return mark + "note" + mark + ": "
	}
	return mark + label + mark + ": "
}

func key(label string) string {
	if label == "" {
		return "v"
	}
	return strings.ReplaceAll(strings.ToLower(label), " ", "_")
}

func wide(v string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r - 0x21 + 0xff01
		}
		return r
	}, v)
}

func percent(v string, form bool) string {
	var b strings.Builder
	for i := range len(v) {
		switch c := v[i]; {
		case c == ' ' && form:
			b.WriteByte('+')
		case ascii.IsAlnum(c) || c == '.' || c == '-' || c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// TestEveryKindInEveryDress holds that nearly all values of each kind are found whole however they are dressed.
func TestEveryKindInEveryDress(t *testing.T) {
	const each = 25
	s := NewScan(New(Options{Regions: []string{"US", "DE"}}))
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(7, uint64(len(k.entity))))
		for _, d := range dresses {
			found, example := 0, ""
			for range each {
				v := k.value(r)
				text := d.write(k.word, v)
				if k.entity == rules.URLCredentials {
					text = d.write(k.word, "https://"+v+"@"+"host.org/")
				}
				if text == "" || whole(s, text, v) {
					found++
				} else {
					example = text
				}
			}
			if found*100 < each*95 {
				t.Errorf("%s in dress %q: want 0.95 of %d found, have %d; such as %q: %v", k.entity, d.name, each, found, example, spans(s.Find(example, 0, nil)))
			}
		}
	}
}

// TestDressIsLookedAt holds that a string with a value in any dress is looked at, as every writer of JSON spells it.
func TestDressIsLookedAt(t *testing.T) {
	e := New(Options{Regions: []string{"US", "DE"}})
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(8, uint64(len(k.entity))))
		for _, d := range dresses {
			text := d.write(k.word, k.value(r))
			plain, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			var ascii strings.Builder
			for _, c := range string(plain) {
				if c < 0x80 {
					ascii.WriteRune(c)
					continue
				}
				fmt.Fprintf(&ascii, `\u%04x`, c)
			}
			for _, doc := range []string{string(plain), ascii.String()} {
				if found := NewScan(e).Find(text, 0, nil); len(found) > 0 && !e.mayHold(doc, 1, len(doc)-1) {
					t.Errorf("%s in dress %q: want %s looked at, have it passed by", k.entity, d.name, doc)
				}
			}
		}
	}
}

// TestKeyedValuesInDress holds that a value under a key for passwords may be dressed.
func TestKeyedValuesInDress(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, text := range []string{"**hunter2!x**", "\x1b[1mhunter2!x\x1b[0m", `hunter2!x\n`, "<code>hunter2!x</code>", "&quot;hunter2!x&quot;", "ｈｕｎｔｅｒ２！ｘ", "hunter2%21x", "hun\u200bter2!x"} {
		if found := s.Find(text, rules.PasswordKey, nil); len(found) != 1 || found[0].Entity != rules.Password {
			t.Errorf("%q: want a password, have %v", text, spans(found))
		}
	}
}

// TestWrappedKeys holds that a key goes whole however its lines are wrapped.
func TestWrappedKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, before, line, after string }{
		{"as it is", "", "%s\n", ""}, {"escapes", `key = "`, `%s\n`, `"`}, {"quotes", "key = (\n", "    \"%s\\n\"\n", ")"}, {"plus", "key =\n", "  '%s\\n' +\n", "  ''"},
		{"comment", "", "# %s\n", ""}, {"slashes", "", "// %s\n", ""}, {"quoted mail", "", "> %s\n", ""}, {"indent", "key: |\n", "    %s\n", ""}, {"colour", "", "\x1b[32m%s\x1b[0m\n", ""},
		{"elements", "<pre>", "%s<br>\n", "</pre>"}, {"a listing", "", "| %s |\n", ""}, {"a diff", "", "+%s\n", ""},
	} {
		var b strings.Builder
		b.WriteString("see\n" + c.before)
		lines := []string{"-----BEGIN PRIVATE KEY-----", drawn(r, 64), drawn(r, 64), drawn(r, 40), "-----END PRIVATE KEY-----"}
		for _, line := range lines {
			fmt.Fprintf(&b, c.line, line)
		}
		b.WriteString(c.after)
		text := b.String()
		last, rest := 0, ""
		for _, m := range s.Find(text, 0, nil) {
			rest += text[last:m.Start]
			last = m.End
		}
		rest += text[last:]
		for _, line := range lines {
			if strings.Contains(rest, line[:12]) || strings.Contains(rest, line[len(line)-12:]) {
				t.Errorf("%s: want all of the key, have %q of %q left", c.reason, line, text)
			}
		}
	}
	for _, c := range []struct{ reason, joint string }{
		{"a line break", "\n"}, {"an indented line", "\n    "}, {"a comment", "\n# "}, {"a backslash", "\\\n"}, {"a backslash and an indent", "\\\n    "}, {"quotes", "\"\n    \""}, {"a plus", "\" +\n \""},
		{"a plus in a line", "\" + \""}, {"an escaped line break", `\n`},
	} {
		token := "github_pat_" + drawn(r, 22) + "_" + drawn(r, 59)
		text := "x = \"" + token[:50] + c.joint + token[50:] + "\"\nend"
		found := s.Find(text, 0, nil)
		if len(found) == 0 || found[0].Start > 5 || found[len(found)-1].End < 5+len(token)+len(c.joint) {
			t.Errorf("%s: want the token whole, have %v of %q", c.reason, spans(found), text)
		}
	}
}

// TestNothingInDress holds that texts without a value have none in any dress.
func TestNothingInDress(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US", "DE"}}))
	for _, text := range []string{
		"\x1b[32m✓\x1b[0m 14 tests passed in \x1b[1m3.21s\x1b[0m (pid 48213, 2026-01-04 10:11:12)", "\x1b[2J\x1b[1;1H\x1b[36mINFO\x1b[0m step 12/400 loss=0.4821",
		"| column | type | rule |\n|---|---|---|\n| password | text | at least 12 characters |\n| token | string | the token of the session |\n| created | date | 2026-01-02 |",
		"<table><tr><td>Password</td><td>required</td></tr><tr><td>Version</td><td>12.4.5.1</td></tr></table>", "**Password:** you choose it yourself", "- **Token** — see the settings page",
		"The *password* field is **required**, and __token__ is `null`.", "password → required, token → optional", `C:\new\table\users\readme.txt and \\server\share\text`, `re.compile(r"^\d{3}-\d{2}-\d{4}\n")`,
		`printf("%s\t%d\n", name, 415);`, "https://host.org/a%20b%2Fc?q=x%3D1&page=2+3+4", "x ** 2 ** 10 * 203 * 114", "int *a, *b; char **argv = &x; y = a & 0x40; z = p->token;",
		"<p>Read <b>the guide</b> on <code>password</code> hashing with <i>argon2id</i>.</p>", "Ｗｅｂ　２．０　は　２０２６年", "日本語：名前は必須です。１２文字以上", "v１.２.３.４ &amp; v2&nbsp;beta",
		"sha256:\n  3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855e\n  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"Open 9–17 h, pages 120–134, 1990–2005, (0.996–1.000)", "section%206.1.5.6 of Version%3D%22223.6.4.24%22", "| 2.1.3.9 | Model | stream |", "<td>14.1.1.3</td><td>Model</td>", "`2001:db8:*:*:*`",
		`d="M1.7,71.0&nbsp;60.2,79.2&nbsp;32.4,20.8"`, "x=1&v=+2015-12-01.2.2&y=%20",
	} {
		if found := s.Find(text, 0, nil); len(found) > 0 {
			t.Errorf("%q: want nothing, have %v", text, spans(found))
		}
	}
}

// whole reports whether something is found and no part of a value is left.
func whole(s *Scan, text, value string) bool {
	var left strings.Builder
	last := 0
	found := s.Find(text, 0, nil)
	for _, m := range found {
		left.WriteString(text[last:m.Start] + "\x00")
		last = m.End
	}
	left.WriteString(text[last:])
	rest := strings.Map(func(r rune) rune {
		if r > 0xff00 && r < 0xff5f {
			return r - 0xff01 + 0x21
		}
		return r
	}, left.String())
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return !ascii.IsAlnum(byte(r)) }) {
		if n := len(part); n >= 3 && (strings.Contains(rest, part[:3]) || strings.Contains(rest, part[n-3:])) {
			return false
		}
	}
	return len(found) > 0
}

package recognise

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

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
			if n := fmt.Sprintf("%02d%02d%02d%05d", 40+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28), r.IntN(1e5)); checks["pesel"].holds == nil || checks["pesel"].holds(n) {
				return n
			}
		}
	}},
	{rules.URLCredentials, "", func(r *rand.Rand) string { return letters(r, 6) + ":" + drawn(r, 14) }},
}

func iban(body string) string {
	for check := 2; ; check++ {
		if whole := fmt.Sprintf("DE%02d%s", check, body); isMod97(whole) {
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
		case isAlnum(c) || c == '.' || c == '-' || c == '_':
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
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return !isAlnum(byte(r)) }) {
		if n := len(part); n >= 3 && (strings.Contains(rest, part[:3]) || strings.Contains(rest, part[n-3:])) {
			return false
		}
	}
	return len(found) > 0
}

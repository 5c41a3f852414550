package host

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// leastCoded is the size of the shortest secret whose base64 is replaced. That of a shorter one may be a part of any word.
const leastCoded = 4

// spellings returns a text as it is and as messages spell it in JSON, in JSON inside of JSON, in quotes of Go and of Python, in URLs, in HTML
// and in base64, each once.
func spellings(text string) []string {
	all := []string{text}
	for _, quoted := range jsonForms(text) {
		all = append(append(all, quoted), jsonForms(quoted)...)
	}
	quoted := strconv.Quote(text)
	all = append(all, quoted[1:len(quoted)-1])
	for _, form := range pythonForms(text) {
		all = append(append(all, form), jsonForms(form)...)
	}
	all = append(all, urlForms(text)...)
	plain := html.EscapeString(text)
	all = append(all, plain, strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(plain))
	if len(text) >= leastCoded {
		all = append(all, base64Forms(text)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// jsonForms returns a text as JSON spells it, without the quotes: with as few escapes as can be, with those of HTML, and in ASCII.
func jsonForms(text string) []string {
	plain := asJSON(text, false)
	var ascii strings.Builder
	for _, r := range plain {
		switch {
		case r < 0x80:
			ascii.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, high, low)
		}
	}
	return []string{plain, asJSON(text, true), ascii.String()}
}

func asJSON(text string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.Trim(b.String(), "\n")[1 : b.Len()-2]
}

// pythonForms returns a text as Python quotes it, without the quotes: as it is, in ASCII, and as bytes. Whether a single quote is escaped
// depends on the text around it.
func pythonForms(text string) (all []string) {
	for _, single := range []string{`'`, `\'`} {
		var forms [3]strings.Builder
		for _, r := range text {
			for i, spelled := range pythonRune(r, single) {
				forms[i].WriteString(spelled)
			}
		}
		for i := range forms {
			all = append(all, forms[i].String())
		}
	}
	return all
}

func pythonRune(r rune, single string) [3]string {
	same := func(s string) [3]string { return [3]string{s, s, s} }
	switch {
	case r == '\'':
		return same(single)
	case pythonEscapes[r] != "":
		return same(pythonEscapes[r])
	case r < ' ' || r == 0x7f:
		return same(fmt.Sprintf(`\x%02x`, r))
	case r < utf8.RuneSelf:
		return same(string(r))
	}
	ascii := fmt.Sprintf(`\U%08x`, r)
	switch {
	case r < 0x100:
		ascii = fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		ascii = fmt.Sprintf(`\u%04x`, r)
	}
	var raw strings.Builder
	for _, b := range []byte(string(r)) {
		fmt.Fprintf(&raw, `\x%02x`, b)
	}
	return [3]string{string(r), ascii, raw.String()}
}

var pythonEscapes = map[rune]string{'\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// urlForms returns a text as URLs spell it, in the ways of queries and of paths, with hexadecimal digits of both cases.
func urlForms(text string) (all []string) {
	query := url.QueryEscape(text)
	component := strings.ReplaceAll(query, "+", "%20")
	browsers := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(component)
	for _, form := range []string{query, component, browsers, url.PathEscape(text)} {
		all = append(all, form, lowerHex(form))
	}
	return all
}

// lowerHex returns a URL with its percent escapes in lower case.
func lowerHex(form string) string {
	b := []byte(form)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], bytes.ToLower(b[i:i+3]))
		}
	}
	return string(b)
}

// base64Forms returns a text as base64 spells it, with both alphabets: as a whole, and inside of a longer text, as in a header for basic
// authentication, without the characters at its ends that the text beside it has a share in.
func base64Forms(text string) (all []string) {
	for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, coding.EncodeToString([]byte(text)), coding.WithPadding(base64.NoPadding).EncodeToString([]byte(text)))
		for shift := range 3 {
			before := make([]byte, shift)
			coded := coding.EncodeToString(append(before, text...))
			first, end := (8*shift+5)/6, 8*(shift+len(text))/6
			if core := coded[first:end]; len(core) > leastCoded {
				all = append(all, core)
			}
		}
	}
	return all
}
